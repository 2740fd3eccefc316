"""Where the comments of a document stand, as opposed to the same characters inside a text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from fsmc.source.tree import Document

# Left to right, a quote opens a string and a hash opens a comment: bare keys and values of TOML have neither. Each string is
# an unrolled loop, as in the scan of TOML.
_TOML = re.compile(
    r'''"""[^"\\]*(?:(?:\\[\s\S]|""?(?!"))[^"\\]*)*"{3,5}'''
    r"""|'''[^']*(?:''?(?!')[^']*)*'{3,5}"""
    r"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*'"""
    r"""|(?P<comment>#[^\r\n]*)"""
)
_BLOCKS = ("|", ">")
_LINE_END = re.compile(r"[\r\n]")


def in_comments(document: Document, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """The matches of *pattern* that lie in comments, in order. A match starts with the ``#`` of a comment.

    Only for a document that was read to its end; JSON has no comments.
    """
    if document.format == "json" or document.root is None:
        return []
    found = list(pattern.finditer(document.text))
    if not found:
        return []
    return _in_toml(document.text, found) if document.format == "toml" else _in_yaml(document.text, found)


def _in_toml(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    comments = [match.span("comment") for match in _TOML.finditer(text) if match["comment"] is not None]
    starts = [start for start, _ in comments]
    return [match for match in found if _inside(match.start(), starts, comments)]


def _inside(offset: int, starts: list[int], spans: list[tuple[int, int]]) -> bool:
    number = bisect_right(starts, offset) - 1
    return number >= 0 and offset < spans[number][1]


def _in_yaml(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Those that no scalar contains and that white space precedes, as it does every comment of YAML."""
    from yaml._yaml import CParser
    from yaml.events import ScalarEvent

    left = [match for match in found if not text[max(match.start() - 1, 0) : match.start()].strip()]
    starts = [match.start() for match in left]
    taken: set[int] = set()
    events: Iterator[Any] = iter(CParser(text).get_event, None)
    for event in events:
        kind = type(event)
        if kind is not ScalarEvent:
            continue
        start = event.start_mark.index
        if event.style in _BLOCKS:  # a comment may follow the indicator
            end = _LINE_END.search(text, text.index(event.style, start))
            start = end.end() if end else len(text)
        taken.update(range(bisect_left(starts, start), bisect_left(starts, event.end_mark.index)))
    return [match for number, match in enumerate(left) if number not in taken]
