"""A terminal state with transitions, tools or limits.

A session that has entered a terminal state is over: no event moves it and every call is refused. What is written there
would never act, so either the state is not terminal or the entry is a leftover.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE:
        type: terminal
        transitions: [{event: ARCHIVED, target: STORED}]
      STORED: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE:
        transitions: [{event: ARCHIVED, target: STORED}]
      STORED: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import listed, quoted

CODE = "FSM203"
NAME = "terminal-with-exits"
LEVEL = "error"

_KEYS = ("tools", "tool_budget", "parallel_calls", "transitions", "max_visits", "on_exhausted")


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit a state, at the first such key; the initial state has a rule of its own."""
    for name in facts.terminals:
        node = policy.states[name].node
        keys = [key for key in node if key in _KEYS and node[key]]
        if keys and name != policy.initial:
            message = f"the terminal state {quoted(name)} has {listed(keys)}, but a session ends there"
            yield Hit(message, node.key_place(keys[0]), hint="remove what never acts, or leave `type: terminal` out")
