"""``fsmc show``"""

from __future__ import annotations

import sys

from fsmc.cli.files import color_wanted, write_text
from fsmc.cli.options import color_option, policy_argument, subcommand
from fsmc.cli.tables import load_table
from fsmc.rendering.show import show


@subcommand("show", "Show states, tools and transitions as text.")
@policy_argument(metavar="POLICY|TABLE")
@color_option
def command(policy: str, color: str) -> int:
    """Show states, tools and transitions of a policy or a compiled table."""
    write_text(show(load_table(policy), terminal=color_wanted(color, sys.stdout)))
    return 0
