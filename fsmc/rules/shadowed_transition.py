"""A transition that can never be taken.

The candidates of an event are tried in the order written and the first whose guard holds wins. After one without a
guard, or with the same guard, a later candidate of the same event has no chance. A state's own transition may of course
stand before one of the defaults, though not in every state that the default applies to.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {paid: {type: boolean}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: SOLVED, target: BILLING, guard: "!context.paid"}
          - {event: UNPAID, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {paid: {type: boolean}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: BILLING, guard: "!context.paid"}
          - {event: SOLVED, target: DONE}
      BILLING: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.analysis.shadows import Shadow, Shadows
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM301"
NAME = "shadowed-transition"
LEVEL = "error"

_RELATED = 3


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such candidate, within a state's own list or within the defaults."""
    if facts.open:
        return
    for state in policy.states.values():
        for shadow in facts.graph.shadowed(state.name) if state.kind != "terminal" else ():
            if not shadow.transition.default:  # that an own one stands before a default is what defaults are for
                yield _hit(shadow)
    shadowed = list(Shadows(policy).among(policy.default_transitions))
    yield from map(_hit, shadowed)
    yield from _overridden(policy, facts, {id(each.transition.node) for each in shadowed})


def _overridden(policy: Policy, facts: Facts, reported: set[int]) -> Iterator[Hit]:
    """The defaults that stand behind an own transition in every state that they apply to."""
    if not policy.default_transitions:
        return
    applies: dict[int, int] = {}
    winners: dict[int, list[Shadow]] = {}
    for state in policy.states.values():
        if state.kind == "terminal":
            continue
        for transition in state.transitions:
            if transition.default:
                applies[id(transition.node)] = applies.get(id(transition.node), 0) + 1
        for each in facts.graph.shadowed(state.name):
            if each.transition.default:
                winners.setdefault(id(each.transition.node), []).append(each)
    for default in policy.default_transitions:
        found = winners.get(id(default.node), [])
        if found and id(default.node) not in reported and len(found) == applies[id(default.node)]:
            yield Hit(
                f"this default transition on {quoted(default.event)} is never taken: every state has one of its own before it",
                default.node.value_place("event"),
                hint="remove it",
                related=tuple(
                    (each.winner.node.value_place("event"), "this one is always taken instead")
                    for each in found[:_RELATED]
                ),
            )


def _hit(shadow: Shadow) -> Hit:
    why = "has the same guard" if shadow.same_guard else "has no guard"
    return Hit(
        f"this transition on {quoted(shadow.transition.event)} is never taken: one before it {why}",
        shadow.transition.node.value_place("event"),
        hint="remove one of them" if shadow.same_guard else "put it first, or remove it",
        related=((shadow.winner.node.value_place("event"), "this one is always taken instead"),),
    )
