"""An event that a tool emits and no state hears.

None of the states that offer the tool has a transition on the event, so it moves nothing. A `set` that stands with the
event is not applied then either; without an event it is applied at once.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read, emits: [{event: OWNER_FOUND}]}
    states:
      OPEN:
        tools: [find_owner]
        transitions:
          - {event: SOLVED, target: DONE}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read, emits: [{event: OWNER_FOUND}]}
    states:
      OPEN:
        tools: [find_owner]
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: OWNER_FOUND, target: ASSIGNED}
      ASSIGNED: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy, Transition
from fsmc.rules.base import Hit
from fsmc.rules.likeness import likenesses
from fsmc.rules.telling import Nearest, listed, quoted
from fsmc.rules.uses import emit_place, event_names, unheard_of

CODE = "FSM306"
NAME = "unhandled-event"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each event of each offered tool; none where its name, or where the tool stands, is reported."""
    if not policy.emitters:
        return
    hearing: dict[str, set[str]] = {}
    for state in policy.states.values():
        if not facts.open:
            for transition in state.transitions:
                hearing.setdefault(transition.event, set()).add(state.name)
    reported = {transition.event for _, transition in unheard_of(policy, facts)}
    reported.update(name for pair in likenesses(event_names(policy)) for name in pair)
    misses = _NearMisses(policy)
    for tool in policy.tools.values():
        offering = facts.offering(tool.name)
        for event in tool.events if offering else ():
            if event in reported or not hearing.get(event, set()).isdisjoint(offering):
                continue
            miss = None if facts.open or event in hearing else misses.of(event, offering)
            if miss is not None and policy.events is not None:
                continue  # it is declared nowhere, and that is reported
            lost = any(emit.event == event and emit.sets for emit in tool.emits)
            yield Hit(
                f"{quoted(tool.name)} emits {quoted(event)}, but {_deaf(offering, facts)}"
                + (", and its `set` is never applied" if lost else ""),
                emit_place(policy, tool.name, event),
                hint=_hint(event, miss, facts),
                related=() if miss is None else ((miss.node.value_place("event"), f"waits for {quoted(miss.event)}"),),
            )


class _NearMisses:
    """Finds transitions on a name that may be the misspelt event, or the event the misspelt name: nothing else uses it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._near: dict[tuple[str, ...], Nearest] = {}

    def of(self, event: str, offering: tuple[str, ...]) -> Transition | None:
        """A transition of one of the states *offering* the tool."""
        policy = self._policy
        if offering not in self._near:
            names = (transition.event for name in offering for transition in policy.states[name].transitions)
            known = policy.emitters.keys() | (policy.events or {}).keys()
            self._near[offering] = Nearest(name for name in dict.fromkeys(names) if name not in known)
        near = self._near[offering](event)
        states = (policy.states[name] for name in offering)
        return next((each for state in states for each in state.transitions if each.event == near), None)


def _hint(event: str, miss: Transition | None, facts: Facts) -> str | None:
    if facts.open:
        return None
    if miss is not None:
        return (
            f"if {quoted(event)} and {quoted(miss.event)} are meant to be one event, write the same name in both places"
        )
    return "add a transition on it, or remove the event"


def _deaf(offering: tuple[str, ...], facts: Facts) -> str:
    if facts.open:
        return "under `topology: open` no event moves the machine"
    verb = "does" if len(offering) == 1 else "do"
    return f"{listed(offering)}, which offer{'s' if len(offering) == 1 else ''} it, {verb} not react"
