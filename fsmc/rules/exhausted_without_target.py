"""A bound that can strand the session.

A state with `max_visits` refuses to be entered more often. If such states are the only way on from another state of
their loop, and `on_exhausted` does not say where to go instead, the session is stuck there.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        max_visits: 3
        transitions:
          - {event: ANSWERED, target: WAITING}
          - {event: SOLVED, target: DONE}
      WAITING:
        transitions: [{event: REPLIED, target: OPEN}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        max_visits: 3
        on_exhausted: DONE
        transitions:
          - {event: ANSWERED, target: WAITING}
          - {event: SOLVED, target: DONE}
      WAITING:
        transitions: [{event: REPLIED, target: OPEN}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import listed

CODE = "FSM409"
NAME = "exhausted-without-target"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each set of bounded states that can strand others, at the ``max_visits`` of the first that may end it."""
    if policy.topology != "cyclic" or policy.long_running or not facts.rooted or facts.broken & facts.reachable:
        return
    found: dict[tuple[str, ...], list[str]] = {}
    for name in policy.states if facts.strandable else ():
        if name in facts.strandable and (bounded := _exits(policy, facts, name)):
            found.setdefault(bounded, []).append(name)
    for bounded, stranded in found.items():
        last = next((name for name in bounded if policy.states[name].on_exhausted is None), bounded[0])
        yield Hit(
            f"once {listed(bounded)} may not be entered again, nothing leads on from {listed(stranded)}",
            policy.states[last].node.value_place("max_visits"),
            hint="say with `on_exhausted` where to go instead",
            trace=facts.trace(stranded[0]),
        )


def _exits(policy: Policy, facts: Facts, name: str) -> tuple[str, ...]:
    """The bounded states that *name* leads to: where there is one that all its ways to an end begin with, that one."""
    targets = dict.fromkeys(move.target for move in facts.moves(name) if move.target in facts.exhaustible)
    passed = facts.immediate_postdominators.get(name)
    return (passed,) if passed in targets else tuple(targets)
