"""Plain terminal output: colours where they are wanted, and nothing raw from a file that a terminal might obey."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "good": "32",
    "strong": "1",
    "frame": "34",
    "dim": "2",
}


def wants_color(stream: Any, environ: Mapping[str, str]) -> bool:
    """Whether to write colours to *stream*: ``NO_COLOR`` and ``FORCE_COLOR`` decide, else whether it is a terminal."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR") not in (None, "", "0"):
        return True
    return environ.get("TERM") != "dumb" and bool(stream.isatty())


def paint(text: str, style: str, color: bool) -> str:
    """*text* in a style of this module, or as it is."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if color else text


def printable(text: str) -> str:
    """*text* on one line, with escapes for control characters and for what is invisible or turns the reading direction."""
    if text.isprintable():
        return text
    return "".join(map(shown_character, text))


def shown_character(character: str) -> str:
    """One character as a terminal may get it; a tab is one space."""
    if character.isprintable():
        return character
    return " " if character == "\t" else ascii(character)[1:-1]


def width(text: str) -> int:
    """How many columns printable *text* takes."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    columns = 0
    for character in text:
        if category(character) not in ("Mn", "Me"):
            columns += 2 if east_asian_width(character) in "WF" else 1
    return columns


def wrapped(text: str, columns: int | None, indent: int) -> list[str]:
    """*text* in lines of at most *columns*, broken at spaces only, all but the first indented; one line without *columns*.

    A word that is longer stays whole.
    """
    if columns is None or width(text) <= columns:
        return [text]
    margin = len(text) - len(text.lstrip(" "))
    lines = [text[:margin]]
    used, started = margin, False
    for word in text[margin:].split(" "):
        size = width(word)
        if started and used + 1 + size > columns:
            lines.append(" " * indent + word)
            used = indent + size
        else:
            lines[-1] += f" {word}" if started else word
            used += size + started
        started = True
    return [line.rstrip() for line in lines]
