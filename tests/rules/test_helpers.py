"""What rules share: look-alike names, gaps between guards, suggestions."""

from __future__ import annotations

import time

import pytest

from fsmc.expression import DYN, Type, check, from_schema, parse
from fsmc.rules.cases import Gaps
from fsmc.rules.likeness import likenesses
from fsmc.rules.telling import Nearest, listed, spelled
from fsmc.spelling import bounded


@pytest.mark.parametrize(
    "pair",
    [
        ("DONE", "Done"),
        ("PAID", "РAID"),  # Cyrillic Er
        ("OPEN", "0PEN"),
        ("Νext", "Next"),  # Greek Nu
        ("get_1", "get_l"),
        ("STEP_I", "STEP_l"),
        ("fi", "ﬁ"),  # a ligature
        ("ｗide", "wide"),  # full width
        ("in\u200bvisible", "invisible"),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_names_that_look_alike(pair: tuple[str, str]) -> None:
    assert likenesses(pair) == [pair]
    assert likenesses(["other", pair[0], "another", pair[1]]) == [pair]


@pytest.mark.parametrize(
    "names", [(), ("",), ("A",), ("A", "B"), ("fail", "fall"), ("S1", "S2"), ("Ärger", "Arger"), ("да", "нет")]
)
def test_names_that_do_not(names: tuple[str, ...]) -> None:
    assert likenesses(names) == []


def test_three_names_that_look_alike_are_compared_with_the_first() -> None:
    assert likenesses(["a", "A", "b", "а"]) == [("a", "A"), ("a", "а")]


CONTEXT = from_schema({
    "type": "object",
    "properties": {
        "n": {"type": "number"}, "ok": {"type": "boolean"}, "role": {"enum": ["a", "b"]}, "name": {"type": "string"},
    },
})  # fmt: skip
ENVIRONMENT: dict[str, Type] = {"context": CONTEXT, **dict.fromkeys(("event", "calls", "visits"), DYN)}


def tree(text: str) -> list[object]:
    checked = check(parse(text), ENVIRONMENT)
    assert checked.tree is not None, checked.errors
    return checked.tree


@pytest.mark.parametrize(
    "guards",
    [
        ["context.ok", "!context.ok"],
        ["context.ok == true", "context.ok != true"],
        ["context.n < 3", "context.n == 3", "context.n > 3"],
        ["context.n <= 1.5", "context.n > 1.5"],
        ["context.n < 3", "context.n >= 3 && context.n < 9", "context.n >= 9"],
        ['context.role == "a"', 'context.role == "b"'],
        ['context.role in ["a", "b"]'],
        ['context.name == "x"', 'context.name != "x"'],
        ["context.ok || event.x == 1", "!context.ok && event.x != 1"],
        ["context.ok ? event.x : event.y", "!event.x", "!event.y"],
        ["true"],
        ["size(event.x) == 0", "size(event.x) > 0"],
        ["size(event.x) < 1", "size(event.x) == 1", "event.x.size() >= 2"],
        ["0 == size(event.x)", "0 < size(event.x)"],
        ["calls.t > 0", "calls.t == 0"],
        ['visits["A"] < 1 || visits["A"] >= 1'],
        ["size(event.x) > -5"],
    ],
)
def test_guards_that_leave_no_case_out(guards: list[str]) -> None:
    assert not Gaps(CONTEXT).left_by([tree(guard) for guard in guards])


@pytest.mark.parametrize(
    "guards",
    [
        ["context.ok"],
        ["context.n < 3", "context.n > 3"],
        ["context.n < 3", "context.n > 4"],
        ["context.n < 1.5", "context.n > 2.5"],
        ['context.role == "a"'],
        ['context.name == "x"', 'context.name == "y"'],
        ["context.ok && event.x == 1", "!context.ok && event.x != 1"],
        ["event.x", "!event.y"],
        ["false"],
        ["size(event.x) > 0"],
        ["size(event.x) == 0", "size(event.x) > 1"],
        ["size(event.x) == -1", "size(event.x) == 3"],
        ["event.x == 0", "event.x > 0"],
    ],
)
def test_guards_that_leave_a_case_out(guards: list[str]) -> None:
    assert Gaps(CONTEXT).left_by([tree(guard) for guard in guards])


def test_guards_on_too_many_things_get_the_benefit_of_the_doubt() -> None:
    assert not Gaps(CONTEXT).left_by([tree(f"event.a{i}") for i in range(40)])
    gaps = Gaps(CONTEXT)
    assert [gaps.left_by([tree(f"event.a{i} && event.b{i} && context.ok")]) for i in (0, 30_000)] == [True, True]
    gaps._left = 4
    assert not gaps.left_by([tree("event.c && event.d && context.ok")])
    assert gaps.left_by([tree("event.a0 && event.b0 && context.ok")])


def test_lists_of_names() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b"], "or") == "`a` or `b`"
    assert listed(["a", "b", "c", "d"]) == "`a`, `b`, `c` and `d`"
    assert listed(["a", "b", "c", "d", "e"]) == "`a`, `b`, `c` and 2 more"


def test_a_name_of_other_letters_is_spelled_out() -> None:
    assert spelled("PAID") == "`PAID`"
    assert spelled("Рaid") == "`Рaid` (\\u0420aid)"


def test_suggestions_for_thousands_of_names_are_bounded() -> None:
    near = Nearest([f"STATE_{number}" for number in range(10_000)])
    before = time.process_time()
    with bounded():
        hints = [near.hint(f"STATE_{number}x") for number in range(10_000)]
    assert time.process_time() - before < 5
    assert hints[0] is not None and hints[-1] is None
