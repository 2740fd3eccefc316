"""A key that the language does not have.

A key that nothing reads is most often a misspelt one, and then the policy does not do what it says. Data of one's own
goes under `meta`, which takes anything.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitons: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

CODE = "FSM010"
NAME = "unknown-key"
LEVEL = "error"
