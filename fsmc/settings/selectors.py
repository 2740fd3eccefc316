"""Which rules a code (``FSM204``), the beginning of one (``FSM2``) or a name (``cycle``) means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from fsmc.rules import all_rules
from fsmc.runtime.annotations import NamedTuple

_CODE = re.compile(r"FSM([0-9]{0,3})", re.IGNORECASE)
_LIKE_DIGITS = str.maketrans("OoIl", "0011")
_WHOLE = 3  # digits of a code


class Selector(NamedTuple):
    """The codes that are meant, and how closely: the number of digits, all of them for a name."""

    codes: frozenset[str]
    closeness: int


@cache
def selector(text: str) -> Selector | None:
    """What *text* means; None where it means no rule."""
    match = _CODE.fullmatch(text)
    if match is None:
        codes = frozenset(rule.code for rule in all_rules() if rule.name == text)
        return Selector(codes, _WHOLE) if codes else None
    codes = frozenset(rule.code for rule in all_rules() if rule.code.startswith(text.upper()))
    return Selector(codes, len(match[1])) if codes else None


def unknown(text: str) -> tuple[str, str]:
    """What to say about a text that means no rule, and the hint."""
    from fsmc.source.reading import printable
    from fsmc.spelling import did_you_mean

    digits = text[:3] + text[3:].translate(_LIKE_DIGITS)
    # A number is either right or wrong: a near one means something else.
    alike = f"did you mean `{digits.upper()}`?" if digits != text and selector(digits) else None
    near = alike or did_you_mean(text, [rule.name for rule in all_rules()])
    return f"no rule is called `{printable(text)}`", near or "`fsmc rules` lists them all"


def closest(texts: Iterable[str], code: str) -> int:
    """How closely one of *texts* means the rule of a code; -1 where none does."""
    found = (selector(text) for text in texts)
    return max((each.closeness for each in found if each is not None and code in each.codes), default=-1)


def levels(severities: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """The level of each code that *severities*, pairs of selector and level, are about: the closest wins, then the last."""
    chosen: dict[str, tuple[int, str]] = {}
    for text, level in severities:
        found = selector(text)
        for code in found.codes if found is not None else ():
            if found is not None and chosen.get(code, (-1, ""))[0] <= found.closeness:
                chosen[code] = (found.closeness, level)
    return {code: level for code, (_, level) in chosen.items()}
