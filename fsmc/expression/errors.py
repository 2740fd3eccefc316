"""What is wrong with an expression, and what its author may have meant."""

from collections.abc import Iterable
from functools import lru_cache


class ExpressionError(Exception):
    """A mistake in an expression: a sentence, its place in characters, and how to mend it."""

    def __init__(self, message: str, offset: int, length: int = 1, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}; {hint}")
        self.message = message
        self.offset = offset
        self.length = length
        self.hint = hint


def one_of(names: Iterable[str], limit: int = 8) -> str:
    """A list of names as a sentence holds it, cut where it would be too long to read."""
    known = frozenset(names)
    more = len(known) - limit
    return ", ".join(_first(known, limit)) + (f" and {more} more" if more > 0 else "")


@lru_cache(maxsize=16)
def _first(names: frozenset[str], limit: int) -> list[str]:
    """Thousands of mistakes may be explained by the same thousands of names."""
    return sorted(names)[:limit]
