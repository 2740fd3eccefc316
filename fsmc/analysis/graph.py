"""The moves of a policy as a graph: what counts as a move, and how one is told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from fsmc.analysis.algorithms import reverse
from fsmc.analysis.shadows import Shadow, Shadows
from fsmc.analysis.visits import spendable
from fsmc.policy.model import Policy, State, Transition
from fsmc.runtime.annotations import NamedTuple
from fsmc.source.tree import MappingNode, Place

_TOLD_SPENT = 4

_KEYS = {
    "transition": "target",
    "default": "target",
    "fallback": "fallback",
    "exhausted": "on_exhausted",
    "request": "topology",
}


class Move(NamedTuple):
    """One way from a state to another.

    ``kind`` is ``transition``, ``default`` (a transition of the defaults), ``fallback`` (the tool budget is spent),
    ``exhausted`` (a move meant for the states in ``spent``, which may not be entered again) or ``request`` (asked for
    by name, under ``open``). ``event`` is None where no event moves the machine. ``node`` is the mapping that names the
    target.
    """

    source: str
    target: str
    kind: str
    event: str | None
    node: MappingNode
    spent: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        """Where the target is written."""
        return self.node.value_place(_KEYS[self.kind])

    def __str__(self) -> str:
        if self.kind == "request":
            return f"{self.source} --asked for--> {self.target}"
        label = "budget spent" if self.event is None else self.event
        if self.spent:
            told = self.spent
            if len(told) > _TOLD_SPENT:
                told = (*told[: _TOLD_SPENT - 1], f"{len(told) - _TOLD_SPENT + 1} more")
            label += f" ({', '.join(told)} exhausted)"
        return f"{self.source} --{label}--> {self.target}"


class Graph:
    """States as numbers, in the order written, and the moves between them.

    Left out are moves to states that do not exist, whose sources are in ``broken``; candidates that are never taken
    because of one before them; the fallback of a budget that is never spent because the state offers no tool, or that is
    the state itself; and the ``on_exhausted`` of a state whose visits are never spent (``fsmc.analysis.visits``). An
    ``on_exhausted`` counts where ``max_visits`` is missing: that is a finding of its own, and nothing else should be
    reported because of it.

    After the states come their detours: a node "the visits of S are spent" stands behind every move to S and leads to
    its ``on_exhausted`` and to the detour of that. So the graph stays linear in size, however long the chains. A ring
    of states that name each other has one detour together. Under ``topology: open`` a last node stands between all
    states. Neither has a name.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._states = tuple(policy.states.values())
        self.names = tuple(policy.states)
        self.index = {name: number for number, name in enumerate(self.names)}
        self.broken: set[int] = set()
        shadows = Shadows(policy)
        self._shadowed = {
            state.name: found for state in self._states if (found := list(shadows.among(state.transitions)))
        }
        rows = self._direct(fallbacks=True)
        self.exhaustible = self._exhaustible(rows)
        """The bounded states whose visits can be spent, as far as moves tell."""
        self._detours = self._number_detours(self.exhaustible)
        self.successors = self._complete(rows, self._detours)

    @cached_property
    def by_event(self) -> list[list[int]]:
        """The graph without the fallbacks of budgets."""
        if all(fallback_of(state) is None for state in self._states):
            return self.successors
        return self._complete(self._direct(fallbacks=False), self._detours)

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """The graph with every move turned round."""
        return reverse(self.successors)

    @property
    def hub(self) -> int | None:
        """The node that stands between all states under ``open``."""
        return len(self.successors) - 1 if self._policy.topology == "open" else None

    def shadowed(self, name: str) -> Sequence[Shadow]:
        """The transitions of the state *name* that are never taken."""
        return self._shadowed.get(name, ())

    def moves(self, name: str) -> list[Move]:
        """Every move out of the state *name* to a state that it names itself; those by request are not listed."""
        state = self._policy.states[name]
        moves = [
            Move(name, each.target, "default" if each.default else "transition", each.event, each.node)
            for each in self._candidates(state)
        ]
        fallback = fallback_of(state)
        if fallback is not None and state.budget is not None:
            moves.append(Move(name, fallback, "fallback", None, state.budget.node))
        return [move for move in moves if move.target in self.index]

    def entries(self, move: Move) -> tuple[int, ...]:
        """The nodes that *move* leads to: its target, and the detour of that."""
        target = self.index[move.target]
        return (target, self._detours[target]) if target in self._detours else (target,)

    def move(self, source: int, entry: int, target: int) -> Move:
        """The first move from *source* to *target*, by way of the node *entry*: *target* itself or a detour."""
        name = self.names[target]
        moves = self.moves(self.names[source])
        if entry == target:
            return next(move for move in moves if move.target == name)
        move = next(move for move in moves if entry in self.entries(move) and move.target != name)
        spent = [move.target]
        while (landing := self._policy.states[spent[-1]].on_exhausted) != name:
            assert landing is not None
            spent.append(landing)
        return Move(move.source, name, "exhausted", move.event, self._policy.states[spent[-1]].node, tuple(spent))

    def _candidates(self, state: State) -> tuple[Transition, ...]:
        """The transitions that *state* can take."""
        if state.name not in self._shadowed:
            return state.transitions
        never = {id(shadow.transition) for shadow in self._shadowed[state.name]}
        return tuple(each for each in state.transitions if id(each) not in never)

    def _direct(self, fallbacks: bool) -> list[list[int]]:
        """The states that each state leads to in its own words."""
        number = self.index.get
        rows: list[list[int]] = []
        for state in self._states:
            names = [transition.target for transition in self._candidates(state)]
            if fallbacks and state.budget is not None and (fallback := fallback_of(state)) is not None:
                names.append(fallback)
            row = [target for name in names if (target := number(name)) is not None]
            if (
                len(row) < len(names)
                or (state.on_exhausted is not None and state.on_exhausted not in self.index)
                or any(s.transition.target not in self.index for s in self._shadowed.get(state.name, ()))
            ):
                self.broken.add(len(rows))
            rows.append(row)
        return rows

    def _exhaustible(self, rows: list[list[int]]) -> set[int]:
        bounds = {
            node: state.max_visits
            for node, state in enumerate(self._states)
            if state.max_visits is not None and state.kind != "terminal"
        }
        initial = self.index.get(self._policy.initial)
        if not bounds or initial is None or self._policy.topology == "open":
            return set(bounds)
        return spendable(bounds, initial, lambda spent: self._complete(rows, self._number_detours(spent)))

    def _number_detours(self, spent: Collection[int]) -> dict[int, int]:
        """The number of the detour of each state that has one."""
        onward = {
            node: self.index[state.on_exhausted]
            for node, state in enumerate(self._states)
            if state.on_exhausted in self.index
            and state.on_exhausted != state.name
            and (node in spent or state.max_visits is None)
        }
        detours: dict[int, int] = {}
        free = len(self._states)
        for start in onward:
            way: dict[int, None] = {}
            node = start
            while node in onward and node not in detours and node not in way:
                way[node] = None
                node = onward[node]
            ring = None
            for member in way:
                if member == node:
                    ring = free  # from here on, back to here
                detours[member] = free if ring is None else ring
                free += ring is None
            free += ring is not None
        return detours

    def _complete(self, rows: list[list[int]], detours: dict[int, int]) -> list[list[int]]:
        """The whole graph from the rows of its states."""
        if detours:
            rows = [
                [node for target in row for node in ((target, detours[target]) if target in detours else (target,))]
                if not detours.keys().isdisjoint(row)
                else row
                for row in rows
            ]
            rows += [[] for _ in range(max(detours.values()) + 1 - len(rows))]
            for node, detour in detours.items():
                landing = self.index[self._states[node].on_exhausted or ""]
                rows[detour].append(landing)
                if detours.get(landing, detour) != detour:
                    rows[detour].append(detours[landing])
        if self._policy.topology == "open":
            hub = len(rows)
            rows = [
                [*row, hub] if node < len(self._states) and self._states[node].kind != "terminal" else row
                for node, row in enumerate(rows)
            ]
            rows.append(list(range(len(self._states))))
        return rows


def fallback_of(state: State) -> str | None:
    """The state that a spent budget leads to; None where the budget has no fallback or can never be spent."""
    budget = state.budget
    if budget is None or budget.fallback is None or budget.fallback == state.name:
        return None
    return budget.fallback if may_call(state) else None


def may_call(state: State) -> bool:
    """Whether a tool can be called in *state*, or could be if the names in its list were right."""
    return bool(state.tools) or any(not selector.tools for selector in state.selectors)
