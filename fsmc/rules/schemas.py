"""What makes a JSON Schema inside a policy unusable. Its keywords and their types are right: the schema of policies saw
to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from fsmc.analysis.algorithms import strong_components
from fsmc.rules.telling import quoted
from fsmc.source.tree import MappingNode, Place, SequenceNode


class Fault(NamedTuple):
    """A keyword that cannot be used."""

    message: str
    place: Place
    hint: str


# Keywords that hold schemas: one, a list of them, or a mapping to them. False ones look at a part of the value,
# the others at the same value again.
_ONE = {"not": True, "if": True, "then": True, "else": True,
        "items": False, "contains": False, "additionalProperties": False, "propertyNames": False,
        "unevaluatedProperties": False, "unevaluatedItems": False}  # fmt: skip
_LISTS = {"allOf": True, "anyOf": True, "oneOf": True, "prefixItems": False}
_MAPS = {
    "dependentSchemas": True,
    "properties": False,
    "patternProperties": False,
    "$defs": False,
    "definitions": False,
}


def faults(root: MappingNode) -> list[Fault]:
    """Everything that makes the schema *root* unusable, each at its keyword."""
    schemas = _collect(root)
    index = {id(schema): number for number, (schema, _) in enumerate(schemas)}
    found: list[Fault] = []
    again: list[list[int]] = []
    for schema, _ in schemas:
        found += _bad_patterns(schema)
        row = [index[id(part)] for part, same in _parts(schema) if same]
        if "$ref" in schema:
            target = _resolve(root, schema["$ref"])
            if isinstance(target, MappingNode) and id(target) in index:
                row.append(index[id(target)])
            elif not isinstance(target, bool):
                message = f"{quoted(schema['$ref'])} leads to no schema"
                hint = "refer to a place inside this schema, like `#/$defs/NAME`"
                found.append(Fault(message, schema.value_place("$ref"), hint))
        again.append(row)
    found += _endless([schema for schema, _ in schemas], again)
    return sorted(found, key=lambda fault: fault.place)


def _collect(root: MappingNode) -> list[tuple[MappingNode, bool]]:
    """*root* and every schema inside it, each once."""
    schemas = [(root, False)]
    seen = {id(root)}
    for schema, _ in schemas:
        for part, same in _parts(schema):
            if id(part) not in seen:
                seen.add(id(part))
                schemas.append((part, same))
    return schemas


def _parts(schema: MappingNode) -> Iterator[tuple[MappingNode, bool]]:
    """The schemas directly inside *schema*, and whether each looks at the same value."""
    for keyword, argument in schema.items():
        parts: Any = ()
        if keyword in _ONE:
            parts, same = (argument,), _ONE[keyword]
        elif keyword in _LISTS and isinstance(argument, SequenceNode):
            parts, same = argument, _LISTS[keyword]
        elif keyword in _MAPS and isinstance(argument, MappingNode):
            parts, same = argument.values(), _MAPS[keyword]
        for part in parts:
            if isinstance(part, MappingNode):
                yield part, same


def _bad_patterns(schema: MappingNode) -> Iterator[Fault]:
    if isinstance(schema.get("pattern"), str) and (why := _uncompilable(schema["pattern"])):
        yield Fault(f"not a regular expression: {why}", schema.value_place("pattern"), "correct the `pattern`")
    patterns = schema.get("patternProperties")
    if isinstance(patterns, MappingNode):
        for pattern in patterns:
            if why := _uncompilable(pattern):
                yield Fault(f"not a regular expression: {why}", patterns.key_place(pattern), "correct the pattern")


def _uncompilable(pattern: str) -> str | None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return None


def _resolve(root: MappingNode, reference: str) -> Any:
    """What a reference leads to; None where it leads nowhere."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    found: Any = root
    for part in reference.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, SequenceNode) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, MappingNode) and name in found:
            found = found[name]
        else:
            return None
    return found


def _endless(schemas: list[MappingNode], again: list[list[int]]) -> Iterator[Fault]:
    """References that come back to where they started while they look at one and the same value."""
    for group in strong_components(again):
        if len(group) == 1 and group[0] not in again[group[0]]:
            continue
        schema = next(schemas[node] for node in sorted(group) if "$ref" in schemas[node])
        message = f"{quoted(schema['$ref'])} leads back to itself without looking at a smaller value"
        yield Fault(message, schema.value_place("$ref"), "put the reference below `properties` or `items`")
