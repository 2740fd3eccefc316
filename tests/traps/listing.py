"""The page of the traps, made from the tests: ``python -m tests.traps.listing`` writes it anew.

The docstring of a test says the trap in its first paragraph and what fsmc does in the second, after ``fsmc:``. A test
that is
expected to fail promises nothing, so the page leaves it out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).resolve().parents[2] / "docs" / "traps.md"
MODULES = ("test_policies", "test_guards", "test_calls", "test_budgets", "test_sessions")

_START, _END = "<!-- traps -->\n", "<!-- end of traps -->\n"


class Trap(NamedTuple):
    """One row of the page."""

    trap: str
    answer: str
    test: str


def in_module(module: str) -> Iterator[Callable[..., Any]]:
    """The tests of a module of this folder, as they stand in it."""
    for name, value in vars(import_module(f"tests.traps.{module}")).items():
        if name.startswith("test_") and callable(value):
            yield value


def expected_to_fail(test: Callable[..., Any]) -> bool:
    """Whether the test waits for a change of the engine."""
    return any(mark.name == "xfail" for mark in getattr(test, "pytestmark", []))


def trap_of(test: Callable[..., Any]) -> Trap:
    """What the docstring of a test says. Raises ``ValueError`` when it does not say both parts."""
    trap, separator, answer = inspect.cleandoc(test.__doc__ or "").partition("\n\nfsmc: ")
    if not separator:
        raise ValueError(f"the docstring of {test.__name__} has no paragraph that begins with `fsmc:`")
    return Trap(" ".join(trap.split()), " ".join(answer.split()), test.__name__)


def table() -> str:
    """All traps, one table for each module under what its docstring says."""
    parts = []
    for module in MODULES:
        title = inspect.cleandoc(import_module(f"tests.traps.{module}").__doc__ or "").split("\n")[0].rstrip(".")
        rows = [trap_of(test) for test in in_module(module) if not expected_to_fail(test)]
        lines = [f"| {row.trap} | {row.answer} | `{row.test}` |" for row in rows]
        parts.append("\n".join([f"## {title}", "", "| the trap | fsmc | test |", "|---|---|---|", *lines, ""]))
    return "\n".join(parts)


def with_table(page: str) -> str:
    """The page with its tables made anew."""
    before, _, rest = page.partition(_START)
    _, _, after = rest.partition(_END)
    return f"{before}{_START}\n{table()}\n{_END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
