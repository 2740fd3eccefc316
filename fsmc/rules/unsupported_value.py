"""A value that the three formats do not share.

A policy means the same in YAML, TOML and JSON, so it holds mappings with text keys, lists, text, 64-bit integers,
finite numbers, booleans and null. Infinities, NaN, larger integers and TOML's dates are refused instead of being
rounded or turned into text.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    meta: {owner: 123456789012345678901234567890}
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    meta: {owner: "123456789012345678901234567890"}
    states:
      OPEN:
        transitions: [{event: SOLVED, target: DONE}]
      DONE: {type: terminal}
"""

CODE = "FSM003"
NAME = "unsupported-value"
LEVEL = "error"
