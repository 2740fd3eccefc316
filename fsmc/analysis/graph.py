"""The moves of a policy as a graph: what counts as a move, and how one is told."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from fsmc.analysis.algorithms import reverse
from fsmc.policy.model import Policy, State, Transition
from fsmc.source.tree import MappingNode, Place

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
            label += f" ({', '.join(self.spent)} exhausted)"
        return f"{self.source} --{label}--> {self.target}"


class Graph:
    """States as numbers, in the order written, and the moves between them.

    Left out are moves to states that do not exist, whose sources are in ``broken``; default transitions that the state
    overrides; and the fallback of a budget that is never spent because the state offers no tool, or that is the state
    itself. An ``on_exhausted`` counts even where ``max_visits`` is missing: that is a finding of its own, and nothing
    else should be reported because of it.

    Under ``topology: open`` a last node without a name stands between all states, so that the graph stays linear in
    size.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.names = tuple(policy.states)
        self.index = {name: number for number, name in enumerate(self.names)}
        self.broken: set[int] = set()
        landings = {name: self._chain(state) for name, state in policy.states.items() if state.on_exhausted is not None}
        self._landings = {name: chain for name, chain in landings.items() if chain}
        self.successors = self._successors(fallbacks=True)

    @cached_property
    def by_event(self) -> list[list[int]]:
        """The graph without the fallbacks of budgets."""
        if all(fallback_of(state) is None for state in self._policy.states.values()):
            return self.successors
        return self._successors(fallbacks=False)

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """The graph with every move turned round."""
        return reverse(self.successors)

    @property
    def hub(self) -> int | None:
        """The node that stands between all states under ``open``."""
        return len(self.names) if self._policy.topology == "open" else None

    def moves(self, name: str) -> list[Move]:
        """Every move out of the state *name*, in the order of ``successors``; those by request are not listed."""
        state = self._policy.states[name]
        moves: list[Move] = []
        for transition in candidates(state):
            kind = "default" if transition.default else "transition"
            self._add(moves, Move(name, transition.target, kind, transition.event, transition.node))
        fallback = fallback_of(state)
        if fallback is not None and state.budget is not None:
            self._add(moves, Move(name, fallback, "fallback", None, state.budget.node))
        return moves

    def _add(self, moves: list[Move], move: Move) -> None:
        if move.target not in self.index:
            return
        moves.append(move)
        spent = [move.target]
        for landing in self._landings.get(move.target, ()):
            node = self._policy.states[spent[-1]].node
            moves.append(Move(move.source, landing, "exhausted", move.event, node, tuple(spent)))
            spent.append(landing)

    def _chain(self, state: State) -> tuple[str, ...]:
        """Where a move to *state* may land instead, nearest first."""
        states = self._policy.states
        chain = {state.name: None}
        landing = state.on_exhausted
        while landing is not None and landing in states and landing not in chain:
            chain[landing] = None
            landing = states[landing].on_exhausted
        return tuple(chain)[1:]

    def _successors(self, fallbacks: bool) -> list[list[int]]:
        number, landings = self.index.get, self._landings
        rows: list[list[int]] = []
        for state in self._policy.states.values():
            names = [transition.target for transition in candidates(state)]
            if fallbacks and state.budget is not None and (fallback := fallback_of(state)) is not None:
                names.append(fallback)
            if landings:
                names = [each for name in names for each in (name, *landings.get(name, ()))]
            row = [target for name in names if (target := number(name)) is not None]
            if len(row) < len(names) or (state.on_exhausted is not None and state.on_exhausted not in self.index):
                self.broken.add(len(rows))
            rows.append(row)
        hub = self.hub
        if hub is not None:
            for state, row in zip(self._policy.states.values(), rows, strict=True):
                if state.kind != "terminal":
                    row.append(hub)
            rows.append(list(range(hub)))
        return rows


def candidates(state: State) -> tuple[Transition, ...]:
    """The transitions that *state* can take: a default has no chance behind an own one without a guard, or with the
    same.
    """
    if not state.transitions or not state.transitions[-1].default:
        return state.transitions
    decided = {(each.event, each.guard and each.guard.text) for each in state.transitions if not each.default}
    return tuple(
        each
        for each in state.transitions
        if not each.default
        or ((each.event, None) not in decided and (each.event, each.guard and each.guard.text) not in decided)
    )


def fallback_of(state: State) -> str | None:
    """The state that a spent budget leads to; None where the budget has no fallback or can never be spent."""
    budget = state.budget
    if budget is None or budget.fallback is None or budget.fallback == state.name:
        return None
    return budget.fallback if may_call(state) else None


def may_call(state: State) -> bool:
    """Whether a tool can be called in *state*, or could be if the names in its list were right."""
    return bool(state.tools) or any(not selector.tools for selector in state.selectors)
