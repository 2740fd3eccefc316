"""A `transition_guard` without `topology: open`.

The policy-wide `transition_guard` vetoes states that are asked for by name, which only an open machine allows.
Elsewhere it would protect nothing, although it reads as if it did; there, guards stand on the transitions.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    transition_guard: visits["OPEN"] < 3
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: open
    transition_guard: visits["OPEN"] < 3
    states:
      OPEN: {}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit

CODE = "FSM210"
NAME = "transition-guard-without-open"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """At most one hit."""
    if policy.transition_guard is not None and not facts.open:
        yield Hit(
            f"`transition_guard` acts only under `topology: open`, not under `{policy.topology}`",
            policy.root.key_place("transition_guard"),
            hint="put a `guard` on the transitions it is meant for",
        )
