"""A JSON Schema that cannot be used.

`context`, `input_schema` and `output_schema` are JSON Schemas (2020-12). Each has to work by itself: a `$ref` leads to
a place inside the same schema, a `pattern` is a regular expression that Python can compile, and no reference comes back
to itself without looking at a smaller value. Nor may references multiply, each leading twice to the next, until one
value is looked at more than 100,000 times. At run time such a schema would refuse every value.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket:
        effect: read
        input_schema: {type: object, properties: {id: {type: string, pattern: "T-[0-9"}}}
    states:
      OPEN:
        tools: [find_ticket]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket:
        effect: read
        input_schema: {type: object, properties: {id: {type: string, pattern: "T-[0-9]+"}}}
    states:
      OPEN:
        tools: [find_ticket]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.runtime.references import UnsupportedSchema
from fsmc.runtime.validity import compile_schema
from fsmc.source.tree import MappingNode

CODE = "FSM014"
NAME = "invalid-schema"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each keyword that cannot be used. A plain schema without references is not even walked."""
    for holder, key in ((policy.root, "context"), *_schemas(policy)):
        schema = holder.get(key)
        if isinstance(schema, MappingNode) and not _plain(policy, schema):
            from fsmc.rules.schemas import faults

            for fault in faults(schema):
                yield Hit(f"in `{key}`: {fault.message}", fault.place, hint=fault.hint)


def _schemas(policy: Policy) -> Iterator[tuple[MappingNode, str]]:
    for tool in policy.tools.values():
        yield tool.node, "input_schema"
        yield tool.node, "output_schema"


def _plain(policy: Policy, schema: MappingNode) -> bool:
    if "$ref" in policy.document.text:
        return False
    try:
        compile_schema(schema)
    except (UnsupportedSchema, RecursionError):
        return False
    return True
