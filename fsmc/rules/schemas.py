"""What makes a JSON Schema inside a policy unusable. Its keywords and their types are right: the schema of policies saw
to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from fsmc.analysis.algorithms import strong_components
from fsmc.rules.telling import quoted
from fsmc.runtime.annotations import NamedTuple
from fsmc.source.tree import MappingNode, Place, SequenceNode


class Fault(NamedTuple):
    """A keyword that cannot be used."""

    message: str
    place: Place
    hint: str


_MOST_WAYS = 100_000

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
    below: list[list[int]] = []
    rebased = any(schema is not root and isinstance(schema.get("$id"), str) for schema, _ in schemas)
    for schema, _ in schemas:
        found += _bad_patterns(schema)
        row = [index[id(part)] for part, same in _parts(schema) if same]
        below.append([index[id(part)] for part, same in _parts(schema) if not same])
        if "$ref" in schema and not rebased:  # with an inner `$id` a reference may mean something else
            target = _resolve(root, schema["$ref"])
            if isinstance(target, MappingNode) and id(target) in index:
                row.append(index[id(target)])
            elif not isinstance(target, bool):
                message = f"{quoted(schema['$ref'])} leads to no schema"
                hint = "refer to a place inside this schema, like `#/$defs/NAME`"
                found.append(Fault(message, schema.value_place("$ref"), hint))
        again.append(row)
    found += _endless([schema for schema, _ in schemas], again) or _exploding([s for s, _ in schemas], again, below)
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


def patterns(root: MappingNode) -> Iterator[tuple[str, Place]]:
    """Every regular expression in the schema *root*."""
    for schema, _ in _collect(root):
        yield from _patterns_of(schema)


def _patterns_of(schema: MappingNode) -> Iterator[tuple[str, Place]]:
    if isinstance(schema.get("pattern"), str):
        yield schema["pattern"], schema.value_place("pattern")
    named = schema.get("patternProperties")
    if isinstance(named, MappingNode):
        yield from ((pattern, named.key_place(pattern)) for pattern in named)


def _bad_patterns(schema: MappingNode) -> Iterator[Fault]:
    for pattern, place in _patterns_of(schema):
        if why := _uncompilable(pattern):
            yield Fault(f"not a regular expression: {why}", place, "correct the pattern")


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
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, SequenceNode) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, MappingNode) and name in found:
            found = found[name]
        else:
            return None
    return found


def _exploding(schemas: list[MappingNode], again: list[list[int]], below: list[list[int]]) -> list[Fault]:
    """References that lead to each other so often that one value is looked at far too often: the ways are counted."""
    work = [0] * len(schemas)
    for group in strong_components([[*same, *parts] for same, parts in zip(again, below, strict=True)]):
        inside = set(group)
        ways = 0
        for node in group:
            ways += 1 + sum(work[to] for to in again[node] if to not in inside)
            ways += max((work[to] for to in below[node] if to not in inside), default=0)
        if ways > _MOST_WAYS:
            schema = schemas[group[0]]
            message = f"its references look at one and the same value more than {_MOST_WAYS:,} times"
            return [Fault(message, schema.key_place(next(iter(schema))), "refer to each schema once")]
        for node in group:
            work[node] = ways
    return []


def _endless(schemas: list[MappingNode], again: list[list[int]]) -> list[Fault]:
    """References that come back to where they started while they look at one and the same value."""
    found = []
    for group in strong_components(again):
        if len(group) == 1 and group[0] not in again[group[0]]:
            continue
        schema = next(schemas[node] for node in sorted(group) if "$ref" in schemas[node])
        message = f"{quoted(schema['$ref'])} leads back to itself without looking at a smaller value"
        found.append(Fault(message, schema.value_place("$ref"), "put the reference below `properties` or `items`"))
    return found
