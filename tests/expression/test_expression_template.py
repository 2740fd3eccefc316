"""Reasons: texts with expressions in braces."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsmc.expression import INT, MapType, parse_template

ENV = {"context": MapType({"age": INT, "a b": INT}, frozenset(), None)}
AGE = ["field", ["var", "context"], "age"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("plain", ["plain"]),
        ("the patient is {context.age}, 18 is needed", ["the patient is ", AGE, ", 18 is needed"]),
        ("{context.age}{ context.age }", [AGE, AGE]),
        ("{{{context.age}}}", ["{", AGE, "}"]),
        ("a {{b}} c", ["a {b} c"]),
        (
            "{context.age == 1 ? '}' : \"{\"}",
            [["?:", ["==", AGE, ["int", 1]], ["string", "}"], ["string", "{"]]],
        ),
        ('{context["a b"]}', [["field", ["var", "context"], "a b"]]),
    ],
)
def test_parts(text: str, parts: list[object]) -> None:
    template = parse_template(text, ENV)
    assert template.errors == []
    assert template.parts == parts


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("a } b", [(2, 1, "this `}` closes nothing; a brace is written `}}`")]),
        ("a {context.age", [(14, 1, "the placeholder has no closing `}`")]),
        ("a {}", [(3, 1, "a value is missing before `}`")]),
        ("a {context.ag}!", [(11, 2, "context has no field `ag`; did you mean `age`?")]),
        ("{context}", [(1, 7, "a text can hold a single value, this is a map")]),
        (
            "{x y} {context.ag} {context.age}",
            [
                (3, 1, "an operator is missing before `y`"),
                (15, 2, "context has no field `ag`; did you mean `age`?"),
            ],
        ),
    ],
)
def test_mistakes(text: str, mistakes: list[tuple[int, int, str]]) -> None:
    template = parse_template(text, ENV)
    assert template.parts == []
    assert [(error.offset, error.length, str(error)) for error in template.errors] == mistakes


def test_length_is_bounded() -> None:
    (error,) = parse_template("x" * 5000, ENV).errors
    assert str(error) == "a text has at most 4096 characters, this one has 5000"


@given(st.text(alphabet="{}ab. '\"", max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    template = parse_template(text, ENV)
    assert bool(template.errors) <= (template.parts == [])
