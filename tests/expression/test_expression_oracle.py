"""The same expression over the same facts, here and in cel-cpp: one value, or an error in both."""

import math
from typing import Any

import pytest
from expression_strategies import EXPRESSIONS, FLAT, SOUP, TYPES, UNTYPED, environments, mutations
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fsmc.expression import ExpressionError, compile_text, parse
from fsmc.runtime.expression import EvaluationError, compile_tree

cel = pytest.importorskip("cel_expr_python.cel", reason="cel-expr-python is not installed")

ERROR = "an error"


@pytest.fixture(scope="module")
def reference() -> Any:
    kinds = {
        "c": cel.Type.DYN,
        "n": cel.Type.INT,
        "d": cel.Type.DOUBLE,
        "s": cel.Type.STRING,
        "b": cel.Type.BOOL,
        "xs": cel.Type.List(cel.Type.DYN),
        "m": cel.Type.Map(cel.Type.STRING, cel.Type.DYN),
    }
    return cel.NewEnv(variables=kinds)


def theirs(reference: Any, text: str, facts: dict[str, Any]) -> Any:
    """What cel-cpp says, where its own checker lets it say anything."""
    try:
        program = reference.compile(text)
    except Exception:
        # Its checker refuses `1 < 1.5` and lists of mixed numbers; its evaluator knows them.
        program = reference.compile(text, disable_check=True)
    result = program.eval(data=facts)
    return ERROR if result.type() == cel.Type.ERROR else result.plain_value()


def ours(tree: Any, facts: dict[str, Any]) -> Any:
    try:
        return compile_tree(tree)(facts)
    except EvaluationError:
        return ERROR


def same(left: Any, right: Any) -> bool:
    """Equality that tells bools from numbers and ints from doubles, and has one NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, float) and math.isnan(left):
        return math.isnan(right)
    return bool(left == right)


@given(text=EXPRESSIONS, facts=environments())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_agrees_with_cel(reference: Any, text: str, facts: dict[str, Any]) -> None:
    # What the types refuse may still be said of facts of which nothing is known.
    tree = compile_text(text, TYPES).tree or compile_text(text, UNTYPED).tree
    assume(tree is not None)
    here, there = ours(tree, facts), theirs(reference, text, facts)
    assert same(here, there), f"{text}: {here!r} here, {there!r} in cel-cpp"


@given(text=st.one_of(SOUP, st.one_of(FLAT, EXPRESSIONS).flatmap(mutations)))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_parses_here_parses_in_cel(reference: Any, text: str) -> None:
    try:
        parse(text)
    except ExpressionError:
        assume(False)
    reference.compile(text, disable_check=True)
