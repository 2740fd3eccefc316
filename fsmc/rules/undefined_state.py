"""A state that is named but not defined.

`initial`, the `target` of a transition, the `fallback` of a budget and `on_exhausted` each name a state under `states`.
Names are compared exactly, upper and lower case included. While such a name is wrong, findings that might follow from
it are held back: an unreachable state, a trap, a dead end.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DNOE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
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
from fsmc.rules.telling import Nearest, listed, quoted
from fsmc.rules.uses import transitions
from fsmc.source.tree import MappingNode

CODE = "FSM101"
NAME = "undefined-state"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each place that names such a state."""
    near = Nearest(policy.states)
    if policy.initial not in policy.states:
        yield Hit(
            f"`initial` names {quoted(policy.initial)}, which is not a state",
            policy.root.value_place("initial"),
            hint=near.hint(policy.initial, _typed_initial(policy)),
        )
    for node, key in _mentions(policy):
        name = node[key]
        if name not in policy.states:
            message = f"`{key}` names {quoted(name)}, which is not a state"
            yield Hit(message, node.value_place(key), hint=near.hint(name, "define it under `states`"))


def _typed_initial(policy: Policy) -> str:
    typed = [state.name for state in policy.states.values() if state.kind == "initial"]
    return f"{listed(typed)} has `type: initial`" if typed else "name one of the states under `states`"


def _mentions(policy: Policy) -> Iterator[tuple[MappingNode, str]]:
    for transition in transitions(policy):
        if transition.target not in policy.states:
            yield transition.node, "target"
    for holder in (policy.root.get("defaults"), *(state.node for state in policy.states.values())):
        if not isinstance(holder, MappingNode):
            continue
        budget = holder.get("tool_budget")
        if isinstance(budget, MappingNode) and "fallback" in budget:
            yield budget, "fallback"
        if "on_exhausted" in holder:
            yield holder, "on_exhausted"
