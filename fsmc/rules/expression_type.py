"""An expression whose types do not fit.

Expressions are checked against `context`, `input_schema` and `output_schema`: a field that no schema has, a comparison
of text with a number, a condition that is not a boolean, a name that the place does not have. At run time each would be
an error that counts as "does not hold".

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {total: {type: integer}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, guard: context.totl > 0}
          - {event: SOLVED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    context: {type: object, properties: {total: {type: integer}}}
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE, guard: context.total > 0}
          - {event: SOLVED, target: BILLING}
      BILLING: {type: terminal}
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit

CODE = "FSM304"
NAME = "expression-type"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each part of an expression that does not type."""
    for problem in policy.expression_problems:
        if problem.kind == "type":
            yield Hit(problem.message, problem.place, problem.length, problem.hint)
