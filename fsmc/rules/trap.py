"""A state from which no session can end.

Once a session is there it moves among states none of which is terminal, or leads to one: it can go on but never finish.
Only the states that lead to nothing else are reported, not those before them. A machine that is meant to run on says
`long_running: true`.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: UNCLEAR, target: ASKING}
      ASKING:
        max_visits: 3
        transitions: [{event: ASKED, target: WAITING}]
      WAITING:
        transitions: [{event: SILENCE, target: ASKING}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        transitions:
          - {event: SOLVED, target: DONE}
          - {event: UNCLEAR, target: ASKING}
      ASKING:
        max_visits: 3
        on_exhausted: DONE
        transitions: [{event: ASKED, target: WAITING}]
      WAITING:
        transitions: [{event: SILENCE, target: ASKING}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import listed, quoted

CODE = "FSM207"
NAME = "trap"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each group of states that lead to nothing but each other."""
    if policy.topology != "cyclic" or policy.long_running or not facts.rooted:
        return  # under `dag` such a group is a cycle, and reported as that
    place = policy.root["states"].key_place
    for group in facts.traps:
        round_trip = facts.shortest_cycle(group)
        start = round_trip[0].source
        others = [name for name in group if name != start]
        among = (
            f"{quoted(start)} leads only to {listed(others)} and back"
            if others
            else f"{quoted(start)} leads only to itself"
        )
        yield Hit(
            f"{among}, so no session that comes there can end",
            place(start),
            hint="add a transition that leads out, to a terminal state in the end",
            trace=facts.trace(start, *round_trip),
        )
