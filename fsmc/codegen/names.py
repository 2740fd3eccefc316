"""Identifiers for whatever a policy calls its things, and its names as string literals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import ucd_3_2_0 as _UNICODE

# Long enough for what people write, short enough for a line.
_MAX_LENGTH = 48


class Identifiers:
    """Gives out identifiers, each only once, and none of those that are *taken*."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def make(self, text: str, fallback: str, ending: str = "") -> str:
        """``get_user`` becomes ``GetUser``; *fallback* stands for a text without letters of ASCII. With *ending* at the end."""
        words = re.findall("[A-Za-z0-9]+", text)
        stem = "".join(word[0].upper() + word[1:] for word in words)[:_MAX_LENGTH]
        if not stem or stem[0].isdigit():
            stem = fallback + stem
        wanted = found = stem + ending
        while found in self._taken:
            number = self._next[wanted] = self._next.get(wanted, 1) + 1
            found = f"{wanted}{number}"
        self._taken.add(found)
        return found


def python_string(text: str) -> str:
    """*text* as a Python literal, with the quotes that a formatter would choose.

    Characters beyond U+FFFF stay as they are, seen or not: pyright reads only four digits of ``\\U``.
    """
    return _literal(text, "'" if text.count('"') > text.count("'") else '"', "{:c}")


def typescript_string(text: str) -> str:
    """*text* as a TypeScript literal."""
    return _literal(text, '"', "\\u{{{:x}}}")


def in_comment(literal: str) -> str:
    """A literal that can stand in a comment: a second ``#`` would start a directive for a tool."""
    return literal.replace("#", "\\x23")


def width(text: str) -> int:
    """How many columns *text* takes on a screen."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _literal(text: str, quote: str, far: str) -> str:
    return quote + "".join(_escaped(character, quote, far) for character in text) + quote


def _escaped(character: str, quote: str, far: str) -> str:
    if character in (quote, "\\"):
        return "\\" + character
    if _is_seen(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else far.format(code)


def _is_seen(character: str) -> bool:
    """Whether a screen shows the character for what it is. Decided on an old Unicode, which is the same in every Python."""
    return " " <= character <= "~" or _is_picture(character) or _UNICODE.category(character)[0] in "LMNPS"


def _is_picture(character: str) -> bool:
    return "\U0001f300" <= character <= "\U0001faff"


def _columns(character: str) -> int:
    if _is_picture(character) or _UNICODE.east_asian_width(character) in "WF":
        return 2
    return 0 if _UNICODE.category(character) in ("Mn", "Me") else 1
