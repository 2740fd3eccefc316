"""What the values of an expression are, and when two of them are equal.

The values are those of JSON.  Python draws some lines elsewhere (`True == 1`), so the rules of CEL
are spelled out here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType

from fsmc.runtime.annotations import Any
from fsmc.runtime.errors import EvaluationError

WORK_LIMIT = 100_000
"""The work one evaluation may do: macro iterations, elements compared or copied, KiB of text searched or compared."""

MAX_JOINED = 10_000
"""How many elements a list made with `+` may have."""

Meter = list[int]
"""The units of work that an evaluation has left; a list of one, shared by nested closures."""

ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "-": operator.sub,
    "*": operator.mul,
}
STRING_TESTS: dict[str, Callable[[str, str], bool]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": operator.contains,
}

_KINDS: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    type(None): "null",
    dict: "map",
    MappingProxyType: "map",
    list: "list",
    tuple: "list",
}

# Subclasses land here; exact types were found in the table.  No class can inherit from bool.
_FAMILIES: tuple[tuple[type, str], ...] = (
    (int, "int"),
    (float, "double"),
    (str, "string"),
    (Mapping, "map"),
    (list, "list"),
    (tuple, "list"),
)


def kind_of(value: Any) -> str:
    """Name the CEL type of a value; a value that JSON does not know is an `EvaluationError`."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    for family, name in _FAMILIES:
        if isinstance(value, family):
            return name
    raise EvaluationError(f"a Python `{type(value).__name__}` is not a value of an expression")


def named(kind: str) -> str:
    """A kind with its article, as a reason says it."""
    if kind == "null":
        return kind
    return f"an {kind}" if kind == "int" else f"a {kind}"


def spend(meter: Meter, units: int) -> None:
    """Take units of work from the meter, or refuse to go on."""
    meter[0] -= units
    if meter[0] < 0:
        raise EvaluationError(f"the evaluation needs more than {WORK_LIMIT:,} steps")


def spend_text(meter: Meter, length: int) -> None:
    """Pay for looking through text: nothing up to 1 KiB, which every step includes."""
    if length > 1023:
        spend(meter, length >> 10)


def equal(left: Any, right: Any, meter: Meter) -> bool:
    """CEL equality: numbers by value, lists and maps in depth, different kinds never."""
    kind, other = kind_of(left), kind_of(right)
    if kind != other:
        numeric = kind in ("int", "double") and other in ("int", "double")
        return numeric and bool(left == right)
    if kind == "list":
        return _equal_lists(left, right, meter)
    if kind == "map":
        return _equal_maps(left, right, meter)
    if kind == "string" and len(left) == len(right):
        spend_text(meter, len(left))
    return bool(left == right)


def _equal_lists(left: Any, right: Any, meter: Meter) -> bool:
    if len(left) != len(right):
        return False
    spend(meter, len(left))
    return all(equal(a, b, meter) for a, b in zip(left, right, strict=True))


def _equal_maps(left: Any, right: Any, meter: Meter) -> bool:
    if len(left) != len(right):
        return False
    spend(meter, len(left))
    for key, value in left.items():
        if kind_of(key) != "string":
            raise EvaluationError("the keys of a map are strings")
        spend_text(meter, len(key))
        if key not in right or not equal(value, right[key], meter):
            return False
    return True


def member(needle: Any, holder: Any, meter: Meter) -> bool:
    """`needle in holder`: an element of a list, or a key of a map."""
    kind = kind_of(holder)
    if kind == "list":
        spend(meter, len(holder))
        return any(equal(needle, item, meter) for item in holder)
    if kind != "map":
        raise EvaluationError(f"`in` looks into a list or a map, not into {named(kind)}")
    key_kind = kind_of(needle)
    if key_kind == "string":
        spend_text(meter, len(needle))
        return needle in holder
    if key_kind in ("bool", "int", "double"):
        return False  # CEL maps may have such keys, JSON objects never do
    raise EvaluationError(f"{named(key_kind)} cannot be the key of a map")


def select(holder: Any, name: str, place: str) -> Any:
    """`holder.name`, where `place` is how the holder is called in a reason."""
    kind = kind_of(holder)
    if kind != "map":
        raise EvaluationError(f"{place} is {named(kind)}, it has no field `{name}`")
    if name not in holder:
        raise EvaluationError(f"{place} has no field `{name}`")
    return holder[name]


def present(holder: Any, name: str, place: str) -> bool:
    """`has(holder.name)`."""
    kind = kind_of(holder)
    if kind != "map":
        raise EvaluationError(f"{place} is {named(kind)}, it has no field `{name}`")
    return name in holder


def element(holder: Any, index: Any, place: str, meter: Meter) -> Any:
    """`holder[index]`: a list by position, a map by key."""
    kind, index_kind = kind_of(holder), kind_of(index)
    if kind == "map":
        if index_kind != "string":
            raise EvaluationError(f"{place} is a map, its keys are strings, not {index_kind}")
        spend_text(meter, len(index))
        return select(holder, index, place)
    if kind != "list":
        raise EvaluationError(f"{place} is {named(kind)}, it has no elements")
    whole = index_kind == "int" or (index_kind == "double" and index.is_integer())
    if not whole:
        raise EvaluationError(f"{place} is a list, its positions are integers, not {index_kind}")
    if not 0 <= index < len(holder):
        raise EvaluationError(f"{place} has {len(holder)} elements, none at position {int(index)}")
    return holder[int(index)]


def size(value: Any) -> int:
    """`size(value)`: characters of a string, elements of a list, entries of a map."""
    kind = kind_of(value)
    if kind not in ("string", "list", "map"):
        raise EvaluationError(f"`size` measures a string, a list or a map, not {named(kind)}")
    return len(value)


def compare(symbol: str, left: Any, right: Any, meter: Meter) -> bool:
    """`left < right` and its sisters, for two numbers, two strings or two bools."""
    kind, other = kind_of(left), kind_of(right)
    numeric = kind in ("int", "double") and other in ("int", "double")
    if numeric or (kind == other and kind in ("string", "bool")):
        if kind == "string":
            spend_text(meter, min(len(left), len(right)))
        return bool(ORDER[symbol](left, right))
    raise EvaluationError(f"`{symbol}` cannot compare {kind} with {other}")


def match_strings(symbol: str, text: Any, part: Any, meter: Meter) -> bool:
    """`text.startsWith(part)` and its sisters."""
    for value in (text, part):
        kind = kind_of(value)
        if kind != "string":
            raise EvaluationError(f"`{symbol}` works on strings, not on {named(kind)}")
    spend_text(meter, len(text))
    return STRING_TESTS[symbol](text, part)


def integer(symbol: str, value: Any) -> int:
    """A 64-bit integer that arithmetic may use."""
    kind = kind_of(value)
    if kind != "int":
        raise EvaluationError(f"`{symbol}` works on integers, not on {named(kind)}")
    return in_range(symbol, value)


def in_range(symbol: str, value: int) -> int:
    """The integer itself, or an error where 64 bits cannot hold it."""
    if -(2**63) <= value < 2**63:
        return value
    raise EvaluationError(f"`{symbol}` leaves the range of 64-bit integers")


def add(left: Any, right: Any, meter: Meter) -> Any:
    """`left + right`: the sum of two integers, or a new list of the elements of two."""
    kind, other = kind_of(left), kind_of(right)
    for one in (kind, other):
        if one not in ("int", "list"):
            raise EvaluationError(f"`+` works on integers or lists, not on {named(one)}")
    if kind != other:
        raise EvaluationError(f"`+` cannot join {named(kind)} with {named(other)}")
    if kind == "int":
        return in_range("+", in_range("+", left) + in_range("+", right))
    length = len(left) + len(right)
    if length > MAX_JOINED:
        raise EvaluationError(f"`+` makes lists of at most {MAX_JOINED:,} elements, not of {length:,}")
    spend(meter, length)
    return [*left, *right]


def negative(value: Any) -> int | float:
    """`-value`, of an integer or a double."""
    if kind_of(value) == "double":
        result: float = -value
        return result
    return in_range("-", -integer("-", value))
