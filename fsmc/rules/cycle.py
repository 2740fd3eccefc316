"""A cycle under `topology: dag`.

A policy is a directed acyclic graph unless it says otherwise: every session then ends after at most as many moves as
there are states. Fallbacks count as moves, a transition from a state to itself is a cycle too. Where going round is
meant, `topology: cyclic` allows it, bounded by `max_visits`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
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
        on_exhausted: DONE
        transitions:
          - {event: ANSWERED, target: WAITING}
      WAITING:
        transitions:
          - {event: REPLIED, target: OPEN}
          - {event: SOLVED, target: DONE}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM204"
NAME = "cycle"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each group of states that lead to each other, at the target that closes its shortest cycle."""
    if policy.topology != "dag" or not facts.rooted or facts.acyclic:
        return
    for group in facts.cycles(without=facts.terminals):
        if facts.reachable.isdisjoint(group):
            continue  # that no session comes there is reported
        round_trip = facts.shortest_cycle(group)
        start = round_trip[0].source
        yield Hit(
            f"{quoted(start)} leads back to itself, which `topology: dag` forbids",
            round_trip[-1].place,
            hint="remove a move of the cycle, or say `topology: cyclic` and bound it with `max_visits`",
            trace=facts.trace(start, *round_trip),
        )
