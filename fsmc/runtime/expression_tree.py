"""The shape of expression trees: what every reader of them has to know.

The trees are described in `docs/architecture.md`.
"""

from __future__ import annotations

from math import isfinite

from fsmc.runtime.annotations import Any

MAX_DEPTH = 64
"""How many operations of a tree may lie inside one another."""

LITERALS = frozenset({"null", "bool", "string", "double", "int"})
"""The operations that stand for a fixed scalar."""

_ARITY = {
    **dict.fromkeys(("var", "size", "not", "neg"), 1),
    **dict.fromkeys(("field", "index", "has", "startsWith", "endsWith", "contains", "and", "or"), 2),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*"), 2),
    **dict.fromkeys(("?:", "all", "exists"), 3),
}


def operation(tree: Any, depth: int) -> str:
    """The operation at the root of a tree that lies `depth` deep; `ValueError` if malformed."""
    if not isinstance(tree, (list, tuple)) or not tree or not isinstance(tree[0], str):
        raise ValueError(f"an expression tree is an array that starts with a name, not a {type(tree).__name__}")
    if depth > MAX_DEPTH:
        raise ValueError(f"an expression tree is more than {MAX_DEPTH} operations deep")
    name = tree[0]
    if name in LITERALS or name == "list":
        return name
    arity = _ARITY.get(name)
    if arity is None:
        raise ValueError(f"an expression tree has no operation `{name[:40]}`")
    if len(tree) != arity + 1:
        raise ValueError(f"`{name}` in an expression tree takes {arity} items")
    return name


def label(item: Any) -> str:
    """A variable or field name in a tree; `ValueError` where it is not one."""
    if not isinstance(item, str):
        raise ValueError("a name in an expression tree is not a string")
    return item


def literal_value(tree: Any) -> Any:
    """The value of a literal; `ValueError` where its form is not canonical."""
    kind, item = tree[0], tree[1] if len(tree) == 2 else None
    if kind == "null" and len(tree) == 1:
        return None
    if (kind == "bool" and isinstance(item, bool)) or (kind == "string" and isinstance(item, str)):
        return item
    if kind == "double" and isinstance(item, str):
        double = float(item)
        if isfinite(double) and repr(double) == item:
            return double
    if kind == "int" and (type(item) is int or (isinstance(item, str) and len(item) <= 20)):
        number = int(item)
        if str(number) == str(item) and -(2**63) <= number < 2**63:
            return number
    raise ValueError(f"an expression tree has a malformed literal of kind `{kind}`")


def place_of(tree: Any) -> str:
    """How a reason calls the value of a tree: its path where it has one."""
    names: list[str] = []
    while tree[0] == "field":
        names.append(tree[2])
        tree = tree[1]
    return ".".join([tree[1], *reversed(names)]) if tree[0] == "var" else "the value"


def survey(tree: Any, names: set[str]) -> int:
    """The number of operations in a checked tree; collects the variables that it names."""
    if tree[0] == "var":
        names.add(tree[1])
    return 1 + sum(survey(item, names) for item in tree if isinstance(item, (list, tuple)))
