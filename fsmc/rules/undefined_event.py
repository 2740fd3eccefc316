"""An event that the policy does not declare.

Without `events` any name may be an event. Once a policy lists its events, every transition waits for one that is listed
there or that a tool emits; anything else is a misspelt name that would never be raised.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    events:
      SOLVED: {description: The customer agrees.}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: CANCELED, target: DONE}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    events:
      SOLVED: {description: The customer agrees.}
      CANCELED: {description: The customer withdraws.}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: CANCELED, target: DONE}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, quoted
from fsmc.rules.uses import transitions

CODE = "FSM105"
NAME = "undefined-event"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each transition on such an event."""
    if policy.events is None:
        return
    known = policy.events.keys() | policy.emitters.keys()
    near = Nearest(sorted(known))
    for transition in transitions(policy):
        name = transition.event
        if name not in known:
            message = f"{quoted(name)} is neither declared under `events` nor emitted by a tool"
            hint = near.hint(name, "declare it under `events`")
            yield Hit(message, transition.node.value_place("event"), hint=hint)
