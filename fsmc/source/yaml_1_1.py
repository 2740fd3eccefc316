"""What YAML 1.1, which many tools still read, makes of a plain scalar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from yaml._yaml import CParser
from yaml.events import ScalarEvent

from fsmc.source.reading import Problems, quoted
from fsmc.source.yaml import PROPERTIES
from fsmc.source.yaml_scalar import doubtful

_SPECIAL = {"=": "a default value", "<<": "a merge"}
_OTHERS = re.compile(
    r"""(?P<octal>[-+]?0[0-7_]+)
    |(?P<binary>[-+]?0b[01_]+)
    |(?P<hex>[-+]?0x[0-9a-fA-F_]+)
    |(?P<int>[-+]?[1-9][0-9_]*|[-+]?0)
    |(?P<float>[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?)
    |(?P<sixty>[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)
    |(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}
        |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
         (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)""",
    re.VERBOSE,
)
_COLON = re.compile(r"\s*:(?=\s|\Z)")
_BASES = {"octal": 8, "binary": 2, "hex": 16, "int": 10}


def note_all(values: Mapping[str, object], problems: Problems) -> None:
    """Note every place of a plain scalar that YAML 1.1 reads otherwise. *values* are those of the plain scalars.

    The text is read once more, because few texts need this, and the first reading is to be quick.
    """
    undecided = set(doubtful(values))
    sentences: dict[str, tuple[str, str]] = {}
    text = problems.lines.text
    events: Iterator[Any] = iter(CParser(text).get_event, None)
    for event in events:
        kind = type(event)
        if kind is not ScalarEvent or event.tag is not None or not event.implicit[0]:
            continue
        if event.value in undecided:
            undecided.remove(event.value)
            if (said := otherwise(event.value, values[event.value])) is not None:
                sentences[event.value] = said
        said = sentences.get(event.value)
        if event.value == "<<" and not _COLON.match(text, event.end_mark.index):
            said = otherwise("<<", "<<")
        if said is not None:
            properties = PROPERTIES.match(text, event.start_mark.index) if event.anchor is not None else None
            offset = properties.end() if properties else event.start_mark.index
            if not problems.note("ambiguous-scalar", offset, *said):
                return


def otherwise(text: str, value: object) -> tuple[str, str] | None:
    """What to say about a plain scalar that is *value* in YAML 1.2 and something else in YAML 1.1, and how to mend it."""
    other = _reading(text)
    if other == value:
        return None
    number = not isinstance(value, str)
    here = f"the number {value}" if number else "text"
    there = f"the number {other}" if isinstance(other, (int, float)) else "text" if other == text else other
    hint = f"write {_plainly(value)}, or {quoted(text)} if it is text" if number else f"write {quoted(text)}"
    return f"{quoted(text)} without quotes is {here}, but {there} to tools that read YAML 1.1", hint


def _plainly(value: object) -> str:
    """A number as both versions read it: one with an exponent needs a dot and a sign, which Python writes."""
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def _reading(text: str) -> str | int | float:
    """The number, the text, or what sort of thing it is, in words."""
    if not text[0].isdigit() and text[0] not in "-+.":
        return _SPECIAL.get(text) or ("true" if text.lower() in ("y", "yes", "on") else "false")
    match = _OTHERS.fullmatch(text)
    if match is None:
        return text
    kind, digits = str(match.lastgroup), text.replace("_", "")
    if kind == "date":
        return "a date"
    if kind == "float":
        return float(digits)
    if kind == "sixty":
        return _sixty(digits)
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("-+").removeprefix("0b").removeprefix("0x")
    return sign * int(digits, _BASES[kind]) if digits else text


def _sixty(digits: str) -> int | float:
    """A number to the base of sixty, such as a time of day."""
    whole, dot, fraction = digits.lstrip("-+").partition(".")
    total = 0
    for part in whole.split(":"):
        total = total * 60 + int(part)
    signed = -total if digits[0] == "-" else total
    return float(f"{signed}.{fraction or 0}") if dot else signed
