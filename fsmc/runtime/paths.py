"""Shortest ways through a table, for answers like "what would unlock this tool?"."""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.runtime.table import Table


def moves_from(table: Table, state: str) -> Iterator[tuple[str, str]]:
    """Every (label, target) by which *state* can be left: events, the budget's fallback; under ``open``, any state."""
    for event, target in table.targets(state):
        landing: str | None = target
        passed: set[str] = set()
        while landing is not None and landing not in passed:
            yield event, landing
            passed.add(landing)
            landing = table.states[landing].on_exhausted
    info = table.states[state]
    if info.budget is not None and info.budget.fallback is not None:
        yield "a spent budget", info.budget.fallback
    if table.topology == "open" and not info.terminal:
        for name in table.states:
            yield f"a move to {name}", name


def path_to_offer(table: Table, state: str, tool: str) -> tuple[str, ...] | None:
    """The labels of a shortest way from *state* to one that offers *tool*, or None. Breadth-first, guards ignored."""
    came: dict[str, tuple[str, str] | None] = {state: None}
    queue = [state]
    for here in queue:
        if here != state and tool in table.states[here].tools:
            path = []
            step = came[here]
            while step is not None:
                path.append(step[1])
                step = came[step[0]]
            return tuple(reversed(path))
        for label, target in moves_from(table, here):
            if target not in came:
                came[target] = (here, label)
                queue.append(target)
    return None
