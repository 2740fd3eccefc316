"""Plain data that knows where it was written, and what a reader met on the way.

Mappings and sequences are `dict` and `list`, so code downstream treats them as data and asks for
a place only when it has something to say. A node stores character offsets, four bytes each; line
and column are worked out when somebody asks.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Literal, TypeAlias

from fsmc.runtime.annotations import NamedTuple

Format: TypeAlias = Literal["yaml", "toml", "json"]
Code: TypeAlias = Literal[
    "syntax-error", "duplicate-key", "unsupported-value", "too-large", "encoding-error", "not-a-policy"
]
NoteCode: TypeAlias = Literal["ambiguous-scalar", "byte-order-mark"]

_LINE_END = re.compile(r"\r\n|\n|\r")


class Place(NamedTuple):
    """A line and a column, both counted from 1; columns count characters, not bytes."""

    line: int
    column: int


class Problem(NamedTuple):
    """One thing that is wrong with the text, for a person to read."""

    code: Code
    message: str
    place: Place
    hint: str | None = None
    related: tuple[tuple[Place, str], ...] = ()


class Note(NamedTuple):
    """One thing about the text that is worth knowing, though nothing is wrong here."""

    code: NoteCode
    message: str
    place: Place
    hint: str


class Lines:
    """A text and the offsets at which its lines start.

    A line ends with a line feed, a carriage return, or both; nothing else ends one.
    """

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: array[int] | None = None

    @property
    def starts(self) -> array[int]:
        """The offset of every line's first character."""
        if self._starts is None:
            self._starts = array("I", [0])
            if "\r" in self.text:
                self._starts.extend(match.end() for match in _LINE_END.finditer(self.text))
            else:  # the same, several times as fast
                *lines, _ = self.text.split("\n")
                self._starts.extend(accumulate(map((1).__add__, map(len, lines))))
        return self._starts

    def place(self, offset: int) -> Place:
        """The place of the character at `offset`."""
        line = bisect_right(self.starts, offset)
        return Place(line, offset - self.starts[line - 1] + 1)

    def offset(self, place: Place) -> int:
        """The offset of `place`; a place outside the text gives the nearest one inside."""
        line = min(max(place.line, 1), len(self.starts))
        return min(self.starts[line - 1] + max(place.column, 1) - 1, self.end(line))

    def end(self, line: int) -> int:
        """The offset just behind the last character of a line, before its line end."""
        if line >= len(self.starts):
            return len(self.text)
        end = self.starts[line] - 1
        return end - 1 if self.text[end] == "\n" and self.text[end - 1 : end] == "\r" else end


class MappingNode(dict[str, Any]):
    """A mapping that knows the place of itself, of each key and of each value."""

    __slots__ = ("_index", "_lines", "_offsets")

    def __init__(self, items: Iterable[tuple[str, Value]], offsets: array[int], lines: Lines) -> None:
        """`offsets`: of the mapping, then of key and value in turn, in the order of `items`."""
        super().__init__(items)
        self._offsets = offsets
        self._lines = lines
        self._index: dict[str, int] | None = None

    @property
    def place(self) -> Place:
        """Where the mapping starts."""
        return self._lines.place(self._offsets[0])

    def key_place(self, key: str) -> Place:
        """Where `key` is written; KeyError when the mapping lacks it."""
        return self._lines.place(self._offsets[self._position(key)])

    def value_place(self, key: str) -> Place:
        """Where the value of `key` starts; KeyError when the mapping lacks it."""
        return self._lines.place(self._offsets[self._position(key) + 1])

    def entries(self) -> Iterator[tuple[str, Value, int, int]]:
        """Each key and value with their offsets in the text."""
        pairs = iter(self._offsets[1:])
        for (key, value), start, value_start in zip(self.items(), pairs, pairs, strict=True):
            yield key, value, start, value_start

    def put(self, key: str, value: Value, key_offset: int, value_offset: int) -> None:
        """Add a new entry; only for a reader that is still building the mapping."""
        self[key] = value
        if self._index is not None:
            self._index[key] = len(self._offsets)
        self._offsets.append(key_offset)
        self._offsets.append(value_offset)

    def _position(self, key: str) -> int:
        # Built once, so that asking for every place of a large mapping stays linear.
        if self._index is None:
            self._index = {name: 2 * number + 1 for number, name in enumerate(self)}
        return self._index[key]


class SequenceNode(list[Any]):
    """A sequence that knows the place of itself and of each item."""

    __slots__ = ("_lines", "_offsets")

    def __init__(self, items: Iterable[Value], offsets: array[int], lines: Lines) -> None:
        """`offsets`: of the sequence, then of each item."""
        super().__init__(items)
        self._offsets = offsets
        self._lines = lines

    @property
    def place(self) -> Place:
        """Where the sequence starts."""
        return self._lines.place(self._offsets[0])

    def value_place(self, index: int) -> Place:
        """Where the item at `index` starts; IndexError when there is none."""
        return self._lines.place(self._offsets[range(1, len(self._offsets))[index]])

    def entries(self) -> Iterator[tuple[Value, int]]:
        """Each item with its offset in the text."""
        return zip(self, self._offsets[1:], strict=True)

    def put(self, value: Value, offset: int) -> None:
        """Add an item; only for a reader that is still building the sequence."""
        self.append(value)
        self._offsets.append(offset)


Value: TypeAlias = "str | int | float | bool | MappingNode | SequenceNode | None"


class Document:
    """One policy file as read: its text, its data, and the problems met on the way."""

    __slots__ = ("_last", "format", "lines", "notes", "path", "problems", "root")

    def __init__(
        self,
        path: str,
        format: Format,
        lines: Lines,
        root: Value,
        problems: tuple[Problem, ...],
        notes: tuple[Note, ...] = (),
    ) -> None:
        """`root` is None when the text could not be read to its end; `problems` says why."""
        self.path = path
        self.format = format
        self.lines = lines
        self.root = root
        self.problems = problems
        self.notes = notes
        # The line asked for last: many findings may stand on one, and that one may be the whole file.
        self._last = (0, "")

    @property
    def text(self) -> str:
        """The text without a byte order mark, its line ends as found."""
        return self.lines.text

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its line end; "" outside the text."""
        if not 1 <= number <= len(self.lines.starts):
            return ""
        if self._last[0] != number:
            self._last = (number, self.text[self.lines.starts[number - 1] : self.lines.end(number)])
        return self._last[1]

    def place_in_scalar(self, place: Place, value: str, offset: int) -> Place:
        """The place of character `offset` of the string `value`, which starts at `place`.

        `place` itself when the text does not show the string literally: it has escapes, is folded
        over lines, or stands elsewhere behind an alias.
        """
        start = self.lines.offset(place)
        for quote in ("", '"', "'", '"""', "'''"):
            content = start + len(quote)
            literal = self.text.startswith(quote + value, start)
            if literal and self.text.startswith(quote, content + len(value)):
                return self.lines.place(content + offset)
        return place

    def token_length(self, place: Place) -> int:
        """How many characters a caret under `place` should cover, within its line.

        At least 1: at the end of a line, where an empty value stands, a caret still shows.
        """
        # Imported here because only a document with something to report needs it.
        from fsmc.source.span import token_length

        return token_length(self.lines, self.lines.offset(place), self.format)
