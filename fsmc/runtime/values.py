"""JSON values at the border: private copies in, frozen views out, results decoded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from fsmc.runtime.annotations import Any, TypeVar

_EXACT = 2**53
_INFINITY = float("inf")
_TOO_LONG = 10**4000  # below what Python writes as text
_MAX_DEPTH = 100  # the same on every Python, well below what recursion bears
_SCALARS = frozenset((str, int, float, bool, type(None)))


T = TypeVar("T")


class NotJson(ValueError):
    """A value that JSON cannot say: NaN, a non-text key, an object of the application."""


def private_copy(value: Any) -> Any:
    """A deep copy of a JSON value that nobody else holds. Raises ``NotJson``."""
    try:
        return _plain(value)
    except Exception as error:  # whatever an object of the application does when it is read
        raise NotJson(f"not a JSON value: {described(error)}") from None


def _plain(value: Any, depth: int = 0) -> Any:
    """Plain dicts and lists; a whole number written as a float becomes an integer, as RFC 8785 writes it."""
    kind = type(value)
    if kind is str:
        if not value.isascii():
            value.encode()  # a lone surrogate is no text
        return value
    if kind is bool or value is None:
        return value
    if kind is int:
        if not -_TOO_LONG < value < _TOO_LONG:
            raise ValueError("an integer of too many digits")
        return value
    if kind is float:
        if not -_INFINITY < value < _INFINITY:  # NaN is not either
            raise ValueError(f"{value} is not a number of JSON")
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if depth > _MAX_DEPTH:
        raise ValueError(f"nested more than {_MAX_DEPTH} levels deep")
    if kind is dict or isinstance(value, Mapping):
        copy = {}
        for key, item in value.items():
            if not isinstance(key, str):
                # json.dumps would turn the keys 1, True and None into texts, silently.
                raise TypeError(f"the key {key!r} is not a text")
            copy[_plain(str.__str__(key))] = _plain(item, depth + 1)
        return copy
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    return _plain(json.loads(json.dumps(value, allow_nan=False)))


def described(error: BaseException) -> str:
    """The kind of an exception and what it says, where it can say it."""
    try:
        text = str(error)
    except Exception:
        text = "(its text cannot be read)"
    return f"{type(error).__name__}: {shortened(text, 300)}"


def named(value: object) -> str:
    """A name as a message shows it: a text, not too long, or the kind of what is no text."""
    if not isinstance(value, str):
        return f"({type(value).__name__})"
    return shortened(str.__str__(value)).encode(errors="backslashreplace").decode()


def shortened(text: str, limit: int = 80) -> str:
    """*text*, cut where it would be too long to read."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def is_async_function(function: object) -> bool:
    """Whether calling *function* gives a coroutine. (``inspect`` would say the same, at ten times the import.)"""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return bool(code is not None and code.co_flags & 0x80)


def freeze(value: Any) -> Any:
    """A deep read-only view: mappings become ``MappingProxyType``, lists become tuples."""
    kind = type(value)
    if kind in _SCALARS or kind is Counts or kind is Visits:
        return value
    if kind is dict or isinstance(value, Mapping):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(map(freeze, value))
    return value


def thaw(value: Any) -> Any:
    """Plain dicts and lists again."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(thaw, value))
    return value


def decode_result(result: Any, notes: list[str] | None = None) -> Any:
    """What ``result`` means in expressions: the decoded value where a text is a JSON object, array, number or boolean.

    A result is never lost and never an error. What JSON cannot say becomes what is nearest to it: a dataclass its fields, a
    set a list, a key that is no text its text, and anything else (a date, a Decimal, bytes, NaN) its text; *notes* are told.
    """
    if isinstance(result, str):
        return _decode_text(result)
    if result is None or result is True or result is False:
        return result
    try:
        return private_copy(result)
    except NotJson:
        odd: list[str] = []
        nearest = _nearest(result, "result", odd)
        if notes is not None and odd:
            more = f" (and {len(odd) - 1} more like it)" if len(odd) > 1 else ""
            notes.append(f"{odd[0]}, which JSON cannot say: taken as its text{more}")
        return nearest


def _nearest(value: Any, place: str, odd: list[str], depth: int = 0) -> Any:
    """*value* as JSON, as near as it goes. What was no JSON is said in *odd*."""
    try:
        if depth <= _MAX_DEPTH:
            fields = getattr(type(value), "__dataclass_fields__", None)
            if fields is not None:
                value = {name: getattr(value, name) for name in fields}
            if isinstance(value, Mapping):
                return {
                    _text_of(key): _nearest(item, f"{place}.{_text_of(key)}", odd, depth + 1)
                    for key, item in value.items()
                }
            if isinstance(value, (list, tuple, set, frozenset)):
                return [_nearest(item, f"{place}[{n}]", odd, depth + 1) for n, item in enumerate(value)]
            if value is None or isinstance(value, (str, int, float)):
                return _plain(value)
    except Exception:  # a value that no JSON has, or an object that cannot be read
        pass
    if len(odd) < _MAX_DEPTH:
        odd.append(f"`{shortened(place)}` is {type(value).__name__}")
    return _text_of(value)


def _text_of(value: Any) -> str:
    try:
        return str(value).encode(errors="backslashreplace").decode()
    except Exception:
        return f"<{type(value).__name__}>"


def decoded_arguments(text: str) -> Any:
    """The arguments that a text stands for. Raises ``NotJson``."""
    if not text.strip():
        return None
    try:
        return _STRICT_DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise NotJson(f"a text that is no JSON: {described(error)}") from None


def _decode_text(text: str) -> Any:
    if text.lstrip(" \t\r\n")[:1] not in _JSON_STARTS:
        return text
    try:
        value = _plain(_DECODER.decode(text))
    except (ValueError, RecursionError):
        return text
    return text if value is None or isinstance(value, str) else value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_STRICT_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_distinct)
# What an object, an array, a number, true or false begins with.
_JSON_STARTS = frozenset("{[-0123456789tf")


class View(Mapping[str, T]):
    """A mapping that nobody can change. (A ``MappingProxyType`` hands its dict to whatever it is compared with.)"""

    __slots__ = ("_items",)

    def __init__(self, items: dict[str, T]) -> None:
        self._items = items

    def __getitem__(self, name: str) -> T:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __repr__(self) -> str:
        return repr(self._items)


class Visits(Mapping[str, int]):
    """How often each state was entered: 0 where it never was, and where visits are not counted."""

    __slots__ = ("_counted", "_numbers")

    def __init__(self, numbers: Mapping[str, int], counted: list[int] | None) -> None:
        self._numbers = numbers
        self._counted = counted

    def __getitem__(self, name: str) -> int:
        number = self._numbers[name]
        return 0 if self._counted is None else self._counted[number]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return repr(dict(self))


class Counts(Mapping[str, int]):
    """How often each declared name was counted: 0 where it never was; a name that is not declared is absent."""

    __slots__ = ("_counted", "_names")

    def __init__(self, names: Mapping[str, Any], counted: dict[str, int]) -> None:
        self._names = names
        self._counted = counted

    def __getitem__(self, name: str) -> int:
        if name in self._counted:
            return self._counted[name]
        if name in self._names:
            return 0
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))
