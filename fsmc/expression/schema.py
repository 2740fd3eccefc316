"""JSON Schema read as a type: the part of it that helps to check an expression.

Whatever is not understood becomes `DYN`: a schema can make the checker silent, never wrong.  A field counts as known
where any part of the schema names it, under whatever condition.
"""

from collections.abc import Mapping
from typing import Any

from fsmc.expression.types import (
    BOOL,
    DOUBLE,
    DYN,
    INT,
    NULL,
    NUMBER,
    STRING,
    ListType,
    MapType,
    String,
    Type,
    anything_but,
    join,
    meet,
    opened,
    with_fields,
)
from fsmc.runtime.references import UnsupportedSchema, has_inner_ids, resolve

_SIMPLE: dict[str, Type] = {
    "boolean": BOOL,
    "integer": INT,
    "number": NUMBER,
    "string": STRING,
    "null": NULL,
}
# These may add fields under a condition, so that no field can be called unknown.
_CONDITIONAL = ("if", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef")
_LIST_WORDS = ("items", "prefixItems")
_MAX_DEPTH = 32
# Where the other schemas about the same value stand.
_SAME = ("if", "then", "else", "not")
_SAME_LISTS = ("allOf", "anyOf", "oneOf")
_SAME_MAPS = ("dependentSchemas", "dependencies")
_NOTHING: frozenset[str] = frozenset()


def from_schema(schema: bool | Mapping[str, Any] | None) -> Type:
    """The type of the values that a JSON Schema accepts, as far as it can be told."""
    return _Reader(schema).read(schema, 0)


class _Reader:
    """One schema document; `known` holds what its references were found to be, `said` which fields its parts name."""

    __slots__ = ("known", "rebased", "root", "said")

    def __init__(self, root: Any) -> None:
        self.root = root
        self.known: dict[str, Type] = {}
        self.said: dict[int, frozenset[str] | None] = {}
        self.rebased: bool | None = None

    def read(self, schema: Any, depth: int) -> Type:
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            return DYN
        kind = self.combined(schema, depth)
        if kind == DYN:
            return kind
        names = self.names(schema, depth)
        return opened(kind) if names is None else with_fields(kind, names)

    def combined(self, schema: Mapping[str, Any], depth: int) -> Type:
        parts = [self.declared(schema, depth)]
        if "$ref" in schema:
            parts.append(self.reference(schema["$ref"], depth))
        if isinstance(schema.get("allOf"), list):
            parts += [self.read(part, depth + 1) for part in schema["allOf"]]
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list):
                parts.append(join(self.read(part, depth + 1) for part in schema[word]))
        kind = parts[0]
        for part in parts[1:]:
            kind = meet(kind, part)
        return kind

    def names(self, schema: Any, depth: int) -> frozenset[str] | None:
        """The fields that a schema or its parts about the same value name; `None` where some part allows any."""
        if not isinstance(schema, Mapping):
            return _NOTHING
        if id(schema) not in self.said:
            self.said[id(schema)] = None  # of a schema that leads back to itself nothing is known
            self.said[id(schema)] = self.names_in(schema, depth) if depth <= _MAX_DEPTH else None
        return self.said[id(schema)]

    def names_in(self, schema: Mapping[str, Any], depth: int) -> frozenset[str] | None:
        if "patternProperties" in schema or any(word in schema for word in _CONDITIONAL):
            return None
        if schema.get("additionalProperties", schema.get("unevaluatedProperties", False)) is not False:
            return None
        found: set[str] = set()
        for word in ("properties", "required", "dependentRequired"):
            said = schema.get(word)
            if isinstance(said, (Mapping, list)):
                found.update(name for name in said if isinstance(name, str))
        parts = [schema.get(word) for word in _SAME]
        for word in _SAME_LISTS:
            parts += schema[word] if isinstance(schema.get(word), list) else ()
        if "$ref" in schema:
            parts.append(self.target(schema["$ref"]))
            if parts[-1] is None:
                return None
        for part in parts:
            names = self.names(part, depth + 1)
            if names is None:
                return None
            found |= names
        return frozenset(found)

    def declared(self, schema: Mapping[str, Any], depth: int) -> Type:
        """What a schema says by itself, without the schemas that it combines."""
        kind = self.by_type(schema, depth)
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(values, list) and values:
            return meet(kind, join(map(_of_value, values)))
        return kind

    def by_type(self, schema: Mapping[str, Any], depth: int) -> Type:
        names = schema.get("type")
        if names is None:
            # These words bind objects and lists, and let any other value pass.
            bound: list[Type] = [self.object(schema, depth)] if "properties" in schema else []
            if any(word in schema for word in _LIST_WORDS):
                bound.append(ListType(self.items(schema, depth)))
            return anything_but(*bound) if bound else DYN
        if isinstance(names, str):
            names = [names]
        if not isinstance(names, list) or not names:
            return DYN
        return join(self.named(name, schema, depth) for name in names)

    def named(self, name: Any, schema: Mapping[str, Any], depth: int) -> Type:
        if name == "object":
            return self.object(schema, depth)
        if name == "array":
            return ListType(self.items(schema, depth))
        return _SIMPLE.get(name, DYN) if isinstance(name, str) else DYN

    def object(self, schema: Mapping[str, Any], depth: int) -> Type:
        properties = schema.get("properties")
        fields: dict[str, Type] = {}
        if isinstance(properties, Mapping):
            fields = {str(key): self.read(part, depth + 1) for key, part in properties.items()}
        required = schema.get("required")
        names = required if isinstance(required, list) else []
        always = frozenset(name for name in names if isinstance(name, str))
        return MapType(fields, always, self.rest(schema, depth))

    def rest(self, schema: Mapping[str, Any], depth: int) -> Type | None:
        """The type of the fields that have no name, `None` where they are mistakes."""
        if "patternProperties" in schema or any(word in schema for word in _CONDITIONAL):
            return DYN
        others = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
        if others is False:
            return None
        if others is None:
            # The author of named fields wants a misspelt one found.
            return None if schema.get("properties") else DYN
        return self.read(others, depth + 1)

    def items(self, schema: Mapping[str, Any], depth: int) -> Type:
        first = schema.get("prefixItems")
        others = schema.get("items")
        if isinstance(others, list):  # how drafts before 2020-12 wrote `prefixItems`
            first, others = others, schema.get("additionalItems")
        if not isinstance(first, list):
            return self.read(others, depth + 1)
        kinds = [self.read(part, depth + 1) for part in first]
        if others is not False:
            kinds.append(self.read(others, depth + 1))
        return join(kinds)

    def reference(self, pointer: Any, depth: int) -> Type:
        """The type behind a local reference; one that leads back to itself is `DYN` there."""
        if not isinstance(pointer, str) or not pointer.startswith("#"):
            return DYN
        if pointer not in self.known:
            self.known[pointer] = DYN
            self.known[pointer] = self.read(self.target(pointer), depth + 1)
        return self.known[pointer]

    def target(self, pointer: Any) -> Any:
        """The schema behind a reference; `None` where that is not certain."""
        if self.rebased is None:
            self.rebased = has_inner_ids(self.root)
        try:
            return None if self.rebased or not isinstance(pointer, str) else resolve(self.root, pointer)
        except UnsupportedSchema:
            return None


def _of_value(value: Any) -> Type:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, str):
        return String(frozenset((value,)))
    if isinstance(value, int):
        return INT
    if isinstance(value, float):
        # JSON Schema has one kind of number: 1.0 in an enum also allows the integer 1.
        return NUMBER if value.is_integer() else DOUBLE
    return DYN
