"""A selector that matches no tool.

A glob is compared with the declared names, `effect:read` and `effect:write` with the declared effects. One that matches
nothing offers nothing; most often a name changed and the glob did not.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket: {effect: read}
    states:
      OPEN:
        tools: [find_ticket, "search_*"]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket: {effect: read}
    states:
      OPEN:
        tools: ["find_*"]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.rules.uses import selectors

CODE = "FSM103"
NAME = "empty-selector"
LEVEL = "warning"

_GLOB = re.compile(r"[*?\[]")
_EFFECTS = ("effect:read", "effect:write")


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each glob or effect without a tool."""
    for selector in selectors(policy):
        if selector.tools:
            continue
        if selector.text in _EFFECTS:
            effect = selector.text.partition(":")[2]
            yield Hit(f"no tool has `effect: {effect}`, so {quoted(selector.text)} offers nothing", selector.place)
        elif _GLOB.search(selector.text):
            yield Hit(f"no declared tool matches {quoted(selector.text)}", selector.place)
