"""A pattern that can take for ever.

Values are matched against each `pattern` of their schema, and the text comes from a model. Where a repetition repeats
another one, as in `^([A-Z]+-?)+$`, a text that almost matches can be cut into rounds in so many ways that trying them
all doubles the time with every character: thirty letters and a full stop are enough to stop the application. Only clear
cases are reported, in `context` and `input_schema`, which are checked at run time.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket:
        effect: read
        input_schema: {type: object, properties: {key: {type: string, pattern: "^([A-Z]+-?)+$"}}}
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
        input_schema: {type: object, properties: {key: {type: string, pattern: "^[A-Z]+(-[A-Z]+)*-?$"}}}
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
from fsmc.source.tree import MappingNode

CODE = "FSM015"
NAME = "slow-pattern"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such pattern. A policy whose text has none is not walked."""
    if "pattern" not in policy.document.text:
        return
    from fsmc.rules.patterns import is_slow
    from fsmc.rules.schemas import patterns

    holders = [(policy.root, "context"), *((tool.node, "input_schema") for tool in policy.tools.values())]
    for holder, key in holders:
        schema = holder.get(key)
        if isinstance(schema, MappingNode):
            for pattern, place in patterns(schema):
                if is_slow(pattern):
                    yield Hit(
                        f"in `{key}`: on a text that almost matches, this pattern tries more ways than can ever be tried",
                        place,
                        hint="let each round of the outer repetition begin with a character that the inner one cannot match",
                    )
