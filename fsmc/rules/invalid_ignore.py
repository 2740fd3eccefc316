"""A comment that tells lint to ignore something, and cannot be followed.

It names the rules to ignore in brackets, by code or name and separated by commas; `ignore-file` stands above the first
key. A comment without a rule would hide whatever comes, and one with a misspelt rule hides nothing. What keeps a policy
from being read cannot be ignored: nothing else is checked until it is mended.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}, {event: STUCK, target: STALE}]
      STALE: {type: terminal}  # fsmc: ignore the desk closes these
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}, {event: STUCK, target: STALE}]
      STALE: {}  # fsmc: ignore[dead-end] the desk closes these
      DONE: {type: terminal}
"""

CODE = "FSM017"
NAME = "invalid-ignore"
LEVEL = "warning"
