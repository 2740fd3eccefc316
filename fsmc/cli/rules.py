"""``fsmc rules``"""

from __future__ import annotations

from fsmc.cli.files import write_text
from fsmc.cli.options import format_option, subcommand
from fsmc.rules import all_rules


@subcommand("rules")
@format_option(("text", "json"))
def command(format_: str) -> int:
    """List every rule: code, name, level, and what it finds."""
    rules = [(rule.code, rule.name, rule.level, rule.title) for rule in all_rules()]
    if format_ == "json":
        import json

        keys = ("code", "name", "level", "title")
        write_text(json.dumps([dict(zip(keys, rule, strict=True)) for rule in rules], indent=2) + "\n")
        return 0
    names = max(len(name) for _, name, _, _ in rules)
    write_text("".join(f"{code}  {name:{names}}  {level:7}  {title}\n" for code, name, level, title in rules))
    return 0
