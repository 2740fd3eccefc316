"""``fsmc explain``"""

from __future__ import annotations

import click

from fsmc.cli.files import write_text
from fsmc.cli.options import subcommand
from fsmc.rules import all_rules


def names_of_rules(begun: str) -> list[str]:
    """The codes and names of rules that begin like *begun*, for a shell."""
    found = [name for rule in all_rules() for name in (rule.code, rule.name)]
    return [name for name in found if name.lower().startswith(begun.lower())]


@subcommand("explain", "Explain one kind of finding.")
@click.argument("code", metavar="CODE", shell_complete=lambda ctx, param, begun: names_of_rules(begun))
def command(code: str) -> int:
    """Explain a finding by its code (FSM204) or name (cycle): what it means, a bad and a good example."""
    from inspect import cleandoc

    wanted = code.strip().lower()
    for rule in all_rules():
        if wanted in (rule.code.lower(), rule.name):
            write_text(f"{rule.code} {rule.name} ({rule.levels})\n\n{cleandoc(rule.doc)}\n")
            return 0
    from fsmc.spelling import did_you_mean

    # A number is either right or wrong: a near one explains something else.
    hint = did_you_mean(wanted, [rule.name for rule in all_rules()]) or "`fsmc rules` lists them all"
    raise click.UsageError(f"no rule is called {code!r}; {hint}")
