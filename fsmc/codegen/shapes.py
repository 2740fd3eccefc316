"""From JSON Schema to what a type system can say: a shape accepts every value that the schema accepts.

There is one exception, on purpose: where a schema names properties and does not mention others, a shape has these and no
others, although JSON Schema would let them pass. A name that is not listed is nearly always a typing error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote

Value: TypeAlias = str | int | bool


class Anything(NamedTuple):
    """A schema that is not simple enough, or accepts everything."""


class Scalar(NamedTuple):
    """``string``, ``integer``, ``number``, ``boolean`` or ``null``."""

    kind: str


class Choice(NamedTuple):
    """One of a few values."""

    values: tuple[Value, ...]


class Items(NamedTuple):
    """An array."""

    item: Shape


class Mapped(NamedTuple):
    """An object with any names."""

    value: Shape


class Field(NamedTuple):
    """A named value of a record."""

    name: str
    shape: Shape
    required: bool


class Record(NamedTuple):
    """An object with these names and no others."""

    fields: tuple[Field, ...]


class Either(NamedTuple):
    """One of several shapes, none of them ``Anything``."""

    options: tuple[Shape, ...]


Shape: TypeAlias = Anything | Scalar | Choice | Items | Mapped | Record | Either
ANYTHING = Anything()
OBJECT = Mapped(ANYTHING)

# What may bring along names that `properties` does not list.
_OPENING = frozenset(
    ("$dynamicRef", "$ref", "allOf", "anyOf", "dependentSchemas", "else", "if", "oneOf", "patternProperties", "then")
)
_SCALARS = ("string", "integer", "number", "boolean", "null")
# Schemas that refer to each other can grow without end, or nearly so; nobody reads a type of this size.
_MAX_DEPTH = 24
_MAX_SHAPES = 2000


def shape_of(schema_text: str | None) -> Record | Mapped:
    """The shape of the object that a schema describes: the facts of a context, or the arguments of a tool."""
    if schema_text is None:
        return OBJECT
    schema = json.loads(schema_text)
    if isinstance(schema, dict) and "type" not in schema and "properties" in schema:
        schema = {**schema, "type": "object"}
    shape = _Reader(schema).shape(schema)
    return shape if isinstance(shape, (Record, Mapped)) else OBJECT


def required_names(shape: Record | Mapped) -> tuple[str, ...]:
    """The names that a value of this shape must have."""
    return tuple(field.name for field in shape.fields if field.required) if isinstance(shape, Record) else ()


class _Reader:
    """Reads the schemas inside one schema, for which it is the root of references."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = _MAX_SHAPES
        self._inside: list[str] = []

    def shape(self, schema: Any, depth: int = 0) -> Shape:
        self._left -= 1
        if not isinstance(schema, dict) or depth > _MAX_DEPTH or self._left < 0:
            return ANYTHING
        if "const" in schema or "enum" in schema:
            return _choice(schema.get("enum", [schema.get("const")]), schema.get("type"))
        for word in ("$ref", "anyOf", "oneOf"):
            if word in schema:
                if (_OPENING | {"properties", "additionalProperties"}) & (schema.keys() - {word}):
                    return ANYTHING
                if word == "$ref":
                    return self._reference(schema[word], depth + 1)
                return either(self.shape(option, depth + 1) for option in schema[word])
        kinds = schema.get("type", [])
        return either(self._of(kind, schema, depth + 1) for kind in ([kinds] if isinstance(kinds, str) else kinds))

    def _of(self, kind: str, schema: Mapping[str, Any], depth: int) -> Shape:
        if kind in _SCALARS:
            return Scalar(kind)
        if kind == "array":
            return Items(ANYTHING if "prefixItems" in schema else self.shape(schema.get("items"), depth))
        return self._object(schema, depth)

    def _object(self, schema: Mapping[str, Any], depth: int) -> Shape:
        properties, others = schema.get("properties"), schema.get("additionalProperties")
        if _OPENING & schema.keys():
            return OBJECT
        if properties is None:
            return Record(()) if others is False else Mapped(self.shape(others, depth))
        if others not in (None, False):
            return OBJECT
        required = schema.get("required", [])
        names = dict.fromkeys((*properties, *required))
        return Record(tuple(Field(name, self.shape(properties.get(name), depth), name in required) for name in names))

    def _reference(self, reference: str, depth: int) -> Shape:
        if reference in self._inside:
            return ANYTHING
        self._inside.append(reference)
        found = self.shape(self._referenced(reference), depth)
        self._inside.pop()
        return found

    def _referenced(self, reference: str) -> Any:
        found = self._root
        for part in unquote(reference).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdigit() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, dict) and key in found:
                found = found[key]
            else:
                return None
        return found if reference.startswith("#/") or reference == "#" else None


def either(shapes: Iterable[Shape]) -> Shape:
    """One shape for several: choices are put together, and whatever may be anything is."""
    options: list[Shape] = []
    values: dict[tuple[type, Value], None] = {}  # True is not 1
    for shape in shapes:
        if isinstance(shape, Anything):
            return ANYTHING
        for part in shape.options if isinstance(shape, Either) else (shape,):
            if isinstance(part, Choice):
                values.update(((type(value), value), None) for value in part.values)
            elif repr(part) not in map(repr, options):
                options.append(part)
    if values:
        options.insert(0, Choice(tuple(value for _, value in values)))
    if not options:
        return ANYTHING
    return options[0] if len(options) == 1 else Either(tuple(options))


def _choice(values: list[Any], kinds: Any) -> Shape:
    allowed = ([kinds] if isinstance(kinds, str) else kinds) or None
    found: list[Shape] = []
    for value in values:
        kind = _kind(value)
        if allowed is not None and not (kind in allowed or (kind == "integer" and "number" in allowed)):
            continue
        if kind in ("number", "null"):
            found.append(Scalar(kind))
        elif kind in ("array", "object"):
            found.append(ANYTHING)
        else:
            found.append(Choice((value,)))
    return either(found)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds[type(value)]
