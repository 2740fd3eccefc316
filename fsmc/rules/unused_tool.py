"""A tool that no state offers.

The tool is declared, but no list of tools names it, so the model can never call it and the events that it emits are
never raised.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket: {effect: read}
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_ticket]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_ticket: {effect: read}
      find_owner: {effect: read}
    states:
      OPEN:
        tools: [find_ticket, find_owner]
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, listed, quoted
from fsmc.rules.uses import selectors, transitions

CODE = "FSM401"
NAME = "unused-tool"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit a tool; none where a misspelt selector seems to mean it."""
    used = {tool for tools in {selector.tools for selector in selectors(policy)} for tool in tools}
    unused = [tool for tool in policy.tools.values() if tool.name not in used]
    if not unused:
        return
    near = Nearest(policy.tools)
    meant = {near(selector.text) for selector in selectors(policy) if not selector.tools}
    waited_for = {transition.event for transition in transitions(policy)}
    for tool in unused:
        if tool.name in meant:
            continue
        lost = [event for event in tool.events if event in waited_for and set(policy.emitters[event]).isdisjoint(used)]
        yield Hit(
            f"no state offers {quoted(tool.name)}" + (f", so nothing raises {listed(lost, 'or')}" if lost else ""),
            policy.root["tools"].key_place(tool.name),
            hint="name it in the `tools` of a state, or remove it",
        )
