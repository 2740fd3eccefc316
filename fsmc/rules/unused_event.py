"""A declared event that nothing uses.

The event is listed under `events`, but no transition waits for it and no tool emits it: raising it would never move the
machine.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    events:
      SOLVED: {description: The customer agrees.}
      REOPENED: {description: The customer comes back.}
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    events:
      SOLVED: {description: The customer agrees.}
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, quoted
from fsmc.rules.uses import transitions

CODE = "FSM403"
NAME = "unused-event"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit an event; none where a misspelt name seems to mean it."""
    if not policy.events:
        return
    used = {transition.event for transition in transitions(policy)} | policy.emitters.keys()
    unused = [name for name in policy.events if name not in used]
    near = Nearest(policy.events)
    meant = {near(name) for name in used if name not in policy.events} if unused else set()
    for name in unused:
        if name not in meant:
            place = policy.root["events"].key_place(name)
            yield Hit(f"no transition waits for {quoted(name)} and no tool emits it", place, hint="remove it")
