"""What a state answers for certain, made beforehand: moves, grants and refusals that depend on nothing that has to be looked up.

Partial evaluation of the table for one state, shared by all its sessions. A session that nobody watches answers from it; whatever
is not in it, and every session with hooks, a log or shadow mode, is decided by the engine (``fsmc.runtime.core``). Both give the
same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmc.runtime.annotations import TYPE_CHECKING, Any
from fsmc.runtime.decision import Decision, Settled
from fsmc.runtime.infos import StateInfo, Step
from fsmc.runtime.ledger import InFlight

if TYPE_CHECKING:
    from fsmc.runtime.table import Table

# What more there is to do: (number of the target, whose visits count; expression that must hold; external guard to ask).
Asks = tuple[int, "Callable[[Mapping[str, Any]], Any] | None", "str | None"]
# (the answer, the row of its target, None where nothing is to be done): plain tuples unpack fast.
Move = tuple[Step, "Row", "Asks | None"]
# (the decision, the call in flight, the names of tool and state)
Grant = tuple[Decision, InFlight, str, str]


class Row:
    """The certain answers of one state.

    ``steps``: event -> the move that no guard decides about. ``moves``: event of the application without payload -> the move
    when its first guard holds, or always without one.
    ``grants``: tool -> the answer to a call without arguments that nothing restricts. ``refusals``: tool -> why it may not be
    called here, filled by the engine where the answer cannot change (``constant``).
    """

    __slots__ = ("constant", "filled", "grants", "moves", "refusals", "state", "steps")

    def __init__(self, state: StateInfo) -> None:
        self.state = state
        self.filled = False
        self.constant = False
        self.steps: dict[str, Step] = {}
        self.moves: dict[str, Move] = {}
        self.grants: dict[str, Grant] = {}
        self.refusals: dict[str, Decision] = {}

    def fill(self, table: Table) -> None:
        """Make the answers; done when the first session comes by, again does no harm."""
        state, tools = self.state, [table.tools[name] for name in self.state.tools]
        unlimited = state.budget is None and state.parallel_calls is None
        self.constant = unlimited and all(tool.when is None and tool.max_calls is None for tool in tools)
        if unlimited and not state.terminal:
            for tool in tools:
                if tool.unrestricted:
                    certain = Settled(tool.name, False) if tool.silent else None
                    granted = Decision("allow", "ok", "", tool.name, state.name)
                    call = InFlight(tool, "", {}, None, None, certain)
                    self.grants[tool.name] = granted, call, tool.name, state.name
        for event, candidate in table._first_candidates(state.name).items():
            move = self._move(table, event, *candidate)
            if move is None:
                continue
            if candidate[1] < 0:
                self.steps[event] = move[0]
            if event in table.sendable:
                self.moves[event] = move
        self.filled = True

    def _move(self, table: Table, event: str, target: str, condition: int, sets: int, kind: str) -> Move | None:
        """The move of a candidate, where its target may be entered at any time and nothing is written."""
        info = table.states[target]
        again = target == self.state.name and info.budget is not None  # its calls go on counting
        if sets >= 0 or info.max_visits is not None or again:
            return None
        step = Step("moved", self.state.name, event, target, kind)
        row, number = table._row(target), table._state_index[target]
        if condition < 0:
            return step, row, (number, None, None) if table._counts_visits else None
        test = table._conditions[condition]
        if test.external is None and "state" in test.reads:  # the state is not among the facts kept for these tests
            return None
        return step, row, (number, test.evaluate, test.external)
