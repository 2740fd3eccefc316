"""``fsmc explain``"""

from __future__ import annotations

import click

from fsmc.cli.files import write_text
from fsmc.cli.options import subcommand
from fsmc.rules import all_rules


@subcommand("explain")
@click.argument("code", metavar="CODE")
def command(code: str) -> int:
    """Explain a finding by its code (FSM204) or name (cycle): what it means, a bad and a good example."""
    from inspect import cleandoc

    wanted = code.strip().lower()
    for rule in all_rules():
        if wanted in (rule.code.lower(), rule.name):
            write_text(f"{rule.code} {rule.name} ({rule.level})\n\n{cleandoc(rule.doc)}\n")
            return 0
    from difflib import get_close_matches

    names = [name for rule in all_rules() for name in (rule.code.lower(), rule.name)]
    hint = "`fsmc rules` lists them"
    for near in get_close_matches(wanted, names, 1):
        hint = f"did you mean `{near.upper() if near.startswith('fsm') else near}`?"
    raise click.UsageError(f"no rule is called {code!r}; {hint}")
