"""TOML 1.1: values from tomli, places from a scan of our own.

tomli gives no places at all, not even for what it accepts.
"""

from __future__ import annotations

import math
import re
from typing import Any

import tomli

from fsmc.source.reading import INTEGERS, Problems, Unreadable, quoted
from fsmc.source.toml_scan import Conflict, scan
from fsmc.source.tree import Lines, MappingNode, Place, SequenceNode, Value

_LONG_INTEGER = re.compile(r"[0-9][0-9_]{4000}")
_TWO_CHARACTERS = re.compile(r"\r\n")
# How tomli's messages about a key or table that is there already begin.
_REPEATED = (
    "Cannot declare",
    "Cannot mutate",
    "Cannot overwrite",
    "Cannot redefine",
    "Duplicate inline",
)
_WORDINGS = (
    ("Expected '='", 'a "=" must follow the key', "write key = value"),
    ("Invalid value", "no value can be written like this", "text stands in quotes"),
    ("Unclosed array", 'a "," or "]" must stand here', "close the list, or add the comma"),
    ("Unclosed inline", 'a "," or "}" must stand here', "close the table, or add the comma"),
    ("Unterminated", "this string is never closed", "add the closing quote"),
    ("Unescaped", "this backslash escape is unknown", "write \\\\, or use single quotes"),
    ("Invalid hex", "this escape lacks hexadecimal digits", "write \\\\, or use single quotes"),
    ("Escaped character", "this escape is half of a character", "write the character itself"),
    ("Invalid date", "this date or time does not exist", "put it in quotes to mean the text"),
    ("Invalid statement", "a line starts with a key, a [table] or a #", "put odd keys in quotes"),
    ("Invalid initial", "a key must stand here", "put a key with odd characters in quotes"),
    (
        "Expected newline",
        "the value ends before this, and nothing may follow it on its line",
        "start a new line, or put the value in quotes",
    ),
    ("Expected ']", "the table's name is not closed", 'close [name with "]" and [[name with "]]"'),
    ("Illegal character", "this character cannot stand here", "write it as an escape in quotes"),
    ("Found invalid", "this character cannot stand here", "remove it"),
)


def build(lines: Lines, problems: Problems) -> Value:
    """The table that the text is; notes what is wrong with it in `problems`."""
    # The scan comes first, because it bounds the depth of what tomli and `_fill` go down into.
    root, conflicts = scan(lines, problems)
    try:
        values = tomli.loads(lines.text)
    except tomli.TOMLDecodeError as error:
        raise _explain(error, conflicts, problems) from None
    except RecursionError:
        raise problems.too_deep(0) from None
    except ValueError:
        # Python does not read an integer of thousands of digits.
        match = _LONG_INTEGER.search(lines.text)
        problems.big_integer(match.start() if match else 0)
        raise Unreadable from None
    _Filler(lines, problems).mapping(root, values)
    return root


class _Filler:
    """Puts the scalars that tomli has read into the tree that the scan has built."""

    def __init__(self, lines: Lines, problems: Problems) -> None:
        self.lines = lines
        self.problems = problems

    def mapping(self, node: MappingNode, values: dict[str, Any]) -> None:
        """Fill a table and all below it."""
        for key, value in values.items():
            kind = type(value)
            if kind is dict or kind is list:
                self.container(node[key], value)
            elif kind is str or kind is bool:
                node[key] = value
            else:
                node[key] = self.scalar(value, node.value_place(key))

    def sequence(self, node: SequenceNode, values: list[Any]) -> None:
        """Fill an array and all below it."""
        for index, value in enumerate(values):
            kind = type(value)
            if kind is dict or kind is list:
                self.container(node[index], value)
            elif kind is str or kind is bool:
                node[index] = value
            else:
                node[index] = self.scalar(value, node.value_place(index))

    def container(self, node: Value, values: Any) -> None:
        """Fill what is a table or an array."""
        if isinstance(node, MappingNode):
            self.mapping(node, values)
        elif isinstance(node, SequenceNode):
            self.sequence(node, values)

    def scalar(self, value: Any, place: Place) -> Value:
        """A number; or the text of what a policy cannot hold, with a problem."""
        if isinstance(value, int) and value in INTEGERS:
            return value
        if isinstance(value, float) and math.isfinite(value):
            return value
        from fsmc.source.span import token  # only a mistake pays for the import

        offset = self.lines.offset(place)
        text = token(self.lines, offset, "toml")
        if isinstance(value, int):
            self.problems.big_integer(offset)
        elif isinstance(value, float):
            self.problems.special_float(text, offset)
        else:
            text = value.isoformat()
            message = "a policy holds no dates or times, because JSON has none"
            self.problems.add("unsupported-value", offset, message, f"write {quoted(text)}")
        return text


def _explain(error: tomli.TOMLDecodeError, conflicts: list[Conflict], problems: Problems) -> Unreadable:
    """Note what tomli refuses; for `raise _explain(...)`."""
    text = problems.lines.text
    offset = error.pos
    # tomli counts a line end of two characters as one.
    for match in _TWO_CHARACTERS.finditer(text):
        if match.start() >= offset:
            break
        offset += 1
    if error.msg.startswith(_REPEATED):
        for conflict in conflicts:
            problems.duplicate(conflict.key, conflict.first, conflict.second)
        if not conflicts:
            message = "this key or table is defined a second time, or was closed before"
            hint = "write everything about a table in one place"
            problems.add("duplicate-key", offset, message, hint)
        return Unreadable()
    if text[offset : offset + 1] in ("\n", "\r") and error.msg.startswith("Illegal"):
        message = "the string is not closed on its line"
        hint = "add the closing quote, or use three quotes around several lines"
        return problems.fatal("syntax-error", offset, message, hint)
    for beginning, message, hint in _WORDINGS:
        if error.msg.startswith(beginning):
            return problems.fatal("syntax-error", offset, message, hint)
    return problems.fatal("syntax-error", offset, "this is not valid TOML")
