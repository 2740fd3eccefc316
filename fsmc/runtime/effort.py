"""How much work validating a value would be: references can make a short schema look at a value exponentially often."""

from __future__ import annotations

from _thread import _local as local  # threading takes long to import

from fsmc.runtime.annotations import Any
from fsmc.runtime.references import UnsupportedSchema, refers, resolve

_IN_PLACE = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"))
STEPS = 200_000
_STEPS_A_PART = 20


class TooMuchWork(ValueError):
    """Validating this value against this schema would look at parts of it far too often."""

    def __init__(self) -> None:
        super().__init__("the schema looks at the same parts of the value too often")


class Meter(local):
    """What a validation may still spend, in its thread. Only schemas with references have one: without, the work is
    bounded by the size of the schema times that of the value.
    """

    left = 0
    value: Any = None
    extended = False

    def spend(self, steps: int) -> None:
        """Refuse to go on when all is spent, for a large value later than for a small one."""
        self.left -= steps
        if self.left < 0:
            if self.extended:
                raise TooMuchWork
            self.extended = True
            self.left += _STEPS_A_PART * _parts_of(self.value)
            self.spend(0)


def _parts_of(value: Any) -> int:
    """How many values lie inside one another in *value*; a KiB of text counts as one."""
    count = 0
    stack = [value]
    while stack:
        part = stack.pop()
        count += 1
        if isinstance(part, dict):
            stack += part.values()
        elif isinstance(part, list):
            stack += part
        elif isinstance(part, str):
            count += len(part) >> 10
    return count


def length(value: Any) -> int:
    """What looking at *value* itself costs."""
    if isinstance(value, (dict, list)):
        return len(value)
    return len(value) >> 10 if isinstance(value, str) else 0


def weigh(schema: Any, value: Any) -> None:
    """Raise ``TooMuchWork`` where a full validator, which looks for every mistake, would need too long for *value*.

    It follows every schema to every part of the value that it is about, whether or not it holds there.
    """
    if not refers(schema):
        return
    meter = Meter()
    meter.left, meter.value = STEPS, value
    stack = [(schema, value)]
    while stack:
        part, item = stack.pop()
        if not isinstance(part, dict):
            continue
        meter.spend(1 + len(part) + length(item))
        if isinstance(part.get("$ref"), str):
            try:
                target = resolve(schema, part["$ref"])
            except UnsupportedSchema:
                target = True  # the full validator says what is wrong with it
            stack.append((target, item))
        for keyword in _IN_PLACE & part.keys():
            argument = part[keyword]
            parts = argument if isinstance(argument, list) else [argument]
            if keyword == "dependentSchemas" and isinstance(argument, dict):
                parts = list(argument.values())
            stack += ((each, item) for each in parts)
        if isinstance(item, dict):
            _weigh_fields(part, item, stack)
        elif isinstance(item, list):
            _weigh_items(part, item, stack)


def _weigh_fields(part: dict[str, Any], item: dict[str, Any], stack: list[tuple[Any, Any]]) -> None:
    properties = part.get("properties", {})
    stack += ((properties[key], item[key]) for key in properties.keys() & item.keys())
    others = [part[keyword] for keyword in ("additionalProperties", "unevaluatedProperties") if keyword in part]
    others += part.get("patternProperties", {}).values()
    stack += ((other, field) for other in others if isinstance(other, dict) for field in item.values())
    if isinstance(part.get("propertyNames"), dict):
        stack += ((part["propertyNames"], key) for key in item)


def _weigh_items(part: dict[str, Any], item: list[Any], stack: list[tuple[Any, Any]]) -> None:
    stack += zip(part.get("prefixItems", ()), item, strict=False)
    others = [part[keyword] for keyword in ("items", "contains", "unevaluatedItems") if keyword in part]
    stack += ((other, each) for other in others if isinstance(other, dict) for each in item)
