"""A `max_visits` where every state is entered once.

Without cycles no state can be entered a second time, so the bound is never reached. It may be a leftover, or the
topology is meant to be `cyclic`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: ANSWERED, target: WAITING}]
      WAITING:
        max_visits: 3
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: ANSWERED, target: WAITING}]
      WAITING:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM412"
NAME = "max-visits-in-dag"
LEVEL = "info"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such state; none where a cycle is reported."""
    if policy.topology != "dag":
        return
    bounded = [s for s in policy.states.values() if s.max_visits is not None and s.kind != "terminal"]
    for state in bounded if bounded and facts.acyclic else ():
        yield Hit(
            f"`max_visits` of {quoted(state.name)} is never reached: without cycles a state is entered once",
            state.node.key_place("max_visits"),
            hint="remove it, or say `topology: cyclic`",
        )
