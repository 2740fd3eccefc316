"""JSON values at the border: private copies in, frozen views out, results decoded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from fsmc.runtime.canonical import canonical_json


_SCALARS = frozenset((str, int, float, bool, type(None)))


class NotJson(ValueError):
    """A value that JSON cannot say: NaN, a non-text key, an object of the application."""


def private_copy(value: Any) -> tuple[Any, str]:
    """A deep copy of a JSON value that nobody else holds, and its canonical text. Raises ``NotJson``."""
    if type(value) is dict and not value:
        return {}, "{}"
    try:
        _refuse_odd_keys(value)
        text = canonical_json(thaw(value))
        return json.loads(text), text
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJson(f"not a JSON value: {error}") from None


def _refuse_odd_keys(value: Any) -> None:
    # json.dumps would turn the keys 1, True and None into texts, silently.
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is not a text")
            _refuse_odd_keys(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _refuse_odd_keys(item)


def is_async_function(function: object) -> bool:
    """Whether calling *function* gives a coroutine. (``inspect`` would say the same, at ten times the import.)"""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return bool(code is not None and code.co_flags & 0x80) or hasattr(function, "_is_coroutine_mark")


def freeze(value: Any) -> Any:
    """A deep read-only view: mappings become ``MappingProxyType``, lists become tuples."""
    kind = type(value)
    if kind in _SCALARS or kind is Counts:
        return value
    if isinstance(value, Mapping):
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


def decode_result(result: Any) -> Any:
    """What ``result`` means in expressions: the decoded value where a text is a JSON object, array, number or boolean.

    A value that JSON cannot say is taken as its text: a result is never lost and never an error.
    """
    if isinstance(result, str):
        return _decode_text(result)
    if result is None or result is True or result is False:
        return result
    try:
        return private_copy(result)[0]
    except NotJson:
        return str(result)


def _decode_text(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    return text if value is None or isinstance(value, str) else value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


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
