"""A state that is entered only when a budget is spent.

No event leads to the state; a session comes there only by the fallback of a tool budget. That may be meant. If it is
also a step of the work, a transition to it is missing. Terminal states are not mentioned: they are what fallbacks are
for.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 5, fallback: REVIEW}
        transitions: [{event: SOLVED, target: DONE}]
      REVIEW:
        transitions: [{event: REVIEWED, target: DONE}]
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
        tool_budget: {limit: 5, fallback: REVIEW}
        transitions: [{event: SOLVED, target: REVIEW}]
      REVIEW:
        transitions: [{event: REVIEWED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.rules.uses import fallbacks

CODE = "FSM406"
NAME = "fallback-only"
LEVEL = "info"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such state that a budget names."""
    if facts.open or not facts.rooted:
        return
    named = {name for name in fallbacks(policy) if name in facts.reachable and policy.states[name].kind != "terminal"}
    if not named or facts.broken & facts.reachable:
        return
    for name in policy.states:
        if name in named and name not in facts.without_fallbacks:
            yield Hit(
                f"{quoted(name)} is entered only when a tool budget is spent",
                policy.root["states"].key_place(name),
                hint="add a transition to it if it is also a step of the work",
                trace=facts.trace(name),
            )
