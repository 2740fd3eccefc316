"""A bound on repeated calls that is never reached.

`limit` counts all calls in a state and `repeated` identical ones in a row. Where `repeated` is not smaller than
`limit`, the limit is always reached first. A `repeated` of the defaults may well be too large for a state with a low
`limit` of its own.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 3, repeated: 5}
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 5, repeated: 3}
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.source.tree import MappingNode, Place

CODE = "FSM413"
NAME = "repeated-above-limit"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each ``repeated``, where it is written."""
    default = policy.root.get("defaults", {}).get("tool_budget", {})
    seen: set[Place] = set()
    for state in policy.states.values():
        budget = state.budget
        if state.kind == "terminal" or budget is None or budget.limit is None or budget.repeated is None:
            continue
        if budget.repeated < budget.limit:
            continue
        own = state.node.get("tool_budget", {})
        if "repeated" not in own and "limit" in own:
            continue  # written for the states whose limit is higher
        node = own if "repeated" in own else default
        assert isinstance(node, MappingNode)
        place = node.value_place("repeated")
        if place not in seen:
            seen.add(place)
            message = f"`repeated: {budget.repeated}` is never reached: `limit: {budget.limit}` comes first"
            yield Hit(message, place, hint="make `repeated` smaller than `limit`, or remove it")
