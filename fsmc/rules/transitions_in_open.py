"""Transitions under `topology: open`.

An open machine has no list of transitions: the application asks for states by name, and `transition_guard` can veto.
Transitions written there would never be taken.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: open
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: open
    states:
      OPEN: {}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM209"
NAME = "transitions-in-open"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for the defaults and for each state that has transitions."""
    if not facts.open:
        return
    hint = "remove them, or say `topology: dag` or `topology: cyclic`"
    if policy.default_transitions:
        place = policy.root["defaults"].key_place("transitions")
        yield Hit("under `topology: open` the default transitions are never taken", place, hint=hint)
    for state in policy.states.values():
        if state.kind != "terminal" and state.node.get("transitions"):
            message = f"under `topology: open` the transitions of {quoted(state.name)} are never taken"
            yield Hit(message, state.node.key_place("transitions"), hint=hint)
