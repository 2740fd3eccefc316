"""A `type` that contradicts `initial`.

`initial` at the top names the one state in which every session begins; `type: initial` may repeat it there and nowhere
else. An initial state that is terminal would end every session before it begins.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        type: intermediate
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        type: initial
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM201"
NAME = "wrong-initial-type"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for the initial state, one for every other state that is typed initial."""
    initial = policy.states.get(policy.initial)
    if initial is None:
        return
    if initial.kind != "initial":
        yield Hit(
            f"the initial state {quoted(initial.name)} has `type: {initial.kind}`",
            initial.node.value_place("type"),
            hint="leave `type` out, or let `initial` name another state",
            related=((policy.root.value_place("initial"), "named as initial here"),),
        )
    for state in policy.states.values():
        if state.kind == "initial" and state is not initial:
            yield Hit(
                f"{quoted(state.name)} has `type: initial`, but sessions begin in {quoted(initial.name)}",
                state.node.value_place("type"),
                hint="leave `type` out, or let `initial` name this state",
                related=((policy.root.value_place("initial"), "named as initial here"),),
            )
