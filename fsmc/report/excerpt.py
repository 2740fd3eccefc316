"""A numbered line of source with a caret under a token, whatever the line holds."""

from __future__ import annotations

from collections.abc import Sequence

from fsmc.report.style import shown_character, width

MAX_WIDTH = 120
_CUT = "..."


def excerpt(line: str, column: int, length: int, room: int = MAX_WIDTH) -> tuple[str, str]:
    """The line as it may be printed, at most *room* columns, and the carets to print below it."""
    start = min(max(column, 1) - 1, len(line))
    end = max(start + 1, min(start + length, len(line)))
    # Escapes and wide characters take more columns than one, so everything below is counted in columns.
    first, last = _window(line, start, room)
    head = _CUT if first else ""
    tail = _CUT if last < len(line) else ""
    shown = [shown_character(character) for character in line[first:last]]
    offset = width(head) + width("".join(shown[: start - first]))
    covered = width("".join(shown[start - first : end - first]))
    return head + "".join(shown) + tail, " " * offset + "^" * max(1, covered)


def _window(line: str, start: int, columns: int) -> tuple[int, int]:
    """The part of *line* to show in so many *columns*: all of it, or what fits around *start*."""
    # A line of more characters may still fit, where they take no columns; then it is clipped all the same.
    if len(line) <= columns and width("".join(map(shown_character, line))) <= columns:
        return 0, len(line)
    first = _fit_backwards(line, start, columns * 5 // 12)
    if first <= len(_CUT):
        first = 0
    room = columns - (len(_CUT) if first else 0) - len(_CUT)
    last, used = first, 0
    while last < len(line):
        used += width(shown_character(line[last]))
        if used > room:
            break
        last += 1
    return first, last


def _fit_backwards(line: str, end: int, room: int) -> int:
    first = end
    while first > 0 and room > 0:
        first -= 1
        room -= width(shown_character(line[first]))
    return first


def gutter(numbers: Sequence[int]) -> int:
    """How wide the column of line numbers must be."""
    return max(map(len, map(str, numbers)), default=1)
