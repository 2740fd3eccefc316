"""How long the token at a place is, so that a caret can cover it."""

from __future__ import annotations

import re

from fsmc.source.tree import Format, Lines

_DOUBLE_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"?'
_QUOTED_PARTS = re.compile(_DOUBLE_QUOTED + r"|'[^']*'?")
# How much of a line is looked at, before a place and behind it: a line can be the whole file.
_REACH = 1_000
_LINES_ABOVE = 20
_TOKENS = {
    "json": re.compile(_DOUBLE_QUOTED + r'|[\[\]{},:]|[^\s,:\[\]{}"]+'),
    # A bare key ends at a dot, a number goes on.
    "toml": re.compile(
        r'"{3}.*?"{3,5}|"{3}.*|' + r"'{3}.*?'{3,5}|'{3}.*|" + _DOUBLE_QUOTED + r"|'[^']*'?"
        r"|[\[\]{},=]|[-+0-9][\w.:+-]*|[^\s,=\[\]{}#.]+"
    ),
}
_BRACKETS = re.compile(r"[\[\]{}]")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_YAML_SPECIAL = _DOUBLE_QUOTED + r"|'[^']*(?:''[^']*)*'?|[\[\]{},]|[-?:](?=\s|$)|[|>][-+0-9]*|[&*!][^\s,\]}]*"
_YAML_BLOCK = re.compile(_YAML_SPECIAL + r"|.+?(?=:(?:\s|$)|\s#|$)")
_YAML_FLOW = re.compile(_YAML_SPECIAL + r"|.+?(?=:(?:[\s,\[\]{}]|$)|\s#|[,\[\]{}]|$)")


def token_length(lines: Lines, offset: int, format: Format) -> int:
    """The length of the token at `offset`: at least 1, never beyond the end of its line nor more than a caret needs."""
    number = lines.place(offset).line
    rest = lines.text[offset : min(lines.end(number), offset + _REACH)]
    if format == "yaml":
        pattern = _YAML_FLOW if _in_flow(lines, offset, number) else _YAML_BLOCK
    else:
        pattern = _TOKENS[format]
    match = pattern.match(rest)
    return max(1, len(match.group().rstrip())) if match else 1


def token(lines: Lines, offset: int, format: Format) -> str:
    """The token at `offset` as the text has it."""
    return lines.text[offset : offset + token_length(lines, offset, format)]


def _in_flow(lines: Lines, offset: int, number: int) -> bool:
    """Whether the place seems to lie inside [...] or {...}, judged by the lines just before it.

    Parsing up to the place would be exact, and far too slow for every finding of a large file.
    """
    start = lines.starts[number - 1]
    opened = 0
    for bracket in _BRACKETS.findall(_QUOTED_PARTS.sub("", lines.text[max(start, offset - _REACH) : offset])):
        opened = opened + 1 if bracket in "[{" else max(opened - 1, 0)
    if opened or offset - start > _REACH:  # a line that long is written by a program, in brackets
        return True
    first = max(number - _LINES_ABOVE, 1)
    while number > first:
        number -= 1
        end = lines.end(number)
        above = lines.text[max(lines.starts[number - 1], end - _REACH) : end]
        above = _COMMENT.sub("", above).rstrip()
        if above:
            return above[-1] in ",[{"
    return False
