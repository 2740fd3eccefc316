"""A key that has to be there and is not.

A policy has `fsmc`, `id`, `initial` and `states`; a transition has `event` and `target`; a budget has `limit` or
`repeated`; an entry of `emits` has `event` or `set`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED}]
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

CODE = "FSM012"
NAME = "missing-key"
LEVEL = "error"
