"""A bound that can strand the session.

A state with `max_visits` refuses to be entered more often. If it is the only way on from another state of its loop, and
`on_exhausted` does not say where to go instead, the session is stuck there.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        max_visits: 3
        transitions:
          - {event: ANSWERED, target: WAITING}
          - {event: SOLVED, target: DONE}
      WAITING:
        transitions: [{event: REPLIED, target: OPEN}]
      DONE: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    topology: cyclic
    states:
      OPEN:
        max_visits: 3
        on_exhausted: DONE
        transitions:
          - {event: ANSWERED, target: WAITING}
          - {event: SOLVED, target: DONE}
      WAITING:
        transitions: [{event: REPLIED, target: OPEN}]
      DONE: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import listed, quoted

CODE = "FSM409"
NAME = "exhausted-without-target"
LEVEL = "warning"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit a bounded state, at its ``max_visits``."""
    if policy.topology != "cyclic" or policy.long_running or not facts.rooted or facts.broken & facts.reachable:
        return
    if not any(_closes(policy, name) for name in facts.reachable):
        return
    for group in facts.components:
        for name, stranded in _stranded(policy, facts, group).items():
            yield Hit(
                f"once {quoted(name)} may not be entered again, nothing leads on from {listed(stranded)}",
                policy.states[name].node.value_place("max_visits"),
                hint="say with `on_exhausted` where to go instead",
                trace=facts.trace(stranded[0]),
            )


def _stranded(policy: Policy, facts: Facts, group: tuple[str, ...]) -> dict[str, list[str]]:
    """For each bounded state of *group* those whose ways to an end all begin with the move to it."""
    found: dict[str, list[str]] = {}
    members = frozenset(group)
    for name in group if len(group) > 1 and group[0] in facts.reachable else ():
        passed = facts.immediate_postdominators.get(name)
        if passed in members and _closes(policy, passed) and any(move.target == passed for move in facts.moves(name)):
            found.setdefault(passed, []).append(name)
    return found


def _closes(policy: Policy, name: str) -> bool:
    state = policy.states[name]
    return state.max_visits is not None and state.on_exhausted is None and state.kind != "terminal"
