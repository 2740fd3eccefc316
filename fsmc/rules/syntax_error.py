"""Text that is not YAML, TOML or JSON.

The text breaks the grammar of its format, so nothing behind that place can be read. One file holds one document, tags
of one's own are not part of the language, and JSON is strict: no comments, no trailing commas.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}
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

CODE = "FSM001"
NAME = "syntax-error"
LEVEL = "error"
