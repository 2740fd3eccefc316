"""A transition that can never be taken.

The candidates of an event are tried in the order written and the first whose guard holds wins. After one without a
guard, or with the same guard, a later candidate of the same event has no chance. A state's own transition may of course
stand before one of the defaults.

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

from collections.abc import Iterator, Sequence

from fsmc.analysis import Facts
from fsmc.policy.model import Policy, Transition
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.rules.uses import meaning

CODE = "FSM301"
NAME = "shadowed-transition"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such candidate, within a state's own list or within the defaults."""
    if facts.open:
        return
    for state in policy.states.values():
        if state.kind != "terminal" and _repeats(state.transitions):
            yield from _in_list(policy, [t for t in state.transitions if not t.default])
    if _repeats(policy.default_transitions):
        yield from _in_list(policy, policy.default_transitions)


def _repeats(candidates: Sequence[Transition]) -> bool:
    return len({candidate.event for candidate in candidates}) < len(candidates)


def _in_list(policy: Policy, candidates: Sequence[Transition]) -> Iterator[Hit]:
    winners: dict[tuple[str, str], Transition] = {}
    for candidate in candidates:
        always = (candidate.event, "")
        tree = None if candidate.guard is None else meaning(policy, candidate.guard)
        key = always if candidate.guard is None or tree == ["bool", True] else (candidate.event, repr(tree))
        winner = winners.get(always) or (None if key != always and tree is None else winners.get(key))
        if winner is None:
            winners[key] = candidate
            continue
        why = "has the same guard" if winner is not winners.get(always) else "has no guard"
        yield Hit(
            f"this transition on {quoted(candidate.event)} is never taken: one before it {why}",
            candidate.node.value_place("event"),
            hint="put it first, or remove it" if why == "has no guard" else "remove one of them",
            related=((winner.node.value_place("event"), "this one is always taken instead"),),
        )
