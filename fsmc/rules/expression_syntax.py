"""An expression that cannot be read.

Expressions are a subset of CEL: `&& || ! == != < <= > >= in ?:`, `+ - *`, `size has startsWith endsWith contains`, the
macros `all` and `exists`, literals, lists, dotted fields and `["key"]`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {paid: {type: boolean}, total: {type: integer}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, guard: context.paid and context.total > 0}
          - {event: SOLVED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {paid: {type: boolean}, total: {type: integer}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, guard: context.paid && context.total > 0}
          - {event: SOLVED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit

CODE = "FSM303"
NAME = "expression-syntax"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such expression, at the character where reading stops."""
    for problem in policy.expression_problems:
        if problem.kind == "syntax":
            yield Hit(problem.message, problem.place, problem.length, problem.hint)
