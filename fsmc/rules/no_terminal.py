"""A machine without an end.

Terminal states are where a session ends; without one, none ever does, and nothing can be proved about how it ends. A
machine that is meant to run on says `long_running: true`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        max_visits: 5
        transitions: [{event: ANSWERED, target: WAITING}]
      WAITING:
        transitions: [{event: REPLIED, target: OPEN}]

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        max_visits: 5
        on_exhausted: ESCALATED
        transitions: [{event: ANSWERED, target: WAITING}]
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

CODE = "FSM202"
NAME = "no-terminal"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """At most one hit; none where a dead end already asks for ``type: terminal``."""
    if policy.long_running or facts.open or facts.terminals or not facts.rooted or facts.dead_ends:
        return
    place = policy.root.key_place("states")
    hint = "give the last state of a session `type: terminal`, or say `long_running: true`"
    yield Hit("no state is terminal, so no session can end", place, hint=hint)
