"""A state without a way out that is not terminal.

No event and no fallback leads on, yet the session is not over: it waits for ever. Either a transition is missing, or
the state is where a session ends and says `type: terminal`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: STUCK, target: ESCALATED}
      ESCALATED: {}
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
      ESCALATED: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM208"
NAME = "dead-end"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit a reachable state; none where a fallback to the state itself is the mistake."""
    if policy.long_running or not facts.rooted:
        return
    place = policy.root["states"].key_place
    for name in facts.dead_ends:
        budget = policy.states[name].budget
        if budget is None or budget.fallback != name:
            yield Hit(
                f"nothing leads on from {quoted(name)}, and it is not terminal",
                place(name),
                hint="add a transition, or say `type: terminal`",
                trace=facts.trace(name),
            )
