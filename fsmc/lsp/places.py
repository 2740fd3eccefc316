"""Offsets of a document as positions of the protocol, whose columns count UTF-16 units unless both sides agree on others."""

from __future__ import annotations

from lsprotocol.types import Position, PositionEncodingKind, Range

from fsmc.source.tree import Lines, Place

_UNITS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class Places:
    """Positions in the text of one document. *marked* says that the editor's text has a byte order mark, ours never has."""

    def __init__(self, lines: Lines, encoding: PositionEncodingKind | str, marked: bool = False) -> None:
        self._lines = lines
        self._codec, self._size = _UNITS[PositionEncodingKind(encoding)]
        self._mark = len("\ufeff".encode(self._codec)) // self._size if marked else 0

    def position(self, offset: int) -> Position:
        """Where the character at *offset* is."""
        line = self._lines.place(offset).line
        before = self._lines.text[self._lines.starts[line - 1] : offset]
        return Position(line - 1, self._units(before) + (self._mark if line == 1 else 0))

    def range(self, start: int, end: int) -> Range:
        """From *start* to *end*."""
        return Range(self.position(start), self.position(end))

    def range_at(self, place: Place, length: int) -> Range:
        """*length* characters from *place* on."""
        start = self._lines.offset(place)
        return self.range(start, min(start + length, len(self._lines.text)))

    def offset(self, position: Position) -> int:
        """The offset of *position*; the end of its line where it lies behind it."""
        line = min(position.line + 1, len(self._lines.starts))
        start, end = self._lines.starts[line - 1], self._lines.end(line)
        units = max(position.character - (self._mark if line == 1 else 0), 0)
        text = self._lines.text[start:end].encode(self._codec, "surrogatepass")
        return start + len(text[: units * self._size].decode(self._codec, "ignore"))

    def _units(self, text: str) -> int:
        return len(text.encode(self._codec, "surrogatepass")) // self._size
