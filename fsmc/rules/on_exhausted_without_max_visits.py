"""An `on_exhausted` without `max_visits`.

`on_exhausted` says where to go when a state may not be entered again; without `max_visits` it always may, and the key
does nothing.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: ANSWERED, target: WAITING}]
      WAITING:
        on_exhausted: ESCALATED
        transitions: [{event: SOLVED, target: DONE}]
      ESCALATED: {type: terminal}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        transitions: [{event: ANSWERED, target: WAITING}]
      WAITING:
        max_visits: 3
        on_exhausted: ESCALATED
        transitions:
          - {event: REPLIED, target: OPEN}
          - {event: SOLVED, target: DONE}
      ESCALATED: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM410"
NAME = "on-exhausted-without-max-visits"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such state that is not terminal."""
    for state in policy.states.values():
        if state.on_exhausted is not None and state.max_visits is None and state.kind != "terminal":
            yield Hit(
                f"{quoted(state.name)} has `on_exhausted` but no `max_visits`, so it does nothing",
                state.node.key_place("on_exhausted"),
                hint="add `max_visits`, or remove it",
            )
