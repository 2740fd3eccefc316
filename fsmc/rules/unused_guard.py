"""A guard that nothing asks.

The guard is defined, but no `guard`, `when`, `require`, `failed_when` or `transition_guard` names it. A reader may
believe that it protects something.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {paid: {type: boolean}}}
    guards:
      paid: context.paid
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {paid: {type: boolean}}}
    guards:
      paid: context.paid
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE, guard: paid}]
      DONE: {type: terminal}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, quoted
from fsmc.rules.uses import conditions

CODE = "FSM402"
NAME = "unused-guard"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit a guard; none where a misspelt name seems to mean it, or an expression with a mistake names it."""
    if not policy.guards:
        return
    used = {condition.guard for condition in conditions(policy) if condition.guard is not None}
    unused = [name for name in policy.guards if name not in used]
    near = Nearest(policy.guards)
    meant = {near(name) for name in used if name not in policy.guards} if unused else set()
    broken = {problem.text for problem in policy.expression_problems} if unused else set()
    words = {word for text in broken for word in re.findall(r"\w+", text)}
    for name in unused:
        if name not in meant and name not in words and not (" " in name and any(name in text for text in broken)):
            place = policy.root["guards"].key_place(name)
            yield Hit(f"nothing uses the guard {quoted(name)}", place, hint="name it in a condition, or remove it")
