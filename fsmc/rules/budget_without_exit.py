"""A budget that can strand the model.

When the limit is reached every further call is refused. If there is no fallback and only results of tools lead out of
the state, nothing can happen any more: the model may not call, and the application has no event to send.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read, emits: [{event: OWNER_FOUND, when: result != null}]}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 5}
        transitions: [{event: OWNER_FOUND, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read, emits: [{event: OWNER_FOUND, when: result != null}]}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 5, fallback: ESCALATED}
        transitions: [{event: OWNER_FOUND, target: DONE}]
      ESCALATED: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import listed, quoted
from fsmc.source.tree import MappingNode

CODE = "FSM407"
NAME = "budget-without-exit"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit a reachable state, at its own limit or, where that is a default, at the state."""
    if facts.open or not facts.rooted:
        return
    for name in facts.by_distance:
        state = policy.states[name]
        budget = state.budget
        if budget is None or budget.limit is None or budget.fallback is not None or not state.tools:
            continue
        if state.kind == "terminal" or name in facts.broken:
            continue
        if not policy.long_running and (name in facts.trapped or not facts.leaves(name)):
            continue  # another rule says already that nothing leads on
        events = list(dict.fromkeys(t.event for t in state.transitions if t.target != name))
        if any(not policy.reserved(event) for event in events):
            continue
        own = state.node.get("tool_budget")
        at_limit = isinstance(own, MappingNode) and "limit" in own
        why = f"only tools raise {listed(events, 'or')}" if events else "no event leads on"
        yield Hit(
            f"after {budget.limit} calls {quoted(name)} cannot be left: {why}",
            own.value_place("limit") if at_limit else policy.root["states"].key_place(name),  # type: ignore[union-attr]
            hint="give the budget a `fallback`, or add a transition on an event of the application",
            trace=facts.trace(name),
        )
