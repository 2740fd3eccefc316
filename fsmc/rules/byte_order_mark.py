"""A file that starts with a byte order mark.

The mark is invisible, and UTF-8 does not need it: fsmc reads over it. Other tools may take it for the first character
of the first key, and JSON does not allow it. Both examples hold the same text; the first is saved with the mark.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
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

CODE = "FSM008"
NAME = "byte-order-mark"
LEVEL = "info"
