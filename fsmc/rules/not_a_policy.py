"""A file without the key that marks a policy.

The key `fsmc` says that a file is a policy and in which version of the language. Without it nothing else is checked:
the file may be a good file of another kind.

Avoid:

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

CODE = "FSM006"
NAME = "not-a-policy"
LEVEL = "error"
