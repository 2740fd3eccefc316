"""What is wrong with an expression, and what its author may have meant."""

from collections.abc import Iterable

_LONGEST_NAME = 64


class ExpressionError(Exception):
    """A mistake in an expression: a sentence, its place in characters, and how to mend it."""

    def __init__(self, message: str, offset: int, length: int = 1, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}; {hint}")
        self.message = message
        self.offset = offset
        self.length = length
        self.hint = hint


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a misspelt one most resembles, if any does."""
    from difflib import get_close_matches  # only a mistake pays for the import

    if len(name) > _LONGEST_NAME:  # the comparison is quadratic, and no typing error is that long
        return None
    by_lower = {other.lower(): other for other in known if len(other) <= _LONGEST_NAME}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """The hint that names the nearest known name, if any is near."""
    near = nearest(name, known)
    return None if near is None else f"did you mean `{near}`?"


def one_of(names: Iterable[str], limit: int = 8) -> str:
    """A list of names as a sentence holds it, cut where it would be too long to read."""
    shown = sorted(names)
    more = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {more} more" if more > 0 else "")
