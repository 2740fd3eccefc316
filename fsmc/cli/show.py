"""``fsmc show``"""

from __future__ import annotations

from fsmc.cli.files import write_text
from fsmc.cli.options import policy_argument, subcommand
from fsmc.cli.tables import load_table
from fsmc.render.show import show


@subcommand("show")
@policy_argument(metavar="POLICY|TABLE")
def command(policy: str) -> int:
    """Show states, tools and transitions of a policy or a compiled table."""
    write_text(show(load_table(policy)))
    return 0
