"""A transition that waits for an event that cannot come.

An event that a tool emits is raised by that tool's result and by nothing else. A transition on it is dead when no way
to its state passes a state that offers such a tool, and an event declared with `source: tool` is dead when no tool
emits it. `source: any` lets the application raise it too.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner: {effect: read, emits: [{event: OWNER_FOUND}]}
    states:
      OPEN:
        transitions:
          - {event: OWNER_FOUND, target: ASSIGNED}
          - {event: ACCEPTED, target: ASSIGNED}
      ASSIGNED:
        tools: [find_owner]
        transitions:
          - {event: OWNER_FOUND, target: DONE}
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
          - {event: OWNER_FOUND, target: ASSIGNED}
      ASSIGNED:
        transitions:
          - {event: SOLVED, target: DONE}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, listed, quoted
from fsmc.rules.uses import transitions, unheard_of

CODE = "FSM305"
NAME = "unraisable-event"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for a declaration that no tool fulfils, one for each transition that no tool's result can reach."""
    if facts.open:
        return
    near = Nearest(policy.emitters)
    waited_for = {transition.event: transition for transition in transitions(policy)} if policy.events else {}
    for event in (policy.events or {}).values():
        if event.source == "tool" and event.name in waited_for and event.name not in policy.emitters:
            yield Hit(
                f"{quoted(event.name)} has `source: tool`, but no tool emits it",
                event.node.value_place("source"),
                hint=near.hint(event.name, "let a tool emit it, or leave `source` out"),
                related=((waited_for[event.name].node.value_place("event"), "a transition waits for it"),),
            )
    for state, transition in unheard_of(policy, facts):
        emitters = listed(policy.emitters[transition.event], "or")
        yield Hit(
            f"{quoted(state)} waits for {quoted(transition.event)}, which only {emitters} raises, and no way to "
            f"{quoted(state)} passes a state that offers it",
            transition.node.value_place("event"),
            hint="offer the tool there or before, or give the event `source: any`",
            trace=facts.trace(state),
        )
