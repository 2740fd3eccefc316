"""A file that is not UTF-8 text.

A policy is read as UTF-8, with or without a byte order mark. Another encoding is refused instead of being guessed,
because a guess could change a name. Both examples hold the same text; the first is saved as Latin-1.

Avoid:

    fsmc: 1
    id: café
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: café
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

CODE = "FSM005"
NAME = "encoding-error"
LEVEL = "error"
