"""What expressions evaluate to, what they fail with, and that nothing else can happen."""

import time
from collections import OrderedDict, UserDict
from enum import Enum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmc.expression import DYN, compile_text
from fsmc.runtime.expression import EvaluationError, compile_tree
from fsmc.runtime.expression_text import render
from tests.expression.expression_strategies import JSON

BIG = 2**63 - 1
FACTS: dict[str, Any] = {
    "i": 5,
    "d": 2.5,
    "s": "héllo😀",
    "t": True,
    "n": None,
    "l": [1, 2.0, "x", None, True, [1]],
    "m": {"a": 1, "l": [1, 2], "two words": {"in": 1}},
    "big": BIG,
    "huge": 2**70,
    "nan": float("nan"),
    "nans": [float("nan")],
    "f63": 2.0**63,
    "i53": 2**53 + 1,
    "f53": 2.0**53,
    "z": 0.0,
}
ENV = dict.fromkeys([*FACTS, "absent"], DYN)


def evaluate(text: str, facts: Any = FACTS) -> Any:
    checked = compile_text(text, ENV)
    assert checked.errors == []
    return compile_tree(checked.tree)(facts)


VALUES: dict[str, Any] = {
    # equality goes by value and never crosses kinds
    "i == 5 && i == 5.0 && 5.0 == i && d != 2": True,
    "t == 1 || 1 == t || t == 1.0 || n == 0 || s == 1 || n == false": False,
    "[t] == [1] || [1, [t]] == [1, [1.0]]": False,
    "[i, [d]] == [5.0, [2.5]] && m == m && l == l": True,
    "nan == nan || nans == nans || nan in nans": False,
    "nan != nan && nans != nans && !(nan < 1) && !(nan >= 1)": True,
    "z == -0.0 && -z == z": True,
    # between int and double nothing is rounded
    "big < f63 && big != f63 && f63 > big && i53 > f53 && i53 != f53": True,
    "huge > big && huge == huge": True,
    # order
    's < "i" && "Z" < "a" && "\uffff" < "\U0001f600" && false < t && !(t < false)': True,
    # membership
    "5.0 in [i] && 2 in l && [1.0] in l && n in l && t in l": True,
    'false in l || "y" in l || 1 in [t] || s in [1]': False,
    '"a" in m && !("b" in m) && !(1 in m) && !(t in m) && !(1.5 in m)': True,
    's in ["x", "héllo😀"] && !(i in ["5"]) && !(n in [""])': True,
    # sizes count characters, not bytes
    "size(s) == 6 && s.size() == 6 && size(l) == 6 && size(m) == 3 && size('') == 0": True,
    's.startsWith("hé") && s.endsWith("😀") && s.contains("") && !s.contains("H")': True,
    # fields and elements
    'm.l[1] == 2 && m["two words"]["in"] == 1 && l[z] == 1 && m["l"][m.a] == 2': True,
    "has(m.a) && !has(m.b)": True,
    # arithmetic
    "i + 2 * 3 - 1": 10,
    "-i - -3": -2,
    "-d": -2.5,
    "big - 1 + 1 == big && -big - 1 == -9223372036854775808": True,
    # lists are joined
    "[1] + l": [1, *FACTS["l"]],
    "m.l + m.l + []": [1, 2, 1, 2],
    "[] + [] == [] && [i] + [s] == [5, s] && m.l + [3] != [3] + m.l": True,
    "size(l + l) == 12 && 3 in m.l + [3] && (m.l + [3])[2] == 3": True,
    "(m.l + [3]).exists(x, x == 3)": True,
    "[m] + [[1] + [2]]": [FACTS["m"], [1, 2]],
    # logic looks at both sides before it gives up
    "absent == 1 || true": True,
    "true || absent == 1": True,
    "absent == 1 && false": False,
    "false && i": False,
    "i || true": True,
    "absent || i || n || t": True,
    "(i ? 1 : 2) == 1 || t": True,
    "t ? 1 : absent.x": 1,
    "!t ? absent.x : n": None,
    # macros
    "[].all(x, x) && ![].exists(x, x)": True,
    "l.exists(x, x > 1)": True,
    "l.all(x, x > 1)": False,
    "[1, 2].all(x, [3, 4].all(y, x < y && i == 5))": True,
    "[[1], [2]].exists(x, x.exists(x, x == 2))": True,
    "[1].all(i, i == 1) && i == 5": True,
    "m.all(key, key != '')": True,
    "[1, [s, m.l]]": [1, [FACTS["s"], [1, 2]]],
}


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    value = evaluate(text)
    assert (type(value), value) == (type(VALUES[text]), VALUES[text])


REASONS = {
    "absent": "`absent` has no value here",
    "absent.x": "`absent` has no value here",
    "m.b": "m has no field `b`",
    "m.l.x": "m.l is a list, it has no field `x`",
    "m[s].x": "m has no field `héllo😀`",
    "[m][0].b": "the value has no field `b`",
    "i.x": "i is an int, it has no field `x`",
    "has(n.x)": "n is null, it has no field `x`",
    "has(m.b.c)": "m has no field `b`",
    "l[6]": "l has 6 elements, none at position 6",
    "l[-i]": "l has 6 elements, none at position -5",
    "l[d]": "l is a list, its positions are integers, not double",
    "l[t]": "l is a list, its positions are integers, not bool",
    "l[s]": "l is a list, its positions are integers, not string",
    "m[i]": "m is a map, its keys are strings, not int",
    "s[i]": "s is a string, it has no elements",
    "s < i": "`<` cannot compare string with int",
    "t >= i": "`>=` cannot compare bool with int",
    "n < n": "`<` cannot compare null with null",
    "s < 1": "`<` cannot compare string with int",
    "i in s": "`in` looks into a list or a map, not into a string",
    "n in m": "null cannot be the key of a map",
    "size(i)": "`size` measures a string, a list or a map, not an int",
    "i.startsWith(s)": "`startsWith` works on strings, not on an int",
    "s.contains(l)": "`contains` works on strings, not on a list",
    "!i": "`!` works on a bool, not on an int",
    "-s": "`-` works on integers, not on a string",
    "i + d": "`+` works on integers or lists, not on a double",
    "s + s": "`+` works on integers or lists, not on a string",
    "l + s": "`+` works on integers or lists, not on a string",
    "l + n": "`+` works on integers or lists, not on null",
    "l + i": "`+` cannot join a list with an int",
    "i + l": "`+` cannot join an int with a list",
    "m + m": "`+` works on integers or lists, not on a map",
    "l - l": "`-` works on integers, not on a list",
    "t * 2": "`*` works on integers, not on a bool",
    "big + 1": "`+` leaves the range of 64-bit integers",
    "big * big": "`*` leaves the range of 64-bit integers",
    "-(-big - 1)": "`-` leaves the range of 64-bit integers",
    "huge + -big": "`+` leaves the range of 64-bit integers",
    "huge - huge": "`-` leaves the range of 64-bit integers",
    "n ? 1 : 2": "the condition of `?:` is null, not a bool",
    "t && i": "`&&` works on bools, not on an int",
    "n || false": "`||` works on bools, not on null",
    "absent == 1 || false": "`absent` has no value here",
    "l.all(x, x > 0)": "`>` cannot compare string with int",
    "s.all(x, true)": "`all` goes over a list, not over a string",
}


@pytest.mark.parametrize("text", REASONS)
def test_reason(text: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        evaluate(text)
    assert caught.value.reason == REASONS[text]


def test_reason_where_the_checker_did_not_look() -> None:
    tree = ["exists", "x", ["list", ["int", 1]], ["var", "x"]]
    with pytest.raises(EvaluationError) as caught:
        compile_tree(tree)({})
    assert caught.value.reason == "the condition of `exists` is an int, not a bool"


def test_joined_lists_are_bounded() -> None:
    assert evaluate("size(l + l)", {"l": [1] * 5_000}) == 10_000
    with pytest.raises(EvaluationError) as caught:
        evaluate("l + l + [2]", {"l": [1] * 5_000})
    assert caught.value.reason == "`+` makes lists of at most 10,000 elements, not of 10,001"


def test_a_joined_list_is_new() -> None:
    facts = {"l": [1], "m": (2,)}
    joined = evaluate("l + m", facts)
    joined.append(3)
    assert (joined, facts) == ([1, 2, 3], {"l": [1], "m": (2,)})


def test_any_mapping_will_do() -> None:
    for facts in (
        MappingProxyType({"m": MappingProxyType({"a": (1, 2)})}),
        UserDict({"m": OrderedDict(a=[1, 2])}),
    ):
        assert evaluate("m.a[1] == 2 && m == m && m.a == [1, 2] && has(m.a)", facts) is True
        assert evaluate("m.a.all(x, x in m.a)", facts) is True


def test_subclasses_of_json_types_will_do() -> None:
    class Colour(str, Enum):
        RED = "red"

    class Number(int):
        pass

    assert evaluate('s == "red" && i < 6 && i == 5', {"s": Colour.RED, "i": Number(5)}) is True


@pytest.mark.parametrize("text", ["i", "i == 1", "i == i", "i + 1", "i in [i]", "i.x", "[i]", "i < 1", "!i"])
def test_other_objects_are_not_values(text: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        evaluate(text, {"i": object()})
    assert caught.value.reason == "a Python `object` is not a value of an expression"


def test_facts_that_raise() -> None:
    class Broken(UserDict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            raise OSError("the disk is on fire")

    with pytest.raises(EvaluationError) as caught:
        evaluate("m.a || true", {"m": Broken(a=1)})
    assert caught.value.reason == "reading the facts raised OSError"


def test_deep_values() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    try:
        with pytest.raises(EvaluationError) as caught:
            evaluate("l == [l]", {"l": deep})
    finally:
        while isinstance(deep, list):  # taken apart by hand: some Pythons recurse to free it
            deep = deep.pop()
    assert caught.value.reason == "the values are nested too deeply"


TEXT_COMPARISONS = [
    "s == t",
    "!(s != t)",
    "s <= t",
    "!(s < t)",
    "s in [t]",
    "[s] == [t]",
    "m == d",
    "t in m",
    "m[t] == 1",
    '!(s in ["x"])',
    "s.startsWith(t)",
]


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("l.all(x, x == 1)", 100_001),
        ("l.all(x, l.all(y, x == y))", 400),
        ("l.all(x, l.all(y, x == y)) || l.exists(x, x == 2)", 400),
        ("2 in l", 100_001),
        ("l == l", 100_001),
        ("l.exists(x, l == [x]) || l.exists(x, 2 in l)", 400),
        ("l.all(x, l.all(y, [x, x, x, x, x, x, x, x] == [y, y, y, y, y, y, y, y]))", 200),
        ("l.all(x, size(l + l) > 0)", 400),
        ("l.exists(x, s.contains('" + "b" * 50 + "'))", 1000),
        *((f"l.all(x, {text})", 1000) for text in TEXT_COMPARISONS),
    ],
)
def test_work_is_bounded(text: str, length: int) -> None:
    start = time.perf_counter()
    with pytest.raises(EvaluationError, match="the evaluation needs more than 100,000 steps"):
        same = ["a" * 199_999 + "".join(end) for end in ("b", ["b"])]  # two objects: no text is compared with itself
        evaluate(text, {"l": [1] * length, "s": same[0], "t": same[1], "m": {same[0]: 1}, "d": {same[1]: 1}})
    assert time.perf_counter() - start < 2


def test_comparing_long_texts_of_different_length_is_free() -> None:
    texts = {"l": [1] * 20_000, "s": "a" * 1_000_000, "t": "a" * 999_999}
    assert evaluate("l.all(x, s != t && s != 'a')", texts) is True


def test_ordinary_work_is_allowed() -> None:
    assert evaluate("l.all(x, x == 1) && !(2 in l)", {"l": [1] * 40_000}) is True


MALFORMED: list[Any] = [
    None,
    5,
    "var",
    [],
    {},
    [5],
    [["var", "x"]],
    ["nope"],
    ["var"],
    ["var", 1],
    ["var", "x", "y"],
    ["field", ["var", "x"]],
    ["field", ["var", "x"], 1],
    ["field", "x", "y"],
    ["and", ["var", "x"]],
    ["and", ["var", "x"], ["var", "y"], ["var", "z"]],
    ["==", ["var", "x"], 5],
    ["<", ["var", "x"], []],
    ["in", ["var", "x"], "list"],
    ["in", ["var", "x"], ["list", "a"]],
    ["all", 1, ["var", "x"], ["var", "x"]],
    ["int"],
    ["int", True],
    ["int", 1.0],
    ["int", "1_0"],
    ["int", " 1"],
    ["int", "01"],
    ["int", 2**63],
    ["int", "9" * 5000],
    ["double", 1.5],
    ["double", "1"],
    ["double", "nan"],
    ["double", "inf"],
    ["bool", 1],
    ["string", 1],
    ["null", None],
]


@pytest.mark.parametrize("tree", MALFORMED, ids=lambda tree: str(tree)[:40])
def test_malformed_tree(tree: Any) -> None:
    with pytest.raises(ValueError, match=r"expression tree|invalid literal|could not convert"):
        compile_tree(tree)
    with pytest.raises(ValueError, match=r"expression tree|invalid literal|could not convert"):
        render(tree)


@pytest.mark.parametrize("name", ["not", "and", "all", "size", "list"])
def test_depth_of_a_tree_is_bounded(name: str) -> None:
    wrap: dict[str, Any] = {
        "not": lambda tree: ["not", tree],
        "and": lambda tree: ["and", tree, ["bool", True]],
        "all": lambda tree: ["all", "x", ["list"], tree],
        "size": lambda tree: ["size", tree],
        "list": lambda tree: ["list", tree],
    }
    tree: Any = ["bool", True]
    for _ in range(63):
        tree = wrap[name](tree)
    compile_tree(tree)
    for _ in range(5000):
        tree = wrap[name](tree)
    with pytest.raises(ValueError, match="more than 64 operations deep"):
        compile_tree(tree)
    with pytest.raises(ValueError, match="more than 64 operations deep"):
        render(tree)


_NAMES = st.sampled_from(["a", "b", "x"])
_LEAVES = st.one_of(
    st.builds(lambda name: ["var", name], _NAMES),
    st.builds(lambda value: ["int", value], st.integers(-3, 3)),
    st.builds(lambda value: ["double", repr(value)], st.sampled_from([0.0, 1.5, -1.0])),
    st.builds(lambda value: ["string", value], st.sampled_from(["", "a", "b"])),
    st.builds(lambda value: ["bool", value], st.booleans()),
    st.just(["null"]),
    st.just(["int", str(BIG)]),
)


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pairs = (*"+-*<>", "<=", ">=", "==", "!=", "in", "and", "or", "index", "contains", "startsWith")
    return st.one_of(
        st.builds(lambda op, e: [op, e], st.sampled_from(["size", "not", "neg"]), inner),
        st.builds(lambda op, e, f: [op, e, f], st.sampled_from(pairs), inner, inner),
        st.builds(lambda op, e, f: [op, e, f], st.sampled_from(["field", "has"]), inner, _NAMES),
        st.builds(lambda e, f, g: ["?:", e, f, g], inner, inner, inner),
        st.builds(
            lambda op, x, e, f: [op, x, e, f],
            st.sampled_from(["all", "exists"]),
            _NAMES,
            inner,
            inner,
        ),
        st.lists(inner, max_size=3).map(lambda items: ["list", *items]),
    )


TREES = st.recursive(_LEAVES, _larger, max_leaves=12)


@given(TREES, st.dictionaries(_NAMES, st.one_of(JSON, st.just(object()), st.just(b"x"))))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_but_a_value_or_an_evaluation_error(tree: Any, facts: dict[str, Any]) -> None:
    assert render(tree)
    evaluate_tree = compile_tree(tree)
    reason = "a value"
    try:
        evaluate_tree(facts)
    except EvaluationError as error:
        reason = error.reason
    assert reason
    assert "\n" not in reason
