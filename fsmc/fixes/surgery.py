"""Cutting an entry out of a mapping, in the text of any of the three formats.

Where an entry ends is not stored, so the edit is a proposal that is checked: the text without it must be read as the data without
the entry, or there is no edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from fsmc.findings import Edit
from fsmc.source import Document, parse
from fsmc.source.tree import MappingNode, Place

_HEADER = re.compile(r"[ \t]*\[{1,2}[ \t]*([^\]\n]+?)[ \t]*\]{1,2}")
_QUOTES = "\"'"


def removal(document: Document, path: Sequence[str]) -> Edit | None:
    """The edit that removes the entry at *path*, and the mapping that held nothing else; None where none is certain."""
    data = plain(document.root)
    for keys in (tuple(path), tuple(path[:-1])):
        if not keys:
            break
        expected = _without(data, keys)
        for start, end in _proposals(document, keys):
            if _gives(document, Edit(start, end, ""), expected):
                return Edit(start, end, "")
        if len(_at(data, path[:-1])) > 1:
            break  # the mapping holds more than this entry
    return None


def plain(node: Any) -> Any:
    """The data of a tree, without its places."""
    if isinstance(node, dict):
        return {key: plain(value) for key, value in node.items()}
    return [plain(item) for item in node] if isinstance(node, list) else node


def edited(text: str, edits: Sequence[Edit]) -> str:
    """*text* after *edits*, which do not overlap."""
    parts, end = [], 0
    for edit in sorted(edits):
        parts += [text[end : edit.start], edit.text]
        end = edit.end
    return "".join([*parts, text[end:]])


def _gives(document: Document, edit: Edit, expected: Any) -> bool:
    after = parse(edited(document.text, [edit]).encode("utf-8", "surrogatepass"), document.path)
    return not after.problems and plain(after.root) == expected


def _at(data: Any, path: Sequence[str]) -> Any:
    for key in path:
        data = data[key]
    return data


def _without(data: Any, path: Sequence[str]) -> Any:
    key, *rest = path
    if not rest:
        return {name: value for name, value in data.items() if name != key}
    return {**data, key: _without(data[key], rest)}


def _proposals(document: Document, path: Sequence[str]) -> Iterator[tuple[int, int]]:
    node: Any = document.root
    for key in path[:-1]:
        node = node[key]
    assert isinstance(node, MappingNode)
    start = document.lines.offset(node.key_place(path[-1]))
    value = document.lines.offset(node.value_place(path[-1]))
    if document.format == "toml":
        yield from _tables(document.text, path)
    yield from _whole_lines(document, start, value)
    yield from _between_commas(document.text, start, value)


def _whole_lines(document: Document, start: int, value: int) -> Iterator[tuple[int, int]]:
    """The lines of a block: those that are indented deeper than its key."""
    lines = document.lines
    first = lines.place(start).line
    begin = lines.starts[first - 1]
    if lines.text[begin:start].strip():
        return
    indent = start - begin
    last = max(first, lines.place(value).line)
    number = first
    while number < len(lines.starts):
        line = lines.text[lines.starts[number] : lines.end(number + 1)]
        content = line.strip()
        if content and len(line) - len(line.lstrip()) <= indent:
            break
        if content and not content.startswith("#"):
            last = number + 1
        number += 1
    end = lines.starts[last] if last < len(lines.starts) else len(lines.text)
    yield begin, end


def _between_commas(text: str, start: int, value: int) -> Iterator[tuple[int, int]]:
    """An entry in brackets, with the comma behind it or, where it is the last, before it."""
    end = _end_in_brackets(text, value)
    begin = start - (text[start - 1 : start] in _QUOTES and start > 0)
    behind = re.compile(r"[ \t]*,[ \t]*(\r?\n[ \t]*)?").match(text, end)
    if behind is not None:
        yield begin, behind.end()
    before = text.rfind(",", 0, begin)
    if before >= 0 and not text[before + 1 : begin].strip():
        yield before, end
    yield begin, end


def _end_in_brackets(text: str, at: int) -> int:
    depth, quote = 0, ""
    while at < len(text):
        character = text[at]
        if quote:
            at += character == "\\" and quote == '"'
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            if depth == 0:
                break
            depth -= 1
        elif character in ",\n" and depth == 0:
            break
        at += 1
    return len(text[:at].rstrip())


def _tables(text: str, path: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The tables of TOML that stand together and belong to the entry: its header and those of what is inside it."""
    starts = [match for match in re.finditer(r"^[ \t]*\[.*$", text, re.MULTILINE)]
    ours = [number for number, match in enumerate(starts) if _names(match.group())[: len(path)] == list(path)]
    if not ours or ours != list(range(ours[0], ours[0] + len(ours))):
        return
    begin = starts[ours[0]].start()
    end = starts[ours[-1] + 1].start() if ours[-1] + 1 < len(starts) else len(text)
    yield begin, end


def _names(header: str) -> list[str]:
    match = _HEADER.match(header)
    return [] if match is None else [part.strip().strip(_QUOTES) for part in match[1].split(".")]


def line_of(document: Document, place: Place) -> tuple[int, int]:
    """Where the line of *place* begins and ends."""
    lines = document.lines
    return lines.starts[place.line - 1], lines.end(place.line)
