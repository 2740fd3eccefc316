"""A tool that is offered but not declared.

`tools` at the top of the policy is the declared universe: what is not there cannot be called anywhere, and its effect,
schema and limits are not known.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket: {effect: read}
    states:
      OPEN:
        tools: [find_tickets]
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
        tools: [find_ticket]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, quoted
from fsmc.rules.uses import selectors

CODE = "FSM102"
NAME = "undefined-tool"
LEVEL = "error"

_GLOB = re.compile(r"[*?\[]")
_EFFECTS = ("effect:read", "effect:write")


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each entry of a list of tools that is no tool, no glob and no effect."""
    near = Nearest((*policy.tools, *_EFFECTS))
    for selector in selectors(policy):
        if not selector.tools and selector.text not in _EFFECTS and not _GLOB.search(selector.text):
            message = f"{quoted(selector.text)} is not a tool of this policy"
            yield Hit(message, selector.place, hint=near.hint(selector.text, "declare it under `tools`"))
