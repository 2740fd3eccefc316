"""``fsmc rules``"""

from __future__ import annotations

import sys

from fsmc.cli.files import terminal_width, write_text
from fsmc.cli.options import format_option, subcommand
from fsmc.report.style import wrapped
from fsmc.rules import all_rules


@subcommand("rules", "List every kind of finding.")
@format_option(("text", "json"))
def command(format_: str) -> int:
    """List every rule: code, name, level, and what it finds."""
    if format_ == "json":
        import json

        rows = [{"code": r.code, "name": r.name, "level": r.level, "title": r.title} for r in all_rules()]
        write_text(json.dumps(rows, indent=2) + "\n")
        return 0
    names, levels = (max(map(len, texts)) for texts in zip(*((r.name, r.levels) for r in all_rules()), strict=True))
    width = terminal_width(sys.stdout)
    for rule in all_rules():
        head = f"{rule.code}  {rule.name:{names}}  {rule.levels:{levels}}"
        if width is None or len(head) + 2 + len(rule.title) <= width:
            write_text(f"{head}  {rule.title}\n")
        else:
            lines = wrapped(f"        {rule.title}", width, 8)
            write_text("\n".join((head.rstrip(), *lines, "")))
    return 0
