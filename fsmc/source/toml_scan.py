"""Where every table, key and value of a TOML text stands.

The scan builds the tree without the scalars, whose values tomli reads. It is lenient: a line that
makes no sense is skipped, because tomli will refuse the text and say why.
"""

from __future__ import annotations

import re
from array import array

import tomli

from fsmc.runtime.annotations import NamedTuple
from fsmc.source.reading import MAX_DEPTH, MAX_PROBLEMS, Cursor, Problems
from fsmc.source.tree import Lines, MappingNode, SequenceNode, Value

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_KEY = re.compile(r"""[ \t]*(?:([A-Za-z0-9_-]+)|("[^"\\\n]*(?:\\.[^"\\\n]*)*")|'([^'\n]*)')[ \t]*""")
# After so many statements without sense tomli has refused the text long since, and nothing behind them matters.
_MAX_LOST = 1_000
# The groups of a key in double and in single quotes.
_BASIC, _LITERAL = 2, 3
# Each alternative is an unrolled loop: no text makes it go back over what it has read.
_SCALAR = re.compile(
    r'''"""[^"\\]*(?:(?:\\[\s\S]|""?(?!"))[^"\\]*)*"{3,5}'''
    r"""|'''[^']*(?:''?(?!')[^']*)*'{3,5}"""
    r"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*'"""
    r"""|[0-9]{4}-[0-9]{2}-[0-9]{2}[ ][0-9][^\s,\[\]{}#]*|[^\s,\[\]{}#"'=]+"""
)


class Conflict(NamedTuple):
    """A key written where its table already has it, as offsets of both."""

    key: str
    first: int
    second: int


class _Lost(Exception):
    """The statement makes no sense to the scan."""


def scan(lines: Lines, problems: Problems) -> tuple[MappingNode, list[Conflict]]:
    """The tree of the text with None for every scalar, and the keys that are there twice."""
    scanner = _Scanner(lines, problems)
    scanner.run()
    return scanner.root, scanner.conflicts


class _Scanner(Cursor):
    """Walks over the text once."""

    def __init__(self, lines: Lines, problems: Problems) -> None:
        super().__init__(lines, problems)
        self.root = self.mapping(0)
        self.conflicts: list[Conflict] = []
        # Tables that a header or a dotted key has defined; no header may name them again.
        self.defined: set[int] = set()

    def run(self) -> None:
        """Read all statements."""
        table, level = self.root, 1
        lost = 0
        while lost < _MAX_LOST:
            self.skip(_BLANK)
            if self.position == len(self.text):
                return
            try:
                if self.text[self.position] == "[":
                    table, level = self.header()
                else:
                    self.entry(table, level)
                self.skip(_REST)
            except _Lost:
                lost += 1
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Go behind what must stand here."""
        match = pattern.match(self.text, self.position)
        if match is None:
            raise _Lost
        self.position = match.end()

    def header(self) -> tuple[MappingNode, int]:
        """The table that a [header] or [[header]] opens, and its level."""
        start = self.position
        is_array = self.text.startswith("[[", start)
        self.position += 1 + is_array
        *path, (last, last_offset) = self.keys()
        close = "]]" if is_array else "]"
        if not self.text.startswith(close, self.position):
            raise _Lost
        self.position += len(close)
        node, level = self.root, 1
        for key, offset in path:
            node, level = self.below(node, key, offset, level)
        self.check(level + 1 + is_array, start)
        table = self.mapping(start)
        if is_array:
            if last not in node:
                tables = SequenceNode((), array("I", (start,)), self.lines)
                node.put(last, tables, last_offset, start)
            items = node[last]
            if isinstance(items, SequenceNode):
                items.put(table, start)
            else:
                self.conflict(node, last, last_offset)
        elif last not in node:
            node.put(last, table, last_offset, start)
        else:
            known = node[last]
            if isinstance(known, MappingNode) and id(known) not in self.defined:
                table = known
            else:
                self.conflict(node, last, last_offset)
        self.defined.add(id(table))
        return table, level + 1 + is_array

    def entry(self, table: MappingNode, level: int) -> None:
        """Read `key = value` into a table."""
        *path, (last, offset) = self.keys()
        if not self.text.startswith("=", self.position):
            raise _Lost
        self.position += 1
        self.skip(_SPACE)
        for key, key_offset in path:
            table, level = self.below(table, key, key_offset, level)
            self.defined.add(id(table))
        start = self.position
        value = self.value(level)
        if last in table:
            self.conflict(table, last, offset)
        else:
            table.put(last, value, offset, start)

    def keys(self) -> list[tuple[str, int]]:
        """The parts of a dotted key with their offsets."""
        parts: list[tuple[str, int]] = []
        while True:
            match = _KEY.match(self.text, self.position)
            if match is None or match.lastindex is None:
                raise _Lost
            key, start = match[match.lastindex], match.start(match.lastindex)
            if match.lastindex == _BASIC:
                key = _unquoted(key)
            elif match.lastindex == _LITERAL:
                start -= 1
            self.check(len(parts), start)
            parts.append((key, start))
            self.position = match.end()
            if not self.text.startswith(".", self.position):
                return parts
            self.position += 1

    def below(self, node: MappingNode, key: str, offset: int, level: int) -> tuple[MappingNode, int]:
        """The table under `key`, made if need be, and its level."""
        if key not in node:
            node.put(key, self.mapping(offset), offset, offset)
        child = node[key]
        if isinstance(child, SequenceNode):
            child = child[-1] if child else None
            level += 1
        if not isinstance(child, MappingNode):
            self.conflict(node, key, offset)
            child = self.mapping(offset)
        self.check(level + 1, offset)
        return child, level + 1

    def value(self, level: int) -> Value:
        """The value that starts here, inside a container of `level`; None for a scalar."""
        self.count()
        first = self.text[self.position : self.position + 1]
        if first in ("[", "{"):
            self.check(level + 1, self.position)
            return self.array(level + 1) if first == "[" else self.inline_table(level + 1)
        self.skip(_SCALAR)
        return None

    def array(self, level: int) -> SequenceNode:
        """The array that starts here."""
        node = SequenceNode((), array("I", (self.position,)), self.lines)
        self.position += 1
        while not self.ends("]"):
            start = self.position
            node.put(self.value(level), start)
            self.separator("]")
        return node

    def inline_table(self, level: int) -> MappingNode:
        """The inline table that starts here."""
        node = self.mapping(self.position)
        self.defined.add(id(node))
        self.position += 1
        while not self.ends("}"):
            self.entry(node, level)
            self.separator("}")
        return node

    def ends(self, close: str) -> bool:
        """Whether the bracket closes here, before another item; if so, goes behind it."""
        self.skip(_BLANK)
        if self.text.startswith(close, self.position):
            self.position += 1
            return True
        return False

    def separator(self, close: str) -> None:
        """Go behind the comma after an item, or to the closing bracket."""
        self.skip(_BLANK)
        if self.text.startswith(",", self.position):
            self.position += 1
        elif not self.text.startswith(close, self.position):
            raise _Lost

    def mapping(self, offset: int) -> MappingNode:
        """A new table that starts at `offset`."""
        self.count()
        return MappingNode((), array("I", (offset,)), self.lines)

    def check(self, level: int, offset: int) -> None:
        """Refuse what is nested too deep."""
        if level > MAX_DEPTH:
            raise self.problems.too_deep(offset)

    def conflict(self, node: MappingNode, key: str, offset: int) -> None:
        """Note that `key` is in its table already."""
        if len(self.conflicts) < MAX_PROBLEMS:
            first = self.lines.offset(node.key_place(key))
            self.conflicts.append(Conflict(key, first, offset))


def _unquoted(key: str) -> str:
    if "\\" not in key:
        return key[1:-1]
    try:
        text: str = tomli.loads(f"key = {key}")["key"]
    except tomli.TOMLDecodeError:
        raise _Lost from None
    return text
