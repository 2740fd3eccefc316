"""A run and findings, painted onto a diagram."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fsmc.findings import LEVELS
from fsmc.policy.wording import shown
from fsmc.rendering.diagram import Diagram, Edge, Mark
from fsmc.rendering.errors import RenderError

if TYPE_CHECKING:
    from fsmc.findings import Finding


class _Move(NamedTuple):
    source: str
    target: str
    event: str | None
    kind: str | None


def paint_trace(diagram: Diagram, trace: Iterable[Any], open_topology: bool = False) -> Diagram:
    """*diagram* with the path of a run.

    A step of *trace* is a pair ``(source, target)`` of state names, or anything with these attributes, such as a ``Step``;
    its ``event`` and ``kind`` tell parallel edges apart, and without them all of those are painted. Steps that did not move
    (``target`` None) are skipped. Raises ``RenderError`` for a step that the table does not have; where *open_topology* is
    true, such a step is an edge of its own.
    """
    ids = {node.name: node.id for node in diagram.nodes}
    edges = list(diagram.edges)
    path: list[str] = []
    for number, move in enumerate(_moves(trace), 1):
        for name in (move.source, move.target):
            if name not in ids:
                raise RenderError(f"step {number} of the trace names `{name}`, which is not a state of this policy")
        source, target = ids[move.source], ids[move.target]
        taken = _taken(edges, source, target, move)
        if not taken and open_topology:
            taken = [len(edges)]
            edges.append(Edge(source, target, "request", "asked for"))
        if not taken:
            event = f" on {move.event}" if move.event else ""
            raise RenderError(
                f"step {number} of the trace, {move.source} -> {move.target}{event}, is not a move of this policy"
            )
        for i in taken:
            edges[i] = edges[i]._replace(steps=(*edges[i].steps, number))
            path += (edges[i].source, edges[i].target)
        path += (source, target)
    visited = set(path)
    last = path[-1] if path else None
    nodes = tuple(node._replace(visited=node.id in visited, last=node.id == last) for node in diagram.nodes)
    return diagram._replace(nodes=nodes, edges=tuple(edges))


def _moves(trace: Iterable[Any]) -> Iterable[_Move]:
    for step in trace:
        if hasattr(step, "source") and hasattr(step, "target"):
            move = _Move(step.source, step.target, getattr(step, "event", None) or None, getattr(step, "kind", None))
        else:
            source, target = step
            move = _Move(source, target, None, None)
        if move.target is not None:
            yield move


def _taken(edges: Sequence[Edge], source: str, target: str, move: _Move) -> list[int]:
    """The edges that *move* took, by index: one, parallel ones, or a transition and the detours of spent visits."""
    leaving = [
        i for i, edge in enumerate(edges) if edge.source == source and edge.kind != "exhausted" and _fits(edge, move)
    ]
    direct = [i for i in leaving if edges[i].target == target and move.kind in (None, edges[i].kind)]
    if direct:
        return direct
    detours = {edge.source: i for i, edge in enumerate(edges) if edge.kind == "exhausted"}
    for i in leaving:
        way, here = [i], edges[i].target
        while here != target and here in detours and detours[here] not in way:
            way.append(detours[here])
            here = edges[way[-1]].target
        if here == target and len(way) > 1:
            return way
    return []


def _fits(edge: Edge, move: _Move) -> bool:
    if edge.kind == "fallback":
        return move.kind in (None, "fallback", "exhausted")
    return move.event in (None, edge.label) or edge.kind == "request"


def paint_findings(diagram: Diagram, findings: Iterable[Finding]) -> Diagram:
    """*diagram* with each finding at the states it is about: those its message names in backticks, or else the state in
    which its ``trace`` ends. The codes of the others are listed in a note.
    """
    marks: dict[str, dict[Mark, None]] = {}
    elsewhere: dict[str, None] = {}
    for finding in findings:
        about = _about(finding, diagram)
        for node_id in about:
            marks.setdefault(node_id, {})[Mark(finding.code, finding.level)] = None
        if not about:
            elsewhere[finding.code] = None
    nodes = tuple(
        node._replace(marks=tuple(sorted(marks.get(node.id, ()), key=lambda m: (LEVELS.index(m.level), m.code))))
        for node in diagram.nodes
    )
    notes = (*diagram.notes, f"not about one state: {', '.join(elsewhere)}") if elsewhere else diagram.notes
    return diagram._replace(nodes=nodes, notes=notes)


def _about(finding: Finding, diagram: Diagram) -> list[str]:
    named = [node.id for node in diagram.nodes if f"`{shown(node.name)}`" in finding.message]
    if finding.rule == "unreachable-state":  # its message also says from where nothing leads there
        return [node for node in named if node != diagram.start]
    if named or not finding.trace:
        return named
    ends = [node for node in diagram.nodes if finding.trace[-1].endswith(f"--> {node.name}")]
    return [max(ends, key=lambda node: len(node.name)).id] if ends else []
