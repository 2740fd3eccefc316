"""A guard that is named but not defined.

A bare name in `guard`, `when`, `require`, `failed_when` or `transition_guard` always means a guard under `guards`. A
guard without a definition could never hold, and whatever it protects would silently stay shut, or open.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {paid: {type: boolean}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, guard: paid}
          - {event: SOLVED, target: BILLING}
      BILLING: {type: terminal}
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
        transitions:
          - {event: SOLVED, target: DONE, guard: paid}
          - {event: SOLVED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import Nearest, quoted
from fsmc.rules.uses import conditions

CODE = "FSM104"
NAME = "undefined-guard"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each condition that names such a guard."""
    near = Nearest(policy.guards)
    fields = policy.context.get("properties", {}) if isinstance(policy.context, dict) else {}
    for condition in conditions(policy):
        name = condition.guard
        if name is None or name in policy.guards:
            continue
        field = f"define it under `guards`, or write `context.{name}` to read the context" if name in fields else None
        hint = near.hint(name, field or "define it under `guards`")
        yield Hit(f"{quoted(name)} is not a guard of this policy", condition.place, hint=hint)
