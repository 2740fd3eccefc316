"""The manual pages of the rules, from the docstrings of their modules."""

from __future__ import annotations

import re
import textwrap

from fsmc.rules.base import Rule
from fsmc.runtime.annotations import NamedTuple

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
