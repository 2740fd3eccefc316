"""The same expression over the same facts, here and in cel-cpp: one value, or an error in both."""

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fsmc.expression import ExpressionError, compile_text, parse
from fsmc.runtime.expression import EvaluationError, compile_tree
from tests.expression.expression_strategies import EXPRESSIONS, FLAT, SOUP, TYPES, UNTYPED, environments, mutations
from tests.expression.test_expression_runtime import ENV, FACTS, REASONS, VALUES

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


# Where the two differ on purpose, and what cel-cpp says.
DIFFERENT: dict[str, Any] = {
    # It rounds an int to 53 bits before it compares it with a double.
    "big < f63 && big != f63 && f63 > big && i53 > f53 && i53 != f53": False,
    # It also adds doubles and joins strings; in a policy `+` is for integers and lists.
    "s + s": "héllo😀héllo😀",
}
BEYOND = {"huge > big && huge == huge", "huge - huge"}  # no CEL value is as large as 2^70

PRECEDENCE = [
    "1 + 2 * 3 - 4 * -5",
    "10 - 3 - 2",
    "2 * 3 + 4 == 10 && 1 < 2 == true",
    "1 == 2 in [false, t]",
    "1 in [1] in [true] == true",
    "1 + 1 in [2] && !false",
    "false && false || true",
    "true || false && false",
    "!true == false",
    "!t && false || t",
    "t ? 1 : t ? 2 : 3",
    "!t ? 1 : !t ? 2 : 3",
    "t || t ? 1 : 2",
    "t ? !t : t || t",
    "-i + 1",
    "- -i - --i - -1",
    "[1] + [2] + l == [1, 2] + l && 2 in [1] + [2]",
    "[1] + (t ? [2] : l) + [i + i]",
    "-m + l",
    "-i.x",
    "-l[0]",
    "!!i",
    "--s",
]


@pytest.mark.parametrize("text", [*VALUES, *REASONS, *PRECEDENCE])
def test_tables_agree_with_cel(text: str) -> None:
    if text in BEYOND:
        pytest.skip("not a CEL value")
    facts = {name: value for name, value in FACTS.items() if name != "huge"}
    names = dict.fromkeys([*facts, "absent"], cel.Type.DYN)
    there = theirs(cel.NewEnv(variables=names), text, facts)
    if text in DIFFERENT:
        assert same(there, DIFFERENT[text])
    else:
        here = ours(compile_text(text, ENV).tree, facts)
        assert same(here, there), f"{here!r} here, {there!r} in cel-cpp"


@given(text=EXPRESSIONS, facts=environments())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_agrees_with_cel(reference: Any, text: str, facts: dict[str, Any]) -> None:
    agree(reference, text, facts)


@given(text=FLAT, facts=environments())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_agrees_with_cel_on_precedence(reference: Any, text: str, facts: dict[str, Any]) -> None:
    agree(reference, text, facts)


def agree(reference: Any, text: str, facts: dict[str, Any]) -> None:
    # What the types refuse may still be said of facts of which nothing is known.
    tree = compile_text(text, TYPES).tree or compile_text(text, UNTYPED).tree
    assume(tree is not None)
    here, there = ours(tree, facts), theirs(reference, text, facts)
    assert same(here, there), f"{text}: {here!r} here, {there!r} in cel-cpp"


@given(text=st.one_of(SOUP, st.one_of(FLAT, EXPRESSIONS).flatmap(mutations)))
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_parses_here_parses_in_cel(reference: Any, text: str) -> None:
    try:
        parse(text)
    except ExpressionError:
        assume(False)
    reference.compile(text, disable_check=True)
