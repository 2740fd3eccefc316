"""A comment that tells lint to ignore a rule, where that rule finds nothing.

What it was written for is mended or gone, or the comment stands at the wrong place: at the end of a line it counts for
that line, on a line of its own for what begins on the next one. Left as it is, it would hide the next mistake. Nothing
is said while the policy has errors that are not ignored, because rules keep quiet about what follows from an error.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]  # fsmc: ignore[dead-end] the desk closes these
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

CODE = "FSM016"
NAME = "unused-ignore"
LEVEL = "warning"
