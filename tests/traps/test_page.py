"""The page of the traps and the tests say the same."""

from __future__ import annotations

import pytest

from tests.traps.listing import MODULES, PAGE, in_module, table, trap_of, with_table

ALL = [test for module in MODULES for test in in_module(module)]


def test_the_page_lists_what_the_tests_show() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page), "run `python -m tests.traps.listing` and read the difference"
    assert table() in page


@pytest.mark.parametrize("test", ALL, ids=[test.__name__ for test in ALL])
def test_a_test_says_its_trap_and_the_answer(test: object) -> None:
    trap = trap_of(test)  # type: ignore[arg-type]
    for text in (trap.trap, trap.answer):
        assert text.endswith(".") and "|" not in text, text


def test_names_are_unique() -> None:
    names = [test.__name__ for test in ALL]
    assert len(set(names)) == len(names)
