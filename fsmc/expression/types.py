"""The types that the checker reasons with, and what can be said about a pair of them.

A type says which JSON values an expression may have.  `DYN` says nothing; a `Union` lists
alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from fsmc.runtime.annotations import NamedTuple


class Simple(NamedTuple):
    """A type without parts: `bool`, `int`, `double`, `null`, or `dyn`, which may be anything."""

    name: str


class String(NamedTuple):
    """Text; `values` are the only ones possible, where a schema lists them."""

    values: frozenset[str] | None = None


class ListType(NamedTuple):
    """A list whose elements have one type."""

    item: Type


class MapType(NamedTuple):
    """A map: its named fields, those always there, and the type of the others.

    Where `rest` is `None` a field without a name in `fields` is a mistake.
    """

    fields: Mapping[str, Type]
    required: frozenset[str]
    rest: Type | None


class Union(NamedTuple):
    """One of several types, none of which is a union or `dyn`."""

    options: tuple[Type, ...]


Type: TypeAlias = Simple | String | ListType | MapType | Union

BOOL = Simple("bool")
INT = Simple("int")
DOUBLE = Simple("double")
NULL = Simple("null")
DYN = Simple("dyn")
STRING = String()
NUMBER = Union((INT, DOUBLE))
ANY_MAP = MapType({}, frozenset(), DYN)
_MOST_MAPS = 16


def options_of(kind: Type) -> tuple[Type, ...]:
    """The alternatives of a type, itself where it has no others."""
    return kind.options if isinstance(kind, Union) else (kind,)


def join(types: Iterable[Type]) -> Type:
    """The type of a value that has one of these types."""
    options: list[Type] = []  # a few dozen at most: alternatives of one family are merged
    for kind in types:
        for option in options_of(kind):
            if option == DYN:
                return DYN
            _add(options, option)
    if not options:
        return DYN
    return options[0] if len(options) == 1 else Union(tuple(options))


def _add(options: list[Type], new: Type) -> None:
    for position, old in enumerate(options):
        if old == new:
            return
        if isinstance(old, String) and isinstance(new, String):
            known = old.values is not None and new.values is not None
            options[position] = String((old.values or frozenset()) | (new.values or frozenset()))
            if not known:
                options[position] = STRING
            return
        if isinstance(old, ListType) and isinstance(new, ListType):
            options[position] = ListType(join((old.item, new.item)))
            return
    if isinstance(new, MapType):
        maps = [position for position, old in enumerate(options) if isinstance(old, MapType)]
        if len(maps) >= _MOST_MAPS:
            options[maps[-1]] = _join_maps(options[maps[-1]], new)  # type: ignore[arg-type]
            return
    options.append(new)


def _join_maps(first: MapType, second: MapType) -> MapType:
    """One map for two alternatives, once there are too many of them to be told apart."""
    fields = {}
    for name in dict.fromkeys((*first.fields, *second.fields)):
        kinds = [kind for one in (first, second) if (kind := one.fields.get(name, one.rest)) is not None]
        fields[name] = join(kinds)
    rests = [one.rest for one in (first, second) if one.rest is not None]
    return MapType(fields, first.required & second.required, join(rests) if rests else None)


def with_fields(kind: Type, names: Iterable[str]) -> Type:
    """The same type, in which these fields are no mistakes: nothing is known of those that it does not have yet."""
    missing = {name: DYN for name in sorted(names) if field_of(kind, name) is None}
    if not missing:
        return kind
    return _over_maps(kind, lambda each: each._replace(fields={**each.fields, **missing}))


def opened(kind: Type) -> Type:
    """The same type, in which no field is a mistake."""
    return _over_maps(kind, lambda each: each._replace(rest=DYN) if each.rest is None else each)


def _over_maps(kind: Type, change: Callable[[MapType], MapType]) -> Type:
    options = tuple(change(each) if isinstance(each, MapType) else each for each in options_of(kind))
    return Union(options) if isinstance(kind, Union) else options[0]


def map_of(kind: Type) -> MapType | None:
    """The one map that a value of this type may be; None where there are several, or none."""
    maps = [each for each in options_of(kind) if isinstance(each, MapType)]
    return maps[0] if len(maps) == 1 else None


def meet(first: Type, second: Type) -> Type:
    """The type of a value that two parts of a schema both describe."""
    if DYN in (first, second):
        return second if first == DYN else first
    return join(
        _meet_options(one, other)
        for one in options_of(first)
        for other in options_of(second)
        if family(one) == family(other)
    )


def _meet_options(first: Type, second: Type) -> Type:
    if isinstance(first, MapType) and isinstance(second, MapType):
        return _meet_maps(first, second)
    if isinstance(first, ListType) and isinstance(second, ListType):
        return ListType(meet(first.item, second.item))
    if isinstance(first, String) and isinstance(second, String):
        if first.values is None or second.values is None:
            return second if first.values is None else first
        return String(first.values & second.values)
    return first


def _meet_maps(first: MapType, second: MapType) -> MapType:
    fields = dict(first.fields)
    for name, kind in second.fields.items():
        fields[name] = meet(fields[name], kind) if name in fields else kind
    required = first.required | second.required
    # A map without named fields leaves the others open only because it says nothing about them.
    if not first.fields or not second.fields:
        silent, other = (first, second) if not first.fields else (second, first)
        rest = other.rest if silent.rest == DYN else silent.rest
    else:
        rest = None if first.rest is None and second.rest is None else DYN
    return MapType(fields, required, rest)


_EVERY_FAMILY = frozenset(("bool", "int", "double", "string", "null", "list", "map"))


def anything_but(*kinds: Type) -> Type:
    """A value of any type, which is one of *kinds* where it is of their family."""
    others = (BOOL, INT, DOUBLE, STRING, NULL, ListType(DYN), ANY_MAP)
    known = {family(kind) for kind in kinds}
    return Union((*kinds, *(other for other in others if family(other) not in known)))


def family(kind: Type) -> str:
    """The name of what a type is, without its parts."""
    if isinstance(kind, Simple):
        return kind.name
    if isinstance(kind, String):
        return "string"
    if isinstance(kind, ListType):
        return "list"
    return "map" if isinstance(kind, MapType) else "union"


def families(kind: Type) -> frozenset[str]:
    """What a value of this type may be; empty for `dyn`, of which nothing is known."""
    return frozenset(family(option) for option in options_of(kind)) - {"dyn"}


def may_be(kind: Type, *wanted: str) -> bool:
    """Whether a value of this type may be one of the named families."""
    return kind == DYN or not families(kind).isdisjoint(wanted)


def may_be_integer(kind: Type) -> bool:
    """Whether arithmetic may use a value of this type: a number may be a double, and then it is refused."""
    return may_be(kind, "int") and "double" not in families(kind)


def describe(kind: Type) -> str:
    """A type as a sentence names it."""
    if isinstance(kind, Union):
        if families(kind) >= _EVERY_FAMILY:
            return describe(DYN)
        names = list(dict.fromkeys(describe(option) for option in kind.options))
        if "int" in names and "double" in names:
            names = ["number", *(name for name in names if name not in ("int", "double"))]
        return " or ".join(names)
    if isinstance(kind, ListType):
        return "list" if kind.item == DYN else f"list of {describe(kind.item)}"
    return "value of unknown type" if kind == DYN else family(kind)


def can_equal(first: Type, second: Type, filled: bool = False) -> bool:
    """Whether some value of one type equals some value of the other. Empty lists are equal, whatever they are lists of;
    *filled* says that these are not empty.
    """
    if DYN in (first, second):
        return True
    return any(_options_can_equal(one, other, filled) for one in options_of(first) for other in options_of(second))


def _options_can_equal(first: Type, second: Type, filled: bool) -> bool:
    numbers = (INT, DOUBLE)
    if first in numbers and second in numbers:
        return True
    if isinstance(first, String) and isinstance(second, String):
        if first.values is None or second.values is None:
            return True
        return not first.values.isdisjoint(second.values)
    if isinstance(first, ListType) and isinstance(second, ListType):
        return not filled or can_equal(first.item, second.item)
    return family(first) == family(second)


def can_order(first: Type, second: Type) -> bool:
    """Whether `<` may have a value between the two types."""
    if DYN in (first, second):
        kinds = families(first) | families(second)
        return not kinds or not kinds.isdisjoint(("int", "double", "string", "bool"))
    one, other = families(first), families(second)
    numbers = {"int", "double"}
    return bool((one & numbers and other & numbers) or (one & other & {"string", "bool"}))


def field_of(kind: Type, name: str) -> Type | None:
    """The type of a named field, or `None` where no map of the type has it."""
    if kind == DYN:
        return DYN
    found = []
    for option in options_of(kind):
        if isinstance(option, MapType):
            kind_of_field = option.fields.get(name, option.rest)
            if kind_of_field is not None:
                found.append(kind_of_field)
    return join(found) if found else None


def field_names(kind: Type) -> list[str]:
    """The names of all fields that the maps of a type declare."""
    maps = [option for option in options_of(kind) if isinstance(option, MapType)]
    return list(dict.fromkeys(name for option in maps for name in option.fields))


def item_of(kind: Type) -> Type:
    """The type of the elements of a list, or of the values of a map reached by a computed key."""
    found: list[Type] = []
    for option in options_of(kind):
        if isinstance(option, ListType):
            found.append(option.item)
        elif isinstance(option, MapType):
            found += [*option.fields.values(), *([] if option.rest is None else [option.rest])]
    return join(found)


def element_of(kind: Type) -> Type:
    """The type of the elements of what may be a list."""
    return join(option.item for option in options_of(kind) if isinstance(option, ListType))
