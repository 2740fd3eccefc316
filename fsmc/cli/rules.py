"""``fsmc rules``"""

from __future__ import annotations

import sys

import click

from fsmc.cli.files import terminal_width, write_text
from fsmc.cli.options import format_option, subcommand
from fsmc.report.style import wrapped
from fsmc.rules import all_rules


@subcommand("rules", "List every kind of finding.")
@click.argument("prefix", metavar="[PREFIX]", default="")
@format_option(("text", "json"))
def command(prefix: str, format_: str) -> int:
    """List every rule, or those whose code begins with PREFIX (FSM2): code, name, level, and what it finds."""
    chosen = [rule for rule in all_rules() if rule.code.startswith(prefix.upper())]
    if not chosen:
        raise click.UsageError(f"no rule has a code that begins with {prefix!r}; `fsmc rules` lists them all")
    if format_ == "json":
        import json

        from fsmc.cli.explain import described

        write_text(json.dumps([described(rule) for rule in chosen], indent=2, ensure_ascii=False) + "\n")
        return 0
    names, levels = (max(map(len, texts)) for texts in zip(*((r.name, r.levels) for r in chosen), strict=True))
    width = terminal_width(sys.stdout)
    for rule in chosen:
        head = f"{rule.code}  {rule.name:{names}}  {rule.levels:{levels}}"
        if width is None or len(head) + 2 + len(rule.title) <= width:
            write_text(f"{head}  {rule.title}\n")
        else:
            lines = wrapped(f"        {rule.title}", width, 8)
            write_text("\n".join((head.rstrip(), *lines, "")))
    return 0
