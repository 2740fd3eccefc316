"""A state that no session can come to.

Nothing leads there from the initial state, whatever guards say, so its tools and transitions are dead text; most often
a transition is missing or names another state. Of a whole region only the states where it begins are reported. A
terminal state is a warning, and none where it is the fallback of a budget. An `on_exhausted` leads somewhere
only if its state can be asked for once more than `max_visits` allows: it has to lie on a cycle of other moves.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      ESCALATED:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: STUCK, target: ESCALATED}
      ESCALATED:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import listed, quoted
from fsmc.rules.uses import fallbacks

CODE = "FSM206"
NAME = "unreachable-state"
LEVEL = "error"
OTHER_LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each group of states in which an unreachable region begins."""
    if not facts.unreachable_groups or facts.broken & facts.reachable:
        return  # where a wrong name is reachable, it may be what should lead there
    if policy.states[policy.initial].kind == "terminal":
        return  # that no session gets anywhere from there is reported
    spared = fallbacks(policy)
    instead = {state.on_exhausted: state for state in policy.states.values() if state.on_exhausted is not None}
    place = policy.root["states"].key_place
    for group in facts.unreachable_groups:
        first = policy.states[group[0]]
        if first.kind == "initial":
            continue  # that two states claim to be initial is reported
        if (first.kind == "terminal" and first.name in spared) or not facts.overlooked.isdisjoint(group):
            continue  # a fallback, or that the transition there is never taken is reported
        others = f", nor to {listed(group[1:], 'or')}" if group[1:] else ""
        bounded = next((instead[name] for name in group if name in instead and name != instead[name].name), None)
        if bounded is not None and bounded.name in facts.reachable:
            others += f": {quoted(bounded.name)} is never asked for once more than its `max_visits` allows"
        yield Hit(
            f"nothing leads from {quoted(policy.initial)} to {quoted(first.name)}{others}",
            place(first.name),
            hint="add a transition that leads there, or remove it",
            level=OTHER_LEVEL if first.kind == "terminal" else None,
        )
