"""Facts about the graph of a policy, by state names, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cached_property

from fsmc.analysis.algorithms import (
    START,
    UNSEEN,
    breadth_first,
    path,
    shortest_way,
    strong_components,
    topological_order,
)
from fsmc.analysis.dominators import NONE, immediate_dominators
from fsmc.analysis.graph import Graph, Move, fallback_of
from fsmc.policy.model import Policy, State

_TOLD_MOVES = 20_000


class Facts:
    """What follows from the moves of *policy*; ``fsmc.analysis.graph`` says what counts as a move.

    Guards count as both true and false, so a state is called reachable when some outcome of the guards leads there.
    Where the initial state does not exist, every state counts as reachable and no path leads to any: that one mistake
    is enough. Whether a state may be entered once more is not followed move by move: ``fsmc.analysis.visits`` says how
    far ``max_visits`` is taken into account.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.open = policy.topology == "open"
        self.rooted = policy.initial in policy.states
        self._names = tuple(policy.states)
        self._told = 0

    # Moves

    @cached_property
    def graph(self) -> Graph:
        """The moves over numbered states."""
        return Graph(self.policy)

    def moves(self, state: str) -> list[Move]:
        """Every move out of *state* to a state that it names itself; those by request under ``open`` are not listed."""
        return self.graph.moves(state)

    def leaves(self, state: str) -> bool:
        """Whether *state* has a move at all."""
        return bool(self.graph.successors[self.graph.index[state]])

    @cached_property
    def broken(self) -> frozenset[str]:
        """The states with a move to a state that does not exist."""
        return self._named(self.graph.broken)

    @cached_property
    def exhaustible(self) -> frozenset[str]:
        """The states whose ``max_visits`` can be spent, so that a further move to them is refused or led elsewhere."""
        return self._named(self.graph.exhaustible)

    @cached_property
    def overlooked(self) -> frozenset[str]:
        """The targets of transitions of reachable states that are never taken because of one before them: what only they
        lead to is that mistake once more.
        """
        return frozenset(self._overlooked_by(self.reachable))

    def _overlooked_by(self, names: Iterable[str]) -> set[str]:
        return {each.transition.target for name in names for each in self.graph.shadowed(name)}

    # What can be reached

    @cached_property
    def _from_initial(self) -> tuple[list[int], list[int]]:
        if not self.rooted:
            return list(range(len(self.graph.successors))), [START] * len(self.graph.successors)
        return breadth_first(self.graph.successors, [self.graph.index[self.policy.initial]])

    @cached_property
    def _position(self) -> dict[int, int]:
        return {node: position for position, node in enumerate(self._from_initial[0])}

    @cached_property
    def reachable(self) -> frozenset[str]:
        """The states that a session can come to."""
        return self._named(self._from_initial[0])

    @cached_property
    def by_distance(self) -> tuple[str, ...]:
        """The reachable states, nearest to the initial one first."""
        return tuple(self._names[node] for node in self._from_initial[0] if node < len(self._names))

    def path_to(self, state: str) -> list[Move] | None:
        """A shortest way from the initial state to *state*; None when there is none.

        A state that is passed over because its visits are spent counts like a move.
        """
        node = self.graph.index[state]
        if not self.rooted or self._from_initial[1][node] == UNSEEN:
            return None
        if state == self.policy.initial:
            return []
        if self.open:
            return [Move(self.policy.initial, state, "request", None, self.policy.root)]
        return self._walk(path(self._from_initial[1], node))

    def trace(self, state: str, *onward: Move) -> tuple[str, ...]:
        """A shortest run to *state* and the moves *onward* from there, as text; *onward* alone when there is no way.

        A broken policy of thousands of states could ask for long runs thousands of times: after a number of moves in
        all, the answers are empty.
        """
        if self._told > _TOLD_MOVES:
            return ()
        moves = (*(self.path_to(state) or ()), *onward)
        self._told += sum(1 + len(move.spent) for move in moves)
        return tuple(map(str, moves))

    def way(self, source: str, target: str, inside: Iterable[str]) -> list[Move]:
        """A shortest way of at least one move between two states, or round to the same, through states of *inside*.

        Empty when there is none.
        """
        index = self.graph.index
        return self._round({index[name] for name in inside}, index[source], index[target])

    def _round(self, inside: set[int], source: int, target: int) -> list[Move]:
        passable = _Passable(inside, range(len(self._names), len(self.graph.successors)), self._group_of, source)
        return self._walk(shortest_way(self.graph.successors, source, target, passable) or [])

    @cached_property
    def without_fallbacks(self) -> frozenset[str]:
        """The states that a session can come to while no budget's fallback is taken."""
        if not self.rooted:
            return self.reachable
        return self._named(breadth_first(self.graph.by_event, [self.graph.index[self.policy.initial]])[0])

    @cached_property
    def unreachable_groups(self) -> tuple[tuple[str, ...], ...]:
        """Where the unreachable part of the graph begins: groups of states that nothing else leads to."""
        missing = [
            node for node, origin in enumerate(self._from_initial[1]) if origin == UNSEEN and node != self.graph.hub
        ]
        number = {node: position for position, node in enumerate(missing)}
        # What an unreachable state leads to may be reachable; nothing reachable leads to an unreachable one.
        successors = [[number[to] for to in self.graph.successors[node] if to in number] for node in missing]
        groups = strong_components(successors)
        group_of = {member: number for number, group in enumerate(groups) for member in group}
        entered_groups = {
            group_of[target]
            for member, targets in enumerate(successors)
            for target in targets
            if group_of[target] != group_of[member]
        }
        found = [sorted(missing[i] for i in group) for n, group in enumerate(groups) if n not in entered_groups]
        return self._groups_named(sorted(found))

    # What can end

    @cached_property
    def terminals(self) -> tuple[str, ...]:
        """The terminal states, in the order written."""
        return tuple(state.name for state in self.policy.states.values() if state.kind == "terminal")

    @cached_property
    def finishing(self) -> frozenset[str]:
        """The states from which a terminal state can be reached, themselves included."""
        return self.leading_to(self.terminals)

    def leading_to(self, states: Iterable[str]) -> frozenset[str]:
        """*states* and every state from which one of them can be reached."""
        index = self.graph.index
        return self._named(breadth_first(self.graph.predecessors, (index[name] for name in states))[0])

    @cached_property
    def dead_ends(self) -> tuple[str, ...]:
        """The reachable states without a move that are not terminal, nearest to the initial one first."""
        states, index, successors = self.policy.states, self.graph.index, self.graph.successors
        return tuple(
            name
            for name in self.by_distance
            if not successors[index[name]] and states[name].kind != "terminal" and name not in self.broken
        )

    @cached_property
    def traps(self) -> tuple[tuple[str, ...], ...]:
        """The groups of reachable states that lead to nothing but each other.

        What a dead end, or a move to a state that does not exist, would explain is not among them.
        """
        if not self.terminals:
            return ()  # then no state leads to an end, and that is the one thing to say
        ends = {*self.terminals, *self.dead_ends, *self.broken}
        stuck = self.reachable - self.leading_to(ends)
        if not stuck:
            return ()
        index, successors, group_of = self.graph.index, self.graph.successors, self._group_of
        open_groups = {
            group_of[node] for node, row in enumerate(successors) for to in row if group_of[to] != group_of[node]
        }
        return tuple(
            group
            for group in self.components
            if group[0] in stuck
            and group_of[index[group[0]]] not in open_groups
            and self._overlooked_by(group) <= set(group)
        )

    @cached_property
    def trapped(self) -> frozenset[str]:
        """The states of ``traps``."""
        return frozenset(name for group in self.traps for name in group)

    @cached_property
    def strandable(self) -> frozenset[str]:
        """The states that lead on only to states of their own group which may be exhausted, or round to such states.

        Once those are, a session that is back there cannot leave the group. Left out is what cannot end anyway.
        """
        successors, group_of, refusing = self.graph.successors, self._group_of, self.graph.exhaustible
        if not refusing:
            return frozenset()
        free = [any(group_of[to] != group_of[node] for to in row) for node, row in enumerate(successors)]
        queue = [node for node, leaves in enumerate(free) if leaves]
        for node in queue:
            if node in refusing:
                continue  # it may be free itself, but cannot be counted on to be entered
            for source in self.graph.predecessors[node]:
                if not free[source] and group_of[source] == group_of[node]:
                    free[source] = True
                    queue.append(source)
        caught = (node for node, leaves in enumerate(free) if not leaves and len(self._groups[group_of[node]]) > 1)
        return self._named(caught) & self.reachable & self.finishing

    @cached_property
    def immediate_postdominators(self) -> dict[str, str]:
        """For a state the first other state that all its ways to an end pass; missing where there is none."""
        end = len(self.graph.successors)
        backward = [*self.graph.predecessors, [self.graph.index[name] for name in self.terminals]]
        return self._tree(immediate_dominators(backward, end))

    # What goes round

    @cached_property
    def order(self) -> tuple[str, ...] | None:
        """The states, each before those it leads to; None when there is a cycle."""
        order = topological_order(self.graph.successors)
        return None if order is None else self._groups_named([order])[0]

    @property
    def acyclic(self) -> bool:
        """Whether no state can be entered twice, as far as moves tell."""
        return self.order is not None

    @cached_property
    def _groups(self) -> list[list[int]]:
        return strong_components(self.graph.successors)

    @cached_property
    def _group_of(self) -> list[int]:
        """For each node the number of its group."""
        group_of = [0] * len(self.graph.successors)
        for number, group in enumerate(self._groups):
            for node in group:
                group_of[node] = number
        return group_of

    @cached_property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The groups of states that lead to each other, each after the groups it leads to."""
        return self._groups_named(map(sorted, self._groups))

    @cached_property
    def bounded(self) -> frozenset[str]:
        """The states that cannot be entered without end: those with ``max_visits``, and the terminal ones."""
        states = self.policy.states.values()
        return frozenset(state.name for state in states if state.max_visits is not None or state.kind == "terminal")

    def cycles(self, without: Container[str] = (), fallbacks: bool = True) -> list[frozenset[str]]:
        """The groups of states that can be gone round in while no state of *without* is entered.

        With *fallbacks* false, the fallbacks of budgets do not count as moves.
        """
        rows = self.graph.successors if fallbacks else self.graph.by_event
        return [self._named(group) for group in self._cycles(rows, without)]

    def _cycles(self, rows: list[list[int]], without: Container[str]) -> list[list[int]]:
        states, hub = len(self._names), self.graph.hub
        kept = [n for n in range(len(rows)) if n != hub and (n >= states or self._names[n] not in without)]
        number = {node: position for position, node in enumerate(kept)}
        successors = [[number[target] for target in rows[node] if target in number] for node in kept]
        if topological_order(successors) is not None:
            return []
        return [
            [kept[member] for member in group]
            for group in strong_components(successors)
            if len(group) > 1 or group[0] in successors[group[0]]
        ]

    def fallback_cycles(self, without: Container[str]) -> Iterator[tuple[frozenset[str], list[Move]]]:
        """Of ``cycles`` those that need a fallback of a budget to go all the way round, and a way round that begins with
        it: with the first one whose ends no other moves of the cycle connect.
        """
        group_of = {
            node: number
            for number, group in enumerate(self._cycles(self.graph.by_event, without))
            for node in group
        }  # fmt: skip
        for group in self._cycles(self.graph.successors, without):
            inside = set(group)
            for node in sorted(node for node in group if node < len(self._names)):
                found = self._closing(node, inside, group_of)
                if found is not None:
                    yield self._named(group), found
                    break

    def _closing(self, node: int, inside: set[int], group_of: dict[int, int]) -> list[Move] | None:
        for move in self.graph.moves(self._names[node]) if fallback_of(self._state(node)) is not None else ():
            for entry in self.graph.entries(move) if move.event is None else ():
                if entry in inside and (node not in group_of or group_of[node] != group_of.get(entry)):
                    return self._walk([node, *(shortest_way(self.graph.successors, entry, node, inside) or ())])
        return None

    def shortest_cycle(self, inside: Iterable[str]) -> list[Move]:
        """A shortest way round in *inside*, a group that ``cycles`` gave, from its state nearest to the initial one."""
        index = self.graph.index
        far = len(self.graph.successors)
        start = min(inside, key=lambda name: (self._position.get(index[name], far), index[name]))
        return self.way(start, start, inside)

    # What must be passed

    @cached_property
    def immediate_dominators(self) -> dict[str, str]:
        """For a reachable state the last other state that all ways to it pass; missing for the initial state."""
        if not self.rooted:
            return {}
        return self._tree(immediate_dominators(self.graph.successors, self.graph.index[self.policy.initial]))

    def dominators(self, state: str) -> Iterator[str]:
        """The states that every way to *state* passes, from *state* itself back to the initial one."""
        here: str | None = state
        while here is not None:
            yield here
            here = self.immediate_dominators.get(here)

    # Tools and events

    @cached_property
    def _offers(self) -> dict[str, tuple[str, ...]]:
        offers: dict[str, list[str]] = {name: [] for name in self.policy.tools}
        for state in self.policy.states.values():
            if state.kind != "terminal" and state.name in self.reachable:
                for tool in state.tools:
                    offers[tool].append(state.name)
        return {tool: tuple(states) for tool, states in offers.items()}

    def offering(self, tool: str) -> tuple[str, ...]:
        """The reachable states that offer *tool*, in the order written."""
        return self._offers[tool]

    def result_events(self, tools: Iterable[str]) -> set[str]:
        """The events that a call of one of *tools* can raise."""
        return {event for tool in tools for event in self.policy.tools[tool].events}

    def raised_before(self, events: Iterable[str]) -> dict[str, frozenset[str]]:
        """For each reachable state those of *events* that a tool can have raised by then: there, or on some way there.

        The result of a call may arrive after another one has moved the machine, so an event is not only heard where its
        tool is offered.
        """
        bits = {event: 1 << number for number, event in enumerate(dict.fromkeys(events))}
        known: dict[tuple[str, ...], int] = {}
        masks: dict[str, int] = {}
        for name in self.reachable:
            tools = self.policy.states[name].tools
            if tools not in known:
                known[tools] = sum(bits.get(event, 0) for event in self.result_events(tools))
            masks[name] = known[tools]
        index, successors = self.graph.index, self.graph.successors
        here = [0] * len(successors)
        for name, mask in masks.items():
            here[index[name]] = mask
        # Groups come after the groups they lead to, so the reverse visits every group after all that lead to it.
        for group in reversed(self._groups):
            mask = 0
            for node in group:
                mask |= here[node]
            for node in group if mask else ():
                here[node] = mask
                for target in successors[node]:
                    here[target] |= mask
        masks = {name: here[index[name]] for name in masks}
        sets: dict[int, frozenset[str]] = {}
        for mask in masks.values():
            if mask not in sets:
                sets[mask] = frozenset(event for event, bit in bits.items() if mask & bit)
        return {name: sets[mask] for name, mask in masks.items()}

    # From numbers to names

    def _state(self, node: int) -> State:
        return self.policy.states[self._names[node]]

    def _named(self, nodes: Iterable[int]) -> frozenset[str]:
        names = self._names
        return frozenset(names[node] for node in nodes if node < len(names))

    def _groups_named(self, groups: Iterable[Iterable[int]]) -> tuple[tuple[str, ...], ...]:
        names = self._names
        named = (tuple(names[node] for node in group if node < len(names)) for group in groups)
        return tuple(group for group in named if group)

    def _tree(self, parents: list[int]) -> dict[str, str]:
        """A dominator tree by names, the nodes without a name cut out."""
        count = len(self._names)
        known: dict[int, int] = {}  # the nearest state above a node without a name
        tree = {}
        for node, name in enumerate(self._names):
            above = parents[node]
            nameless = []
            while above >= count and above not in known and above != NONE:
                nameless.append(above)
                above = parents[above]
            above = known.get(above, above)
            known.update(dict.fromkeys(nameless, above))
            if above != NONE:
                tree[name] = self._names[above]
        return tree

    def _walk(self, nodes: list[int]) -> list[Move]:
        """The moves of a walk from state to state, the first of several between two."""
        moves: list[Move] = []
        count = len(self._names)
        source, entry = nodes[0] if nodes else 0, None
        for node in nodes[1:]:
            entry = node if entry is None else entry
            if node < count:
                moves.append(self.graph.move(source, entry, node))
                source, entry = node, None
        return moves


class _Passable:
    """The nodes that a way round may pass: those given, and the detours in the same group as *start*."""

    def __init__(self, inside: set[int], nameless: range, group_of: list[int], start: int) -> None:
        self._inside, self._nameless, self._group_of = inside, nameless, group_of
        self._group = group_of[start]

    def __contains__(self, node: object) -> bool:
        return node in self._inside or (
            isinstance(node, int) and node in self._nameless and self._group_of[node] == self._group
        )
