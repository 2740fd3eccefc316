"""``fsmc explain``"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

import click

from fsmc.cli.files import terminal_width, write_text
from fsmc.cli.options import format_option, subcommand
from fsmc.links import rule_page
from fsmc.report.style import wrapped
from fsmc.rules import Rule, all_rules
from fsmc.rules.manual import page
from fsmc.rules.related import related


def names_of_rules(begun: str) -> list[str]:
    """The codes and names of rules that begin like *begun*, for a shell."""
    found = [name for rule in all_rules() for name in (rule.code, rule.name)]
    return [name for name in found if name.lower().startswith(begun.lower())]


@subcommand("explain", "Explain one kind of finding, or several.")
@click.argument(
    "codes", metavar="CODE...", nargs=-1, required=True, shell_complete=lambda ctx, param, begun: names_of_rules(begun)
)
@format_option(("text", "json"))
def command(codes: tuple[str, ...], format_: str) -> int:
    """Explain a finding by its code (FSM204), its name (cycle) or the beginning of codes (FSM2): a bad and a good example."""
    chosen = list(dict.fromkeys(rule for code in codes for rule in _meant(code)))
    if format_ == "json":
        write_text(json.dumps([described(rule) for rule in chosen], indent=2, ensure_ascii=False) + "\n")
    else:
        width = terminal_width(sys.stdout)
        write_text("\n".join(_shown(rule, width) for rule in chosen))
    return 0


def described(rule: Rule) -> dict[str, Any]:
    """A rule as data: everything that its page says."""
    body = page(rule)
    return {
        "code": rule.code, "name": rule.name, "level": rule.level, "other_level": rule.other_level, "title": body.title,
        "text": body.text, "avoid": body.avoid, "prefer": body.prefer, "related": list(related(rule.code)),
        "page": rule_page(rule.code),
    }  # fmt: skip


def _meant(code: str) -> Sequence[Rule]:
    wanted = code.strip().lower()
    exact = [rule for rule in all_rules() if wanted in (rule.code.lower(), rule.name)]
    if exact:
        return exact
    if re.fullmatch(r"fsm\d{1,2}", wanted) and (begun := [r for r in all_rules() if r.code.lower().startswith(wanted)]):
        return begun
    from fsmc.spelling import did_you_mean

    # A number is either right or wrong: a near one explains something else.
    hint = did_you_mean(wanted, [rule.name for rule in all_rules()]) or "`fsmc rules` lists them all"
    raise click.UsageError(f"no rule is called {code!r}; {hint}")


def _shown(rule: Rule, width: int | None) -> str:
    body = page(rule)
    prose = [
        "\n".join(wrapped(part.replace("\n", " "), width, 0)) if width else part for part in body.text.split("\n\n")
    ]
    parts = [f"{rule.code} {rule.name} ({rule.levels})", *wrapped(body.title, width, 0), *prose]
    examples = [f"{label}:\n\n{_indented(text)}" for label, text in (("Avoid", body.avoid), ("Prefer", body.prefer))]
    near = related(rule.code)
    ends = [f"Related: {', '.join(near)}"] if near else []
    return "\n\n".join([*parts, *examples, *ends, rule_page(rule.code)]) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))
