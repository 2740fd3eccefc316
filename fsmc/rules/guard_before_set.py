"""A guard that reads a fact which its own event is about to write.

The `set` of an outcome is written together with the move, so a guard on the event still sees the fact as it was before
the call. Where every outcome that raises the event sets the fact, the guard most likely wants the new value: read it
from the event, as `event.args` or `event.result`. A guard that reads both the fact and the event compares old with new,
and one that only asks `has(...)` wants to know whether the fact was there before; neither is reported.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {total: {type: integer}}}
    tools:
      price:
        effect: read
        output_schema: {type: object, properties: {total: {type: integer}}}
        emits: [{event: PRICED, set: {total: result.total}}]
    states:
      OPEN:
        tools: [price]
        transitions:
          - {event: PRICED, target: DONE, guard: context.total < 100}
          - {event: PRICED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {total: {type: integer}}}
    tools:
      price:
        effect: read
        output_schema: {type: object, properties: {total: {type: integer}}}
        emits: [{event: PRICED, set: {total: result.total}}]
    states:
      OPEN:
        tools: [price]
        transitions:
          - {event: PRICED, target: DONE, guard: event.result.total < 100}
          - {event: PRICED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmc.analysis import Facts
from fsmc.analysis.shadows import meaning
from fsmc.policy.model import Assignment, Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.rules.uses import transitions

CODE = "FSM308"
NAME = "guard-before-set"
LEVEL = "warning"

Tree = list[Any]


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each guard and fact, at the guard."""
    written = _written(policy)
    if facts.open or not written:
        return
    for transition in transitions(policy):
        facts_written = written.get(transition.event)
        if not facts_written or transition.guard is None:
            continue
        tree = meaning(policy, transition.guard)
        if tree is None or any(part == ["var", "event"] for part in _parts(tree)):
            continue
        for name in dict.fromkeys(_facts_read(tree)):
            if name in facts_written:
                sets = facts_written[name]
                yield Hit(
                    f"this guard reads `context.{name}` as it was before {quoted(transition.event)}, which sets it",
                    transition.guard.place,
                    hint=_hint(sets),
                    related=((sets[0].place, "set here, together with the move"),),
                )


def _written(policy: Policy) -> dict[str, dict[str, list[Assignment]]]:
    """For each event that only results raise the facts that every outcome with it sets, as often as it is written."""
    outcomes: dict[str, list[tuple[Assignment, ...]]] = {}
    for tool in policy.tools.values():
        for emit in tool.emits:
            if emit.event is not None:
                outcomes.setdefault(emit.event, []).append(emit.sets)
        if tool.on_failure is not None:
            outcomes.setdefault(tool.on_failure, []).append(())
    found: dict[str, dict[str, list[Assignment]]] = {}
    for event, lists in outcomes.items():
        if all(lists) and policy.reserved(event):
            by_name: dict[str, list[Assignment]] = {}
            for assignment in (each for sets in lists for each in sets):
                by_name.setdefault(assignment.name, []).append(assignment)
            found[event] = {name: sets for name, sets in by_name.items() if len(sets) == len(lists)}
    return found


def _parts(tree: Tree) -> Iterator[Tree]:
    """*tree* and every tree inside it."""
    yield tree
    for part in tree[1:]:
        if isinstance(part, list):
            yield from _parts(part)


def _facts_read(tree: Tree) -> Iterator[str]:
    for part in _parts(tree):
        if part[0] == "field" and part[1] == ["var", "context"]:
            yield part[2]


def _hint(sets: list[Assignment]) -> str:
    trees = [each.tree for each in sets]
    if trees[0] is not None and all(tree == trees[0] for tree in trees):
        names = {part[1] for part in _parts(trees[0]) if part[0] == "var"}
        if names and names <= {"args", "result"}:
            from fsmc.runtime.expression_text import render

            return f"read `{render(_from_event(trees[0]))}` instead"
    return "read `event.args` or `event.result` instead: they come with the event"


def _from_event(tree: Tree) -> Tree:
    """An expression over a call's arguments and result, over the event that the call raised."""
    if tree[0] == "var":
        return ["field", ["var", "event"], tree[1]]
    return [_from_event(part) if isinstance(part, list) else part for part in tree]
