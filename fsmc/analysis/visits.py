"""Which bounded states can ever be spent: asked for once more after ``max_visits`` entries.

Without this, a state named only by an ``on_exhausted`` that is never followed would count as reachable. To be spent, a
state has to be entered again, so it lies on a cycle of moves that happen. Two kinds of moves do not:

- a detour by the ``on_exhausted`` of a state that is never spent, and
- the entry of a state with ``max_visits: 1`` from where one only comes through that very state.

Detours that happen may close further cycles, so the answer grows in rounds, until it does not change. This errs on one
side only: every state that some session spends is found. A state may be called spent that is not, because nothing is
counted beyond one: whether a cycle can be gone round often enough is not asked. Rounds are bounded, to stay linear;
where they do not suffice, every bounded state counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmc.analysis.algorithms import Successors, strong_components
from fsmc.analysis.dominators import immediate_dominators, intervals

_ROUNDS = 8


def spendable(bounds: dict[int, int], initial: int, graph_with: Callable[[set[int]], Successors]) -> set[int]:
    """The states of *bounds* (node to ``max_visits``) that can be spent; *graph_with* gives the graph in which the
    detours of some of them count.
    """
    spent: set[int] = set()
    for _ in range(_ROUNDS):
        successors = graph_with(spent)
        happening, refused = _without_second_entries(successors, initial, bounds)
        found = (_on_cycles(happening) & bounds.keys()) | refused
        if found == spent:
            return spent
        spent = found
    return set(bounds)


def _without_second_entries(
    successors: Successors, initial: int, bounds: dict[int, int]
) -> tuple[Sequence[Sequence[int]], set[int]]:
    """The graph without moves to a state that was entered before and may be entered once; and those states."""
    once = {node for node, most in bounds.items() if most == 1}
    if not once:
        return successors, set()
    begin, end = intervals(immediate_dominators(successors, initial), initial)
    refused: set[int] = set()
    rows: list[Sequence[int]] = []
    for node, row in enumerate(successors):
        here = begin[node]
        again = {target for target in once.intersection(row) if begin[target] <= here < end[target]}
        refused |= again
        rows.append([target for target in row if target not in again] if again else row)
    return rows, refused


def _on_cycles(successors: Successors) -> set[int]:
    return {
        node
        for group in strong_components(successors)
        if len(group) > 1 or group[0] in successors[group[0]]
        for node in group
    }
