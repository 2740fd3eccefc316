"""An outcome of a tool that is never chosen.

The entries of `emits` are tried in the order written and the first whose `when` holds wins. After one without `when`,
or with the same one, a later entry has no chance.

Avoid:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner:
        effect: read
        emits:
          - {event: OWNER_FOUND}
          - {event: NO_OWNER, when: result == null}
    states:
      OPEN:
        tools: [find_owner]
        transitions:
          - {event: OWNER_FOUND, target: ASSIGNED}
          - {event: NO_OWNER, target: CLOSED}
      ASSIGNED: {type: terminal}
      CLOSED: {type: terminal}

Prefer:

    fsmc: 1
    id: tickets
    initial: OPEN
    tools:
      find_owner:
        effect: read
        emits:
          - {event: NO_OWNER, when: result == null}
          - {event: OWNER_FOUND}
    states:
      OPEN:
        tools: [find_owner]
        transitions:
          - {event: OWNER_FOUND, target: ASSIGNED}
          - {event: NO_OWNER, target: CLOSED}
      ASSIGNED: {type: terminal}
      CLOSED: {type: terminal}
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.analysis.shadows import meaning
from fsmc.policy.model import Emit, Policy
from fsmc.rules.base import Hit
from fsmc.rules.telling import quoted
from fsmc.source.tree import Place

CODE = "FSM307"
NAME = "shadowed-emit"
LEVEL = "error"


def check(policy: Policy, facts: Facts) -> Iterator[Hit]:
    """One hit for each such entry."""
    for tool in policy.tools.values():
        winners: dict[str, Emit] = {}
        for emit in tool.emits:
            tree = None if emit.when is None else meaning(policy, emit.when)
            key = "" if emit.when is None or tree == ["bool", True] else repr(tree)
            winner = winners.get("") or (None if key and tree is None else winners.get(key))
            if winner is None:
                winners[key] = emit
                continue
            why = "has the same `when`" if winner is not winners.get("") else "has no `when`"
            yield Hit(
                f"this outcome of {quoted(tool.name)} is never chosen: one before it {why}",
                _place(emit),
                hint="put it first, or remove it" if why == "has no `when`" else "remove one of them",
                related=((_place(winner), "this one is always chosen instead"),),
            )


def _place(emit: Emit) -> Place:
    return emit.node.key_place("set") if emit.event is None else emit.node.value_place("event")
