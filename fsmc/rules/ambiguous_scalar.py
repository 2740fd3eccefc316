"""A word or number that other YAML tools read otherwise.

A policy is YAML 1.2. Many tools still read YAML 1.1, where `on`, `no` and `y` are true or false, `010` is 8, `1_000` is
a number, `12:30:45` counts seconds, `2024-01-02` is a date and `1e3` is text. Quotes, or a number written plainly, mean
the same everywhere. The first 20 places of a file are listed; TOML and JSON have no such values.

Avoid:

    fsmc: 1
    id: tickets
    version: 2024-01-02
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: on, target: DONE}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    version: "2024-01-02"
    initial: OPEN
    states:
      OPEN:
        transitions: [{event: "on", target: DONE}]
      DONE: {type: terminal}
"""

CODE = "FSM007"
NAME = "ambiguous-scalar"
LEVEL = "info"
