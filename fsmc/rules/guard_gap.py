"""Guards that leave a case out.

When no candidate's guard holds, the event moves nothing. That is what a single guard in front of a request of the
application is for, and then a note of level info says so. It is a warning where the author lists cases and forgets one,
and where the event comes from a tool: the call has been made by then, and its outcome is lost. A last candidate without
a guard, or one in the defaults, takes what is left. Guards that obviously complete each other, like `x` and `!x` or all
values of an enum, have no gap.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {total: {type: integer}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, guard: context.total < 100}
          - {event: SOLVED, target: BILLING, guard: context.total > 100}
      BILLING: {type: terminal}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {total: {type: integer}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, guard: context.total < 100}
          - {event: SOLVED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmc.analysis import Facts
from fsmc.analysis.shadows import meaning
from fsmc.policy.model import Policy, State, Transition
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.source.tree import Place

CODE = "FSM302"
NAME = "guard-gap"
LEVEL = "warning"
OTHER_LEVEL = "info"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each event of a state, or of the defaults, at its last candidate's guard."""
    guarded = [state for state in policy.states.values() if state.kind != "terminal" and _is_guarded(state)]
    if facts.open or not guarded:
        return
    # Only a policy with guards pays for what compares them.
    from fsmc.expression import from_schema
    from fsmc.rules.cases import Gaps

    gaps = Gaps(from_schema(policy.context))
    seen: set[Place] = set()
    for state in guarded:
        for event, candidates in _by_event(state).items():
            guards = _guards(policy, candidates)
            if not guards or not gaps.left_by(guards):
                continue
            own = [candidate for candidate in candidates if not candidate.default]
            place = (own or candidates)[-1].node.value_place("guard")
            if place not in seen:
                seen.add(place)
                yield _hit(policy, state.name, event, candidates, place)


def _is_guarded(state: State) -> bool:
    return any(transition.guard is not None for transition in state.transitions)


def _by_event(state: State) -> dict[str, list[Transition]]:
    groups: dict[str, list[Transition]] = {}
    for transition in state.transitions:
        groups.setdefault(transition.event, []).append(transition)
    return groups


def _guards(policy: Policy, candidates: list[Transition]) -> list[list[Any]]:
    """What the guards ask; empty where there is a candidate without one, or one whose mistake is reported."""
    trees = []
    for candidate in candidates:
        tree = None if candidate.guard is None else meaning(policy, candidate.guard)
        if tree is None:
            return []
        trees.append(tree)
    return trees


def _hit(policy: Policy, state: str, event: str, candidates: list[Transition], place: Place) -> Hit:
    emitters = policy.emitters.get(event)
    if len(candidates) > 1:
        message = (
            f"when no guard of the {len(candidates)} transitions on {quoted(event)} holds, {quoted(state)} ignores it"
        )
    else:
        message = f"when this guard does not hold, {quoted(state)} ignores {quoted(event)}"
    if emitters:
        message += f", although {quoted(emitters[0])} was called"
    quiet = len(candidates) == 1 and not emitters
    return Hit(message, place, hint="add a last candidate without a guard", level=OTHER_LEVEL if quiet else None)
