"""A cycle without a bound.

Under `topology: cyclic` every cycle passes a state with `max_visits`, so that a model cannot go round for ever. Where
the bound is spent, `on_exhausted` says where to go instead. A machine that is meant to run on says `long_running:
true`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        transitions:
          - {event: ANSWERED, target: WAITING}
      WAITING:
        transitions:
          - {event: REPLIED, target: OPEN}
          - {event: SOLVED, target: DONE}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        max_visits: 5
        on_exhausted: ESCALATED
        transitions:
          - {event: ANSWERED, target: WAITING}
      WAITING:
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

CODE = "FSM205"
NAME = "unbounded-cycle"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each group of states that can be gone round in, unless it is a trap or only a fallback closes it."""
    if policy.topology != "cyclic" or policy.long_running or not facts.rooted:
        return
    for group in facts.cycles(without=facts.bounded, fallbacks=False):
        if group <= facts.trapped or facts.reachable.isdisjoint(group):
            continue  # reported by other rules
        round_trip = facts.shortest_cycle(group)
        start = round_trip[0].source
        yield Hit(
            f"{quoted(start)} leads back to itself any number of times",
            round_trip[-1].place,
            hint="bound a state of the cycle with `max_visits`, or say `long_running: true`",
            trace=facts.trace(start, *round_trip),
        )
