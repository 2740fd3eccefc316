"""A fallback to the state itself.

A `fallback` or `on_exhausted` that names its own state leads nowhere: the budget stays spent, the state stays closed. A
default that names a state simply does not apply to that state; here it is written in the state itself.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 5, fallback: OPEN}
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
        tool_budget: {limit: 5, fallback: ESCALATED}
        transitions: [{event: SOLVED, target: DONE}]
      ESCALATED: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.source.tree import MappingNode, Place

CODE = "FSM404"
NAME = "fallback-self"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such key of a state that is not terminal."""
    for name, state in policy.states.items():
        if state.kind == "terminal":
            continue
        own = state.node.get("tool_budget")
        if isinstance(own, MappingNode) and own.get("fallback") == name:
            message = f"the `fallback` of {quoted(name)} is {quoted(name)} itself, which leads nowhere"
            yield _hit(message, own.value_place("fallback"), facts, name)
        if state.on_exhausted == name and state.max_visits is not None:
            message = f"the `on_exhausted` of {quoted(name)} is {quoted(name)} itself, which leads nowhere"
            yield _hit(message, state.node.value_place("on_exhausted"), facts, name)


def _hit(message: str, place: Place, facts: Facts, state: str) -> Hit:
    return Hit(message, place, hint="name another state, or remove it", trace=facts.trace(state))
