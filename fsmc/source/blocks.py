"""What begins on a line, and how far it goes: an entry of a mapping or an item of a list, with all that is below it."""

from __future__ import annotations

from bisect import bisect_left

from fsmc.runtime.annotations import NamedTuple
from fsmc.source.tree import Document, MappingNode, SequenceNode, Value


class _Start(NamedTuple):
    """Where an entry, an item or a value starts; those of what is below it have the numbers up to *last*."""

    offset: int
    number: int
    last: int


class Blocks:
    """The blocks of a document; found in one walk over it, when the first is asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text
        self._starts: list[_Start] = []
        self._seen: set[int] = set()
        self._keys: set[int] = set()
        self._count = 0
        self._known: dict[int, tuple[int, int] | None] = {}

    def at(self, line: int) -> tuple[int, int] | None:
        """The offsets from the start of what begins on a line to the start of what follows it; None where nothing begins.

        Where several things begin, the outermost of those that begin first counts; a mapping or a list counts as its first
        entry, unless it is written in brackets.
        """
        if line not in self._known:
            self._known[line] = self._find(line)
        return self._known[line]

    def _find(self, line: int) -> tuple[int, int] | None:
        if not self._starts:
            self._walk(self._document.root)
            self._starts.sort()
        lines = self._document.lines
        if not 1 <= line <= len(lines.starts):
            return None
        here = bisect_left(self._starts, (lines.starts[line - 1],))
        if here == len(self._starts) or self._starts[here].offset > lines.end(line):
            return None
        first = self._starts[here]
        for number in range(here + 1, len(self._starts)):
            after = self._starts[number]
            if not first.number < after.number <= first.last:
                return first.offset, after.offset
        return first.offset, len(self._text)

    def _walk(self, node: Value) -> None:
        """Note the starts of everything below *node*, in the order of the text, and nothing twice.

        What an alias or a merge repeats is written elsewhere, and before it.
        """
        if not isinstance(node, MappingNode | SequenceNode) or id(node) in self._seen:
            return
        self._seen.add(id(node))
        if isinstance(node, MappingNode):
            for _, value, key_offset, value_offset in sorted(node.entries(), key=lambda entry: entry[2]):
                if key_offset not in self._keys:
                    self._keys.add(key_offset)
                    self._entry(value, key_offset, value_offset)
        else:
            dash = self._dash_column(node)
            for value, offset in node.entries():
                self._below(value, offset if dash is None else self._dash(offset, dash))

    def _entry(self, value: Value, key_offset: int, value_offset: int) -> None:
        opening = self._text[value_offset : value_offset + 1]
        if self._document.format == "toml":
            if isinstance(value, MappingNode) and opening == "[":  # a table starts with its header
                return self._below(value, value_offset)
            if isinstance(value, MappingNode) and opening != "{":  # only named on the way to another table
                return self._walk(value)
            if isinstance(value, SequenceNode) and value and value.value_place(0) == value.place:
                return self._walk(value)  # tables with headers: each is an item
        block = isinstance(value, MappingNode | SequenceNode) and opening not in ("[", "{")
        return self._below(value, key_offset) if block else self._below(value, key_offset, value_offset)

    def _below(self, value: Value, *offsets: int) -> None:
        """Note what starts at *offsets*, one inside the other, and all that is below it."""
        first = self._count
        self._count += len(offsets)
        self._walk(value)
        self._starts += [_Start(offset, first + depth, self._count - 1) for depth, offset in enumerate(offsets)]

    def _dash_column(self, node: SequenceNode) -> int | None:
        """The column of the dashes of a list in block style; None for one in brackets."""
        if self._document.format != "yaml" or self._text[self._document.lines.offset(node.place)] != "-":
            return None
        return node.place.column

    def _dash(self, offset: int, column: int) -> int:
        """The dash of the item at *offset*: on its line, or above where a comment or an anchor stands between."""
        lines = self._document.lines
        number = lines.place(offset).line
        while number > 1 and self._text[lines.starts[number - 1] + column - 1 : lines.end(number)][:1] != "-":
            number -= 1
        return lines.starts[number - 1] + column - 1
