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
from fsmc.policy.model import Policy
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
    near = Nearest(hearing)
    for tool in policy.tools.values():
        offering = facts.offering(tool.name)
        for event in tool.events if offering else ():
            if event in reported or not hearing.get(event, set()).isdisjoint(offering):
                continue
            lost = any(emit.event == event and emit.sets for emit in tool.emits)
            yield Hit(
                f"{quoted(tool.name)} emits {quoted(event)}, but {_deaf(offering, facts)}"
                + (", and its `set` is never applied" if lost else ""),
                emit_place(policy, tool.name, event),
                hint=None if facts.open else near.hint(event, "add a transition on it, or remove the event"),
            )


def _deaf(offering: tuple[str, ...], facts: Facts) -> str:
    if facts.open:
        return "under `topology: open` no event moves the machine"
    verb = "does" if len(offering) == 1 else "do"
    return f"{listed(offering)}, which offer{'s' if len(offering) == 1 else ''} it, {verb} not react"
