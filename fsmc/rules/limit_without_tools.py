"""A limit on calls in a state that offers no tool.

`tool_budget` and `parallel_calls` bound calls, and there are none to bound: the budget is never spent and its fallback
never taken.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        tool_budget: {limit: 3, fallback: ESCALATED}
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: STUCK, target: ESCALATED}
      ESCALATED: {type: terminal}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: STUCK, target: ESCALATED}
      ESCALATED: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted

CODE = "FSM414"
NAME = "limit-without-tools"
LEVEL = "warning"

_KEYS = ("tool_budget", "parallel_calls")


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such key in a state of its own; none where an entry of its list matches nothing."""
    if any(not selector.tools for selector in policy.default_selectors):
        return
    for state in policy.states.values():
        if state.tools or state.selectors or state.kind == "terminal":
            continue
        for key in _KEYS:
            if key in state.node:
                message = f"{quoted(state.name)} offers no tool, so its `{key}` does nothing"
                yield Hit(message, state.node.key_place(key), hint="offer a tool there, or remove it")
