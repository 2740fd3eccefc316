"""Words of messages."""

from __future__ import annotations

from collections.abc import Iterable


def times(number: int) -> str:
    """``once``, ``twice``, ``3 times``."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean `x`?`` with the nearest of *known*, or nothing."""
    import difflib  # only a mistake pays for the import

    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean `{near[0]}`?" if near else ""
