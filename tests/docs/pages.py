"""The pages of the documentation as data: their fenced blocks, links and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PLAYED = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
# The pages of the rules are made from their docstrings and have tests of their own.
PAGES = (*PLAYED, *sorted((ROOT / "docs" / "rules").glob("*.md")))

_FENCE = re.compile(r"```(\w*)(.*)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<img[^>]* src=\"([^\"]+)\"")
_HEADING = re.compile(r"#+ +(.*)")


class Block(NamedTuple):
    """A fenced block. ``words`` follow the language: a file name, ``bad``. ``first`` and ``last`` are the lines of its text."""

    language: str
    words: tuple[str, ...]
    text: str
    first: int
    last: int

    @property
    def filename(self) -> str | None:
        """The name under which the page keeps this block as a file."""
        return next((word for word in self.words if "." in word), None)


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order. Raises ``ValueError`` for one that is never closed."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        opening = _FENCE.fullmatch(lines[number])
        number += 1
        if opening is None:
            continue
        last = lines.index("```", number)
        body = "".join(line + "\n" for line in lines[number:last])
        yield Block(opening[1], tuple(opening[2].split()), body, number + 1, last)
        number = last + 1


def with_blocks(text: str, replaced: dict[Block, str]) -> str:
    """The page with other texts in some of its blocks."""
    lines = text.split("\n")
    for block in sorted(replaced, key=lambda block: -block.first):
        lines[block.first - 1 : block.last] = replaced[block].split("\n")[:-1]
    return "\n".join(lines)


def prose(text: str) -> str:
    """A page without its fenced blocks and code spans."""
    lines = text.split("\n")
    for block in blocks(text):
        lines[block.first - 2 : block.last + 1] = [""] * (block.last - block.first + 3)
    return re.sub(r"`[^`\n]*`", "code", "\n".join(lines))


def links(text: str) -> Iterator[str]:
    """The targets of the links and images of a page."""
    for match in _LINK.finditer(prose(text)):
        yield match[1] or match[2]


def anchors(text: str) -> set[str]:
    """The anchors that a Markdown viewer makes of the headings of a page."""
    fenced = {number for block in blocks(text) for number in range(block.first, block.last + 1)}
    found = set()
    for number, line in enumerate(text.split("\n"), 1):
        heading = _HEADING.fullmatch(line)
        if heading and number not in fenced:
            found.add(re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-"))
    return found
