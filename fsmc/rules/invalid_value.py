"""A value outside what its key allows.

The type is right and the value is not: a word that is not one of those listed, a count of zero, an empty name, a
duration that is none.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: final}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

CODE = "FSM013"
NAME = "invalid-value"
LEVEL = "error"
