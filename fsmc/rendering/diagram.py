"""What a picture of a table shows, before any notation: nodes, edges and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fsmc.runtime.infos import StateInfo
    from fsmc.runtime.table import Table


_SIDEWAYS_LAYERS = 7


class Tool(NamedTuple):
    """A tool as a picture lists it inside a state."""

    name: str
    writes: bool


class Mark(NamedTuple):
    """A finding about a state: its code and level."""

    code: str
    level: str


class Node(NamedTuple):
    """A state. ``label`` is its name, or what follows the first colon where ``group`` holds the id of its group.

    ``visited`` and ``last`` say where a painted run came through and where it stands; ``marks`` are the findings about the state.
    """

    id: str
    name: str
    label: str
    group: str | None
    kind: str
    tools: tuple[Tool, ...] = ()
    marks: tuple[Mark, ...] = ()
    visited: bool = False
    last: bool = False

    @property
    def terminal(self) -> bool:
        """Whether a session ends here."""
        return self.kind == "terminal"


class Edge(NamedTuple):
    """A move between the nodes with ids ``source`` and ``target``.

    ``kind`` is ``transition``, ``default`` (a transition that comes from ``defaults``), ``fallback`` (the budget of the state
    is spent), ``exhausted`` (the state may not be entered again) or ``request`` (a move of a painted run under ``open``).
    ``label`` is the event, or says what makes the move; ``steps`` are the numbers of the steps of a painted run that took it.
    """

    source: str
    target: str
    kind: str
    label: str
    guard: str | None = None
    steps: tuple[int, ...] = ()

    @property
    def numbers(self) -> str:
        """The numbers of the steps, the middle ones left out where there are many."""
        steps = self.steps if len(self.steps) <= 4 else (*self.steps[:2], "…", self.steps[-1])
        return ", ".join(map(str, steps))

    @property
    def heading(self) -> str:
        """The label, with the numbers of the steps before it."""
        return f"{self.numbers} · {self.label}" if self.steps else self.label

    @property
    def text(self) -> str:
        """All that is written at the edge, on one line."""
        return self.heading if self.guard is None else f"{self.heading} [{self.guard}]"


class Group(NamedTuple):
    """States whose names start with the same ``label`` and a colon."""

    id: str
    label: str


class Diagram(NamedTuple):
    """A whole picture. ``start`` is the id of the initial node; ``notes`` are sentences about the machine as a whole."""

    title: str
    start: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()

    @property
    def sideways(self) -> bool:
        """Whether the picture reads from left to right: a machine of few layers does, a long one runs down the page."""
        following: dict[str, list[str]] = {}
        for edge in self.edges:
            following.setdefault(edge.source, []).append(edge.target)
        seen, layer, depth = {self.start}, [self.start], 0
        while layer:
            layer = [node for node in dict.fromkeys(t for s in layer for t in following.get(s, ())) if node not in seen]
            seen.update(layer)
            depth += 1
        return depth <= _SIDEWAYS_LAYERS

    def members(self, group: Group) -> tuple[Node, ...]:
        """The nodes of *group*."""
        return tuple(node for node in self.nodes if node.group == group.id)


def extract(table: Table, tools: bool = False) -> Diagram:
    """The states and edges of *table*, exactly; with the tools of each state where *tools* is true."""
    ids = {name: f"s{i}" for i, name in enumerate(table.states)}
    groups: dict[str, Group] = {}
    nodes = []
    for state in table.states.values():
        prefix, member = _split(state.name)
        if prefix is not None:
            groups.setdefault(prefix, Group(f"g{len(groups)}", prefix))
        nodes.append(
            Node(
                ids[state.name],
                state.name,
                member,
                None if prefix is None else groups[prefix].id,
                state.kind,
                _tools(table, state) if tools else (),
            )
        )
    title = table.id if table.version is None else f"{table.id} {table.version}"
    return Diagram(title, ids[table.initial], tuple(nodes), _edges(table, ids), tuple(groups.values()), _notes(table))


def _split(name: str) -> tuple[str | None, str]:
    """The group of a state and its name within it."""
    prefix, _, member = name.partition(":")
    return (prefix, member) if prefix and member else (None, name)


def _tools(table: Table, state: StateInfo) -> tuple[Tool, ...]:
    return tuple(Tool(name, table.tools[name].effect == "write") for name in state.tools)


def _edges(table: Table, ids: dict[str, str]) -> tuple[Edge, ...]:
    edges = [
        Edge(ids[t.source], ids[t.target], "default" if t.default else "transition", t.event, t.guard)
        for t in table.transitions
    ]
    for state in table.states.values():
        if state.budget is not None and state.budget.fallback is not None:
            edges.append(Edge(ids[state.name], ids[state.budget.fallback], "fallback", "budget spent"))
    for state in table.states.values():
        if state.on_exhausted is not None:
            visits = "visit" if state.max_visits == 1 else "visits"
            label = f"after {state.max_visits} {visits}"
            edges.append(Edge(ids[state.name], ids[state.on_exhausted], "exhausted", label))
    return tuple(edges)


def _notes(table: Table) -> tuple[str, ...]:
    if table.topology != "open":
        return ()
    note = "open: any state may be asked for by name"
    if table.transition_guard is not None:
        note += f" [{table.condition_text(table.transition_guard)}]"
    return (note,)
