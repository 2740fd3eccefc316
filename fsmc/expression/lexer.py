"""Text to tokens, one at a time, with the offsets of each."""

from __future__ import annotations

import re
from math import isinf
from typing import NoReturn

from fsmc.expression.errors import ExpressionError
from fsmc.runtime.annotations import NamedTuple


class Token(NamedTuple):
    """A piece of text: `kind` is `name`, `int`, `double`, `string`, `end`, or the symbol itself."""

    kind: str
    text: str
    start: int
    end: int
    value: str | int | float | None = None


_SPACE = re.compile(r"[ \t\r\n\f]*")
_NAME = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
_NUMBER = re.compile(
    r"(?P<hex>0x[0-9a-fA-F]+)"
    r"|(?P<double>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<int>[0-9]+)"
)
_SYMBOL = re.compile(r"&&|\|\||==|!=|<=|>=|[<>!?:+\-*.,()\[\]}]")
_QUOTED = re.compile(r"([rR]?)(\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*')")
_RAW = re.compile(r"[rR](\"[^\"\r\n]*\"|'[^'\r\n]*')")
_OPENS_STRING = re.compile(r"(?P<prefix>[rRbB]{0,2})(?P<quote>\"\"\"|'''|\"|')")
_ESCAPE = re.compile(
    r"\\(?:[xX](?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-3][0-7]{2})|(?P<plain>[abfnrtv\\?\"'`])|(?P<wrong>.?))",
    re.DOTALL,
)
_PLAIN = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))

_TYPOGRAPHIC_QUOTES = "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"

# Longest first: what people write by habit, and what to write instead.
_FOREIGN = (
    ("===", "`===` is not an operator", "write `==`"),
    ("!==", "`!==` is not an operator", "write `!=`"),
    ("//", "comments have no place in an expression", "put them next to it in the policy"),
    ("**", "`**` is not an operator", None),
    ("<>", "`<>` is not an operator", "write `!=`"),
    ("=~", "regular expressions are not part of the policy language", None),
    ("=>", "`=>` is not an operator", "did you mean `>=`?"),
    ("=<", "`=<` is not an operator", "did you mean `<=`?"),
    ("??", "`??` is not an operator", "write `has(x.y) ? x.y : other`"),
    ("?.", "`?.` is not an operator", "write `has(x.y) && x.y ...`"),
    (".?", "optional fields are not part of the policy language", "ask with `has(x.y)`"),
    ("=", "`=` is not an operator", "did you mean `==`?"),
    ("&", "`&` is not an operator", "did you mean `&&`?"),
    ("|", "`|` is not an operator", "did you mean `||`?"),
    ("/", "division (`/`) is not part of the policy language", "multiply the other side"),
    ("%", "the remainder (`%`) is not part of the policy language", None),
    ("{", "map literals (`{`) are not part of the policy language", None),
    ("#", "comments have no place in an expression", "put them next to it in the policy"),
    ("`", "backticks are not part of the policy language", 'write x["name"]'),
    (";", "an expression is one value: `;` has no meaning", None),
)


def next_token(text: str, position: int) -> Token:
    """The token at or after a position; raises `ExpressionError` where there is none."""
    start = _matched(_SPACE, text, position)
    if start == len(text):
        return Token("end", "", start, start)
    opening = _OPENS_STRING.match(text, start)
    if opening:
        return _string(text, start, opening)
    symbol = _SYMBOL.match(text, start)
    own = len(symbol.group()) if symbol else 0
    for foreign, message, hint in _FOREIGN:
        if len(foreign) > own and text.startswith(foreign, start):
            raise ExpressionError(message, start, len(foreign), hint)
    match = _NAME.match(text, start)
    if match:
        return Token("name", match.group(), start, match.end())
    match = _NUMBER.match(text, start)
    if match:
        return _number(text, match)
    if symbol:
        return Token(symbol.group(), symbol.group(), start, symbol.end())
    _refuse_character(text[start], start)


def _matched(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _refuse_character(character: str, start: int) -> NoReturn:
    if character in _TYPOGRAPHIC_QUOTES:
        raise ExpressionError(
            f"`{character}` is a typographic quote",
            start,
            1,
            "strings are written \"...\" or '...'",
        )
    if character.isalpha():
        raise ExpressionError(
            f"`{character}` cannot be part of a name here",
            start,
            1,
            'a field whose name is not plain ASCII is written x["name"]',
        )
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    raise ExpressionError(f"`{shown}` has no meaning in an expression", start, 1)


def _number(text: str, match: re.Match[str]) -> Token:
    start, end = match.span()
    tail = _matched(_NAME, text, end)
    if tail > end:
        if text[end:tail] in ("u", "U"):
            message = f"unsigned integers (`{text[start:tail]}`) are not part of the policy language"
            raise ExpressionError(message, start, tail - start, "leave out the `u`")
        message = f"`{text[start:tail][:40]}` is neither a number nor a name"
        raise ExpressionError(message, start, tail - start)
    shown = match.group()
    if match.lastgroup == "double":
        double = float(shown)
        if isinf(double):
            raise ExpressionError("this number is too large for a double", start, end - start)
        return Token("double", shown, start, end, double)
    hexadecimal = match.lastgroup == "hex"
    digits = (shown[2:] if hexadecimal else shown).lstrip("0") or "0"
    # The parser checks the range, which depends on a sign; converting endless digits is slow.
    if len(digits) > 20:
        raise ExpressionError("this number does not fit in 64 bits", start, end - start)
    return Token("int", shown, start, end, int(digits, 16 if hexadecimal else 10))


def _string(text: str, start: int, opening: re.Match[str]) -> Token:
    prefix, quote = opening.group("prefix").lower(), opening.group("quote")
    if "b" in prefix:
        message = "bytes (`b` before a string) are not part of the policy language"
        raise ExpressionError(message, start, len(prefix), "leave out the `b`")
    if prefix not in ("", "r"):
        raise ExpressionError(f"`{prefix}` cannot stand before a string", start, len(prefix))
    if len(quote) == 3:
        message = "triple quotes are not part of the policy language"
        raise ExpressionError(message, start + len(prefix), 3, "strings are written \"...\" or '...'")
    match = (_RAW if prefix else _QUOTED).match(text, start)
    if not match:
        line = re.compile(r"[^\r\n]*").match(text, start)
        end = line.end() if line else start + 1
        raise ExpressionError(f"this string has no closing {quote}", start, end - start)
    shown = match.group()
    body_start = start + len(prefix) + 1
    body = shown[len(prefix) + 1 : -1]
    value = body if prefix else _unescape(body, body_start)
    for index, character in enumerate(value):
        if "\ud800" <= character <= "\udfff":
            message = f"U+{ord(character):04X} is half a character, not a character"
            raise ExpressionError(message, body_start + index, 1)
    return Token("string", shown, start, match.end(), value)


def _unescape(body: str, offset: int) -> str:
    if "\\" not in body:
        return body
    pieces: list[str] = []
    done = 0
    for match in _ESCAPE.finditer(body):
        pieces.append(body[done : match.start()])
        pieces.append(_escaped(match, offset))
        done = match.end()
    return "".join([*pieces, body[done:]])


def _escaped(match: re.Match[str], offset: int) -> str:
    kind = match.lastgroup or ""
    text = match.group(kind)
    place, length = offset + match.start(), match.end() - match.start()
    if kind == "plain":
        return _PLAIN.get(text, text)
    if kind == "wrong":
        hint = 'write `\\\\` for a backslash, or r"..." for a string without escapes'
        raise ExpressionError(f"`\\{text}` is not an escape of a string", place, length, hint)
    code = int(text, 8 if kind == "octal" else 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ExpressionError(f"`{match.group()}` is not a Unicode character", place, length)
    return chr(code)
