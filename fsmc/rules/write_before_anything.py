"""A write tool that is offered before anything has happened.

In the initial state nothing is known yet: nobody has been identified, nothing has been confirmed. A tool that changes
something outside, offered there without `when`, `require` or `approval`, can be the very first thing a model does.
Tools are `effect: write` unless they say otherwise.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      close_ticket: {effect: write}
    states:
      OPEN:
        tools: [close_ticket]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      close_ticket: {effect: write}
    states:
      OPEN:
        transitions: [{event: AGREED, target: CLOSING}]
      CLOSING:
        tools: [close_ticket]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import listed, quoted

CODE = "FSM408"
NAME = "write-before-anything"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each entry of a list that offers such tools in the initial state."""
    initial = policy.states.get(policy.initial)
    if initial is None or initial.kind == "terminal":
        return
    told: set[str] = set()
    for selector in (*initial.selectors, *policy.default_selectors):
        writers = []
        for name in selector.tools:
            tool = policy.tools[name]
            checked = tool.when is not None or tool.require or tool.approval is not None
            if tool.effect == "write" and not checked and name not in told:
                writers.append(name)
        told.update(writers)
        if writers:
            verb = "is a write tool" if len(writers) == 1 else "are write tools"
            yield Hit(
                f"{listed(writers)} {verb}, and {quoted(initial.name)} offers {'it' if len(writers) == 1 else 'them'} "
                "before anything has happened",
                selector.place,
                hint="offer it in a later state, give it `when`, `require` or `approval`, or say `effect: read`",
            )
