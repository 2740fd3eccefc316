"""Random expressions and random facts for the property tests of expressions."""

from typing import Any

from hypothesis import strategies as st

from fsmc.expression import ANY_MAP, BOOL, DOUBLE, DYN, INT, STRING, ListType, Type

TYPES: dict[str, Type] = {
    "c": DYN,
    "n": INT,
    "d": DOUBLE,
    "s": STRING,
    "b": BOOL,
    "xs": ListType(DYN),
    "m": ANY_MAP,
}

UNTYPED: dict[str, Type] = dict.fromkeys(TYPES, DYN)

Text = st.SearchStrategy[str]

# Few values, so that they often meet; those at the edge of 64 bits are there for arithmetic.
INTEGERS = st.sampled_from([0, 1, 1, 2, 3, -1, 2**63 - 1, -(2**63)])
# Small ones only: cel-cpp compares an int with a double after rounding the int to 53 bits.
DOUBLES = st.sampled_from([0.0, -0.0, 1.0, 1.0, 1.5, 2.0, float("inf"), float("nan")])
STRINGS = st.sampled_from(["", "a", "ab", "é😀", "1"])
SCALARS = st.one_of(INTEGERS, DOUBLES, STRINGS, st.booleans(), st.none())
FIELDS = ("a", "b", "l", "o")
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3)),
    max_leaves=6,
)


def environments() -> st.SearchStrategy[dict[str, Any]]:
    """Facts that fit `TYPES`; `c.i` may be added: it is no double, string or list."""
    maps = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3)
    arbitrary = st.fixed_dictionaries(
        {"a": SCALARS, "l": st.lists(SCALARS, max_size=3), "o": maps}, optional={"b": JSON}
    )
    addends = st.one_of(INTEGERS, st.none(), st.booleans())
    context = st.builds(lambda rest, i: {**rest, "i": i}, arbitrary, addends)
    return st.fixed_dictionaries(
        {
            "c": context,
            "n": INTEGERS,
            "d": DOUBLES,
            "s": STRINGS,
            "b": st.booleans(),
            "xs": st.lists(JSON, max_size=4),
            "m": arbitrary,
        }
    )


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return '"' + value + '"' if isinstance(value, str) else repr(value)


_FINITE = st.sampled_from([0.0, 1.0, 1.5, 2.0, -1.0])
_LITERALS = st.one_of(INTEGERS, _FINITE, STRINGS, st.booleans(), st.none()).map(_literal)


def integers(depth: int, scope: tuple[str, ...]) -> Text:
    """Expressions that arithmetic may use."""
    leaves = st.one_of(INTEGERS.map(_literal), st.sampled_from(["n", "c.i", "c.missing"]))
    if depth == 0:
        return leaves
    inner = integers(depth - 1, scope)
    return st.one_of(
        leaves,
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
        st.builds("size({})".format, anything(depth - 1, scope)),
        st.builds("-({})".format, inner),
    )


def lists(depth: int, scope: tuple[str, ...]) -> Text:
    """Expressions that `+` may join; `c.i` is no list, and neither does it add to one."""
    literal = st.lists(anything(max(depth - 1, 0), scope), max_size=3).map(lambda items: "[" + ", ".join(items) + "]")
    leaves = st.one_of(st.sampled_from(["xs", "xs", "c.l", "m.l", "c.i", "c.missing"]), literal)
    if depth == 0:
        return leaves
    inner = lists(depth - 1, scope)
    return st.one_of(leaves, st.builds("({} + {})".format, inner, inner))


def paths(scope: tuple[str, ...]) -> Text:
    """Fields and elements of the facts, present or not."""
    likely = st.sampled_from(["c.a", "c.l", "c.l[0]", "c.o.a", "c.b", "m.a", "m.l", "xs", *scope])
    roots = st.sampled_from(["c", "m", "xs", *scope])
    steps = st.sampled_from([".a", ".l", ".o", '["a"]', "[0]", "[1]", "[n]", "[s]", "[d]"])
    free = st.builds(lambda root, tail: root + "".join(tail), roots, st.lists(steps, max_size=2))
    return st.one_of(likely, likely, free)


def anything(depth: int, scope: tuple[str, ...]) -> Text:
    """Expressions of any type."""
    leaves = st.one_of(_LITERALS, paths(scope), st.sampled_from(["n", "d", "s", "b"]))
    if depth == 0:
        return leaves
    inner = anything(depth - 1, scope)
    return st.one_of(
        leaves,
        conditions(depth - 1, scope),
        integers(depth - 1, scope),
        lists(depth - 1, scope),
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
        st.builds("({} ? {} : {})".format, conditions(depth - 1, scope), inner, inner),
        st.builds("-({})".format, inner),
    )


def conditions(depth: int, scope: tuple[str, ...] = ()) -> Text:
    """Expressions that are bools, or at least are meant to be."""
    value = anything(max(depth - 1, 0), scope)
    operators = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in"])
    leaves = st.one_of(
        st.builds("({} {} {})".format, value, operators, value),
        st.builds("({} {} {})".format, paths(scope), operators, _LITERALS),
        st.builds("has(({}).{})".format, paths(scope), st.sampled_from(FIELDS)),
        st.builds(
            "({}).{}({})".format,
            value,
            st.sampled_from(["startsWith", "endsWith", "contains"]),
            value,
        ),
        paths(scope),
        st.sampled_from(["b", "true", "false"]),
    )
    if depth == 0:
        return leaves
    inner = conditions(depth - 1, scope)
    variable = "vwxyz"[len(scope)]
    body = conditions(depth - 1, (*scope, variable))
    logic = st.sampled_from([" && ", " || "])
    return st.one_of(
        leaves,
        st.builds(lambda op, items: f"({op.join(items)})", logic, st.lists(inner, min_size=2)),
        st.builds("!({})".format, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds(
            "({}).{}({}, {})".format,
            st.one_of(paths(scope), value),
            st.sampled_from(["all", "exists"]),
            st.just(variable),
            body,
        ),
    )


def _chain(item: Text, operators: str, longest: int) -> Text:
    links = st.lists(st.tuples(st.sampled_from(operators.split()), item), max_size=longest)
    return st.builds(lambda first, rest: " ".join([first, *map(" ".join, rest)]), item, links)


def _flat_conditions() -> Text:
    """Conditions without parentheses, whose value hangs on precedence and associativity."""
    number = st.sampled_from(["1", "2", "3", "-1", "--2", "- -2", "-(3)", "n", "-n", "c.i"])
    total = _chain(number, "+ - *", 3)
    ordered = st.builds("{} {} {}".format, total, st.sampled_from(["<", "==", ">=", "!="]), total)
    closed = st.builds("{} {} {}".format, ordered, st.sampled_from(["==", "!="]), st.just("true"))
    equal = st.builds("{} == {} in [b, true]".format, total, total)
    member = st.builds("{} in [{}, {}] in [b]".format, total, total, number)
    joined = _chain(st.sampled_from(["xs", "c.l", "m.l", "[]", "[1, n]", "[b]", "c.i"]), "+ +", 3)
    both = st.builds("{} == {}".format, joined, joined)
    inside = st.builds("{} in {}".format, total, joined)
    simple = st.sampled_from(["b", "!b", "!!b", "!c.b", "true", "!xs.exists(v, v == 1)"])
    condition = _chain(st.one_of(ordered, equal, closed, member, both, inside, simple), "&& ||", 2)
    chosen = st.builds("{} ? {} : {}".format, condition, condition, condition)
    last = st.builds("{} ? {} : {}".format, condition, condition, chosen)
    values = st.builds("{} ? {} : {}".format, simple, total, total)
    return st.one_of(total, joined, ordered, equal, member, both, inside, condition, chosen, last, values)


FLAT = _flat_conditions()
EXPRESSIONS = st.one_of(conditions(3), conditions(1), conditions(0), anything(3, ()))

_WORDS = "a c n true null in has size all exists and not é"
_SYMBOLS = "== != < <= > >= && || ! - + * ? : ( ) [ ] . , { } = & // ` @"
_LITERAL_TOKENS = """1 -1 0x1F 1.5 .5 1e3 'x' "y" r"z" b"" 1u \"\"\" """
_TOKENS = [*_WORDS.split(), *_SYMBOLS.split(), *_LITERAL_TOKENS.split()]
SOUP = st.lists(st.sampled_from(_TOKENS), max_size=14).map(" ".join)
"""Texts that are mostly not expressions, made of the pieces of some."""


def mutations(text: str) -> Text:
    """An expression with a few characters dropped, doubled or replaced."""
    place = st.integers(min_value=0, max_value=max(len(text) - 1, 0))
    change = st.sampled_from(["", "(", ")", "'", '"', "\\", "{", ".", "-", "!", "1", "x", " ", "&"])

    def apply(changes: list[tuple[int, str]]) -> str:
        result = text
        for position, piece in changes:
            result = result[:position] + piece + result[position + 1 :]
        return result

    return st.lists(st.tuples(place, change), min_size=1, max_size=3).map(apply)
