"""Regular expressions that may take for ever: what Python's own parser says about them.

Its matcher goes back and tries again. Where a long text can be cut into the rounds of a repetition in many ways, and
what follows fails, it tries them all: their number doubles with every character. Only clear cases are found:

- a round that consists of a repetition, beside what may be empty or is part of what is repeated: `(a+)+`, `(a+b?)*`;
- a round that is a choice between the same, or between characters that overlap: `(ab|ab)*`, `(.|\\s)*`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

# The tree of a pattern is no public interface, but it has had this shape since Python 2.
_parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_LONG = 20  # a bound that is as good as none
_SAMPLE = [chr(code) for code in range(0x180)]


def is_slow(pattern: str) -> bool:
    """Whether *pattern* clearly needs exponential time for some text."""
    if not any(map(pattern.count, "*+{")):
        return False
    try:
        return _search(list(_parser.parse(pattern)), False)
    except (ValueError, OverflowError, RecursionError, _parser.error):
        return False


def _search(items: list[Any], fails: bool) -> bool:
    """Whether a slow repetition is among *items*. *fails* says that what follows them may fail."""
    for item in reversed(items):
        name, argument = str(item[0]), item[1]
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, body = argument
            # A round may also fail because the next one does, where some are needed.
            if (fails and most >= _LONG and _ambiguous(_flat(body))) or _search(list(body), fails or least > 1):
                return True
        elif any(_search(list(part), fails) for part in _parts(item)):
            return True
        fails = fails or name == "AT" or _width([item])[0] > 0
    return False


def _ambiguous(items: list[Any]) -> bool:
    """Whether two rounds of *items* may match what one does, or one round in two ways."""
    for position, item in enumerate(items):
        others = items[:position] + items[position + 1 :]
        name, argument = str(item[0]), item[1]
        if name in ("MAX_REPEAT", "MIN_REPEAT") and argument[1] >= _LONG and _width(argument[2])[1] > 0:
            repeated = _characters(_flat(argument[2]))
            if all(_may_be_empty(other) or _shared(other, repeated) for other in others):
                return True
        if name == "BRANCH":
            choices = [_flat(choice) for choice in argument[1]]
            if choices.count([]) > 1:
                return True  # of `(ab|ab)` the parser makes `ab(|)`
            if all(map(_may_be_empty, others)) and (_overlap(choices) or any(map(_ambiguous, choices))):
                return True
    return False


def _overlap(choices: list[list[Any]]) -> bool:
    """Whether two of *choices* are one character each, and may be the same."""
    seen: set[str] = set()
    for choice in choices:
        characters = _characters(choice) or frozenset()
        if not seen.isdisjoint(characters):
            return True
        seen |= characters
    return False


def _shared(item: Any, characters: frozenset[str] | None) -> bool:
    """Whether *item* is one character, and may be one of *characters*."""
    own = _characters([item])
    return own is not None and characters is not None and not own.isdisjoint(characters)


def _flat(items: Any) -> list[Any]:
    """*items* without the groups around them."""
    flat: list[Any] = []
    for item in items:
        flat += _flat(item[1][-1]) if str(item[0]) == "SUBPATTERN" else [item]
    return flat


def _parts(item: Any) -> list[Any]:
    """The sequences inside what is not a repetition. What is matched once and for all has none."""
    name, argument = str(item[0]), item[1]
    if name == "SUBPATTERN":
        return [argument[-1]]
    if name == "BRANCH":
        return list(argument[1])
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    return []


def _may_be_empty(item: Any) -> bool:
    return str(item[0]) != "AT" and _width([item])[0] == 0


def _width(items: Any) -> tuple[int, int]:
    """The least and the greatest number of characters that *items* match."""
    try:
        least, most = _parser.SubPattern(_parser.State(), list(items)).getwidth()
    except IndexError:  # a reference to a group outside
        return 1, 1
    return least, most


def _characters(items: list[Any]) -> frozenset[str] | None:
    """The characters of the sample that match *items*; None where that is not one character."""
    if len(items) != 1:
        return None
    name, argument = str(items[0][0]), items[0][1]
    if name == "ANY":
        return frozenset(_SAMPLE) - {"\n"}
    if name in ("LITERAL", "NOT_LITERAL", "IN"):
        members = argument if name == "IN" else [(name, argument)]
        negated = str(members[0][0]) in ("NEGATE", "NOT_LITERAL")
        found = {char for char in _SAMPLE if any(_is_in(char, str(kind), value) for kind, value in members)}
        return frozenset(set(_SAMPLE) - found if negated else found)
    return None


def _is_in(char: str, kind: str, value: Any) -> bool:
    if kind in ("LITERAL", "NOT_LITERAL"):
        return bool(ord(char) == value)
    if kind == "RANGE":
        return bool(value[0] <= ord(char) <= value[1])
    if kind != "CATEGORY":
        return False
    name = str(value)
    known = char.isdigit() if "DIGIT" in name else char.isspace() if "SPACE" in name else char.isalnum() or char == "_"
    return known != ("_NOT_" in name)
