"""``fsmc completion``"""

from __future__ import annotations

import click

from fsmc.cli.files import write_text
from fsmc.cli.options import subcommand

SHELLS = ("bash", "zsh", "fish")


@subcommand("completion", "Print a script that completes the command line: bash, zsh or fish.")
@click.argument("shell", type=click.Choice(SHELLS), metavar="|".join(SHELLS))
def command(shell: str) -> int:
    """Print a script that completes commands, options, choices and files.

    Load it where the shell starts: eval "$(fsmc completion bash)", eval "$(fsmc completion zsh)", or fsmc completion fish | source.
    """
    from click.shell_completion import get_completion_class

    from fsmc.cli.root import root

    kind = get_completion_class(shell)
    assert kind is not None
    write_text(kind(root, {}, "fsmc", "_FSMC_COMPLETE").source())
    return 0
