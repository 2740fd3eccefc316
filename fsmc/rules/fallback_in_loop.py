"""A fallback that stays in the loop it should break.

When a budget is spent the machine moves to the fallback, and entering a state again begins with a fresh budget. If the
fallback leads back to the state without passing a bound, a model that keeps calling tools goes round for ever. That is
so under `long_running: true` too: a session without an end still needs budgets that hold. Where other moves connect
the state and its fallback already, that cycle is what matters: FSM205 reports it, and `long_running` allows it.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    tools:
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 5, fallback: RETRY}
        transitions: [{event: SOLVED, target: DONE}]
      RETRY:
        transitions: [{event: AGAIN, target: OPEN}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    tools:
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_owner]
        tool_budget: {limit: 5, fallback: RETRY}
        transitions: [{event: SOLVED, target: DONE}]
      RETRY:
        max_visits: 2
        on_exhausted: DONE
        transitions: [{event: AGAIN, target: OPEN}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.rules.uses import fallbacks

CODE = "FSM405"
NAME = "fallback-in-loop"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each group of states that can be gone round in only because fallbacks count as moves."""
    if policy.topology != "cyclic" or not facts.rooted:
        return
    if not fallbacks(policy):
        return
    for loop, (closing, *onward) in facts.fallback_cycles(without=facts.bounded):
        if loop <= facts.trapped or facts.reachable.isdisjoint(loop):
            continue  # reported by other rules
        yield Hit(
            f"the fallback of {quoted(closing.source)} leads back to it, with a fresh budget each time",
            closing.place,
            hint="lead the fallback out of the loop, or bound a state of it with `max_visits`",
            trace=facts.trace(closing.source, closing, *onward),
        )
