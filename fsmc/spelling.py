"""Which known name a misspelt one most likely means: one measure for every suggestion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from threading import local

_LONGEST = 64  # the comparison is quadratic, and no typing error is that long
_ALIKE = 0.72  # by difflib's ratio; below it a suggestion is far-fetched
_COMPARISONS = 50_000
_SIGNS = str.maketrans("01|i", "olll")  # drawn alike in small letters or in capitals


class _Budget(local):
    """How many comparisons are left in this thread; None where they are not bounded together."""

    left: int | None = None


_budget = _Budget()


@contextmanager
def bounded() -> Iterator[None]:
    """Within, all searches together compare a bounded number of names.

    A generated policy with thousands of wrong names gets its findings quickly, the later ones without a suggestion.
    """
    before, _budget.left = _budget.left, _COMPARISONS
    try:
        yield
    finally:
        _budget.left = before


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The one of *known* that *word* most likely means, whatever the case of its letters; None where none is near."""
    from difflib import get_close_matches  # only a mistake pays for the import

    left = _COMPARISONS if _budget.left is None else _budget.left
    if len(word) > _LONGEST or left <= 0:
        return None
    names = list(islice(known, left))
    if _budget.left is not None:
        _budget.left -= len(names)
    by_lower = {name.lower(): name for name in names if len(name) <= _LONGEST}
    wanted = word.lower()
    close = get_close_matches(wanted, by_lower, 1, _ALIKE)
    found = close[0] if close else next((name for name in by_lower if _one_slip(wanted, name)), None)
    return None if found is None else by_lower[found]


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The hint that names the nearest known name, if any is near."""
    near = nearest(word, known)
    return None if near is None else f"did you mean `{near}`?"


def _one_slip(word: str, name: str) -> bool:
    """Whether one letter too many or too few, or two that changed places, tell short words apart: too short for a ratio.

    So do letters and digits that are drawn alike.
    """
    if len(word) == len(name) and word.translate(_SIGNS) == name.translate(_SIGNS):
        return True
    if min(len(word), len(name)) < 2 or max(len(word), len(name)) < 3 or abs(len(word) - len(name)) > 1:
        return False
    start = 0
    while start < min(len(word), len(name)) and word[start] == name[start]:
        start += 1
    one, other = word[start:], name[start:]
    if len(one) != len(other):
        longer, shorter = sorted((one, other), key=len, reverse=True)
        return longer[1:] == shorter
    return len(one) > 1 and one[:2] == other[1::-1] and one[2:] == other[2:]
