"""The manual pages of the rules, from the docstrings of their modules.

``python -m fsmc.rules.manual docs/rules.md`` writes the whole manual; a test checks that the file is current.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from fsmc.rules import Rule, all_rules
from fsmc.runtime.annotations import NamedTuple

_GROUPS = {
    "FSM0": "Text and structure",
    "FSM1": "Names",
    "FSM2": "The graph",
    "FSM3": "Transitions and expressions",
    "FSM4": "Tools and limits",
}
_INTRODUCTION = """\
# Rules

What `fsmc lint` finds. `fsmc explain CODE` shows one page in the terminal. Each rule has a stable code, a name and a
level: an `error` keeps a policy from compiling, a `warning` is most likely a mistake, an `info` is worth knowing. A
rule does not report what follows from a mistake that another rule reports.

This page is made from the docstrings in `fsmc/rules` by `python -m fsmc.rules.manual docs/rules.md`. The tests run
every example.
"""
_SECTIONS = re.compile(
    r"\A(?P<title>.+)\n\n(?P<text>.+?)\n\nAvoid:\n\n(?P<avoid>.+?)\n\nPrefer:\n\n(?P<prefer>.+)\Z", re.DOTALL
)


class Page(NamedTuple):
    """The parts of a manual page; ``avoid`` and ``prefer`` are policies in YAML."""

    title: str
    text: str
    avoid: str
    prefer: str


def page(rule: Rule) -> Page:
    """The manual page of *rule*. Raises ``ValueError`` when its docstring has another shape."""
    match = _SECTIONS.match(rule.doc.strip())
    if match is None:
        raise ValueError(f"the docstring of {rule.code} is not a manual page")
    parts = match.groupdict()
    return Page(parts["title"], parts["text"], *(textwrap.dedent(parts[key]) + "\n" for key in ("avoid", "prefer")))


def manual() -> str:
    """All pages as one Markdown document."""
    parts = [_INTRODUCTION, _overview()]
    for prefix, title in _GROUPS.items():
        parts.append(f"## {title}\n")
        parts += [_markdown(rule) for rule in all_rules() if rule.code.startswith(prefix)]
    return "\n".join(parts)


def _overview() -> str:
    rows = [
        f"| [{rule.code}](#{_anchor(rule)}) | {rule.name} | {rule.levels} | {rule.title} |\n" for rule in all_rules()
    ]
    return "| code | name | level | what |\n|---|---|---|---|\n" + "".join(rows)


def _anchor(rule: Rule) -> str:
    return f"{rule.code.lower()}-{rule.name}"


def _markdown(rule: Rule) -> str:
    body = page(rule)
    examples = "\n".join(
        f"{label}:\n\n```yaml\n{text}```\n" for label, text in (("Avoid", body.avoid), ("Prefer", body.prefer))
    )
    return f"### {rule.code} {rule.name}\n\n**{body.title}** Level: {rule.levels}.\n\n{body.text}\n\n{examples}"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(manual(), encoding="utf-8")
