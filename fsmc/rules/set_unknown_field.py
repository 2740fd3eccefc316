"""A fact that the context does not have.

A `set` writes into the context. Where `context` names its properties and no others, no expression can read the fact,
and with `additionalProperties: false` the write, and the move with it, is refused. Most often the name is misspelt.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {owner: {type: string}}, additionalProperties: false}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, set: {onwer: event.agent}}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {owner: {type: string}}, additionalProperties: false}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, set: {owner: event.agent}}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Assignment, Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, quoted
from fsmc.rules.uses import transitions

CODE = "FSM411"
NAME = "set-unknown-field"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such name in a ``set``."""
    if not isinstance(policy.context, dict):
        return
    from fsmc.expression import from_schema, map_of

    known = map_of(from_schema(policy.context))
    if known is None or known.rest is not None:
        return
    near = Nearest(known.fields)
    refused = policy.context.get("additionalProperties") is False
    why = "so the write is refused" if refused else "so no expression can read it"
    for assignment in _assignments(policy):
        if assignment.name not in known.fields:
            message = f"`context` has no property {quoted(assignment.name)}, {why}"
            yield Hit(message, assignment.place, hint=near.hint(assignment.name, "add it to `context`"))


def _assignments(policy: Policy) -> Iterator[Assignment]:
    for tool in policy.tools.values():
        for emit in tool.emits:
            yield from emit.sets
    for transition in transitions(policy):
        yield from transition.sets
