"""A key that its mapping already has.

Most parsers keep the last of the two and drop the first without a word; in a policy that would silently drop a state, a
tool or a limit. The finding shows both places. A `<<` merge that is overridden is not a duplicate.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      OPEN:
        transitions: [{event: CLOSED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: CLOSED, target: DONE}
      DONE: {type: terminal}
"""

CODE = "FSM002"
NAME = "duplicate-key"
LEVEL = "error"
