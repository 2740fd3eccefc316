"""Two names that a reader takes for one.

Names are compared exactly. Two states, events, guards or tools whose names differ only in case, in a look-alike
character of another alphabet, or in zero and O, are two different things that look the same in a review.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: DROPPED, target: Done}
      DONE: {type: terminal}
      Done: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: SOLVED}
          - {event: DROPPED, target: DROPPED}
      SOLVED: {type: terminal}
      DROPPED: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.likeness import likenesses
from fsmc.rules.telling import spelled
from fsmc.rules.uses import event_names, event_place
from fsmc.source.tree import MappingNode, Place

CODE = "FSM106"
NAME = "confusable-names"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each name that resembles one written before it."""
    for key in ("states", "tools", "guards"):
        body = policy.root.get(key)
        if isinstance(body, MappingNode):
            yield from _alike(key, body, body.key_place)
    yield from _alike("events", event_names(policy), partial(event_place, policy))


def _alike(kind: str, names: Collection[str], place: Callable[[str], Place]) -> Iterator[Hit]:
    for first, second in likenesses(names):
        yield Hit(
            f"the {kind} {spelled(first)} and {spelled(second)} are different, but look alike",
            place(second),
            hint="rename one of them",
            related=((place(first), "the other name"),),
        )
