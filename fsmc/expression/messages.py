"""The sentences that the checker says about values whose types do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmc.expression.errors import ExpressionError, one_of
from fsmc.expression.nodes import Binary, Name, Node
from fsmc.expression.types import (
    BOOL,
    DYN,
    NULL,
    MapType,
    String,
    Type,
    describe,
    families,
    field_names,
    may_be,
    may_be_integer,
    options_of,
)
from fsmc.runtime.annotations import NamedTuple
from fsmc.runtime.expression_text import render
from fsmc.spelling import did_you_mean, nearest

_LONGEST_SHOWN = 50
_FOREIGN_CONSTANTS = {
    **dict.fromkeys(("True", "TRUE"), "true"),
    **dict.fromkeys(("False", "FALSE"), "false"),
    **dict.fromkeys(("None", "NULL", "Null", "nil", "undefined"), "null"),
}


class Typed(NamedTuple):
    """A part of an expression: where it stands, its tree, its type."""

    node: Node
    tree: list[Any]
    type: Type


def shown(value: Typed) -> str:
    """How a sentence calls a value: by its text, unless that is long."""
    text = render(value.tree)
    return text if len(text) <= _LONGEST_SHOWN else "this value"


def a_type(kind: Type) -> str:
    """A type with its article; "null" has none."""
    name = describe(kind)
    if name == "null":
        return name
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _error(value: Typed, message: str, hint: str | None = None) -> ExpressionError:
    start, end = value.node.start, value.node.end
    return ExpressionError(message, start, end - start, hint)


def unexpected(value: Typed, expected: Type) -> ExpressionError:
    """The whole expression has a value that its place cannot take."""
    if _values(expected) is not None and "string" in families(value.type):
        return _outside(value, value, expected)
    hint = "compare it with something" if expected == BOOL else None
    return _error(value, f"{a_type(expected)} is expected here, this is {a_type(value.type)}", hint)


def wrong_kind(value: Typed, who: str, wanted: str) -> ExpressionError:
    """An operator or function is given something that it does not work on."""
    verb = "is" if who.startswith("the ") else "works on"
    return _error(value, f"{who} {verb} {wanted}; {shown(value)} is {a_type(value.type)}")


def unknown_name(node: Name, env: Mapping[str, Type], unavailable: Mapping[str, str]) -> ExpressionError:
    """A name that means nothing here."""
    name, length = node.name, node.end - node.start
    if name in unavailable:
        return ExpressionError(unavailable[name], node.start, length)
    hint = None
    holders = [holder for holder in env if name in field_names(env[holder])]
    if name in _FOREIGN_CONSTANTS:
        hint = f"did you mean `{_FOREIGN_CONSTANTS[name]}`?"
    elif holders:
        hint = f"did you mean `{holders[0]}.{name}`?"
    else:
        hint = did_you_mean(name, [*env, "true", "false", "null"])
    if hint is None and env:
        hint = f"the names here are {one_of(env)}"
    return ExpressionError(f"`{name[:40]}` is not known here", node.start, length, hint)


def unknown_field(operand: Typed, name: str, offset: int, length: int) -> ExpressionError:
    """A field that the operand cannot have."""
    kind = operand.type
    if not any(isinstance(option, MapType) for option in options_of(kind)):
        measures = name in ("length", "size", "count", "len")
        hint = f"write size({shown(operand)})" if measures else None
        message = f"{shown(operand)} is {a_type(kind)}, it has no field `{name[:40]}`"
        return ExpressionError(message, offset, length, hint)
    names = field_names(kind)
    hint = did_you_mean(name, names)
    if hint is None and names:
        hint = f"its fields are {one_of(names)}"
    message = f"{shown(operand)} has no field `{name[:40]}`"
    return ExpressionError(message, offset, length, hint)


def negative_position(key: Typed) -> ExpressionError:
    """A list is asked for the element at -1."""
    return _error(key, "the positions of a list count from 0")


def wrong_key(holder: Typed, key: Typed) -> ExpressionError:
    """A list is asked by something else than an integer, or a map than a string."""
    kinds = families(holder.type)
    message = "positions are integers and keys are strings"
    if kinds == {"list"}:
        message = f"{shown(holder)} is a list, its positions are integers"
    elif kinds == {"map"}:
        message = f"{shown(holder)} is a map, its keys are strings"
    return _error(key, f"{message}; {shown(key)} is {a_type(key.type)}")


def wrong_holder(needle: Typed, holder: Typed) -> ExpressionError:
    """`in` looks into something that is neither a list nor a map."""
    hint = None
    if families(holder.type) == {"string"}:
        hint = f"write {shown(holder)}.contains({shown(needle)})"
    message = f"`in` looks into a list or a map; {shown(holder)} is {a_type(holder.type)}"
    return _error(holder, message, hint)


def list_contains(receiver: Typed, part: Typed) -> ExpressionError:
    """`contains` is asked of a list."""
    message = f"`contains` works on strings; {shown(receiver)} is {a_type(receiver.type)}"
    return _error(receiver, message, f"write {shown(part)} in {shown(receiver)}")


def never_equal(node: Binary, left: Typed, right: Typed) -> ExpressionError:
    """Two values that no facts can make equal."""
    for value, other in ((left, right), (right, left)):
        listed = _values(value.type)
        if other.tree[0] == "string" and listed is not None and value.tree[0] != "string":
            return _outside(other, value, value.type)
        if other.type == NULL:
            message = f"{shown(value)} is {a_type(value.type)} and can never be null"
            hint = None
            if value.tree[0] == "field":
                hint = f"write has({shown(value)}) to ask whether it is there"
            return _error(value, message, hint)
    hint = None
    for value, other in ((left, right), (right, left)):
        numeric = not families(other.type).isdisjoint(("int", "double"))
        if numeric and value.tree[0] == "string" and value.tree[1].strip("+-").isdigit():
            hint = "numbers are written without quotes"
    one, two = a_type(left.type), a_type(right.type)
    message = f"{shown(left)} and {shown(right)} can never be equal"
    if one != two:
        message = f"{shown(left)} is {one}, {shown(right)} is {two}: they can never be equal"
    if node.operator == "in":
        return _error(right, message, hint)
    return ExpressionError(message, node.start, node.end - node.start, hint)


def never_inside(needle: Typed, holder: Typed, item: Type) -> ExpressionError:
    """A value that no list of this type can hold."""
    values = _values(item)
    text = needle.tree[1] if needle.tree[0] == "string" else None
    if text is not None and values is not None:
        near = nearest(text, values)
        hint = None if near is None else f"did you mean `{near}`?"
        message = f"each element of {shown(holder)} is one of {one_of(values)}, never `{text[:40]}`"
        return _error(needle, message, hint)
    message = f"{shown(holder)} is {a_type(holder.type)}, {shown(needle)} is {a_type(needle.type)}"
    return _error(needle, f"{message}: it can never be in it")


def _values(kind: Type) -> frozenset[str] | None:
    """The strings that are possible, where a schema lists them."""
    for option in options_of(kind):
        if isinstance(option, String):
            return option.values
    return None


def _outside(literal: Typed, value: Typed, kind: Type) -> ExpressionError:
    """A string is compared with, or put where, only other strings are possible."""
    values = _values(kind) or frozenset()
    if literal.tree[0] != "string":
        return _error(literal, f"only {one_of(values)} is possible here")
    text = literal.tree[1]
    near = nearest(text, values)
    hint = None if near is None else f"did you mean `{near}`?"
    name = "this place" if value is literal else shown(value)
    known = f"is one of {one_of(values)}" if len(values) > 1 else f"is always {one_of(values)}"
    message = f"{name} {known}; `{text[:40]}` can never be equal"
    return _error(literal, message, hint)


def no_order(node: Binary, left: Typed, right: Typed) -> ExpressionError:
    """`<` between values that have no order."""
    message = f"`{node.operator}` compares two numbers, two strings or two bools"
    kinds = f"these are {a_type(left.type)} and {a_type(right.type)}"
    if DYN in (left.type, right.type):
        kinds = f"one of these is {a_type(right.type if left.type == DYN else left.type)}"
    return ExpressionError(f"{message}; {kinds}", node.start, node.end - node.start)


def not_an_integer(operand: Typed, symbol: str) -> ExpressionError:
    """Arithmetic on something else than integers."""
    return _error(operand, f"`{symbol}` works on integers; {shown(operand)} is {a_type(operand.type)}")


def no_sum(left: Typed, right: Typed) -> ExpressionError:
    """`+` between values that can neither be added nor joined."""
    if any("list" in families(operand.type) for operand in (left, right)):
        alien = right if may_be(left.type, "list") else left
        message = f"`+` joins two lists; {shown(alien)} is {a_type(alien.type)}"
        return _error(alien, message, "put a single element in brackets")
    alien = right if may_be_integer(left.type) else left
    message = f"`+` works on integers or lists; {shown(alien)} is {a_type(alien.type)}"
    strings = "string" in families(alien.type)
    return _error(alien, message, "strings are not joined in the policy language" if strings else None)


def unlike_branches(yes: Typed, no: Typed) -> ExpressionError:
    """A conditional whose value would have two unrelated types."""
    message = f"the two values of `?:` are {a_type(yes.type)} and {a_type(no.type)}"
    start, end = yes.node.start, no.node.end
    return ExpressionError(message, start, end - start, "both must be of one kind")
