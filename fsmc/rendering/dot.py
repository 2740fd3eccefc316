"""DOT, the language of Graphviz."""

from __future__ import annotations

import textwrap

from fsmc.findings import LEVELS
from fsmc.rendering.diagram import Diagram, Edge, Node

_SANS = "Helvetica,Arial,sans-serif"
_MONO = "Menlo,Consolas,monospace"
_INK, _QUIET = "#1e293b", "#64748b"
_RUN = "#1d4ed8"
_LEVEL_COLORS = {"error": ("#b91c1c", "#fee2e2"), "warning": ("#b45309", "#fef3c7"), "info": ("#0369a1", "#e0f2fe")}
_EDGE_STYLES = {
    "transition": {"weight": "4"},
    "default": {"color": "#94a3b8", "fontcolor": _QUIET},
    "fallback": {"color": "#b45309", "fontcolor": "#b45309", "style": "dashed"},
    "exhausted": {"color": "#7c3aed", "fontcolor": "#7c3aed", "style": "dashed"},
    "request": {"style": "dashed"},
}
_NOT_IN_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}
_GUARD_WIDTH = 36
_NOTE_WIDTH = 90

# Where `dot` would take long, (states, edges): first its quick settings, then another engine, which draws no clusters.
_BUSY = (40, 100)
_HUGE = (150, 500)


class _Html(str):
    """An HTML-like label, written between ``<`` and ``>``."""


def write(diagram: Diagram) -> str:
    """The source of *diagram*."""
    lines = [f"digraph {quote(diagram.title)} {{", f"    graph [{_attributes(_graph(diagram))}]"]
    lines += [
        f'    node [shape=box, style="rounded,filled", fillcolor="#f8fafc", color="#475569", fontcolor="{_INK}", '
        f'fontname="{_SANS}", fontsize=12, margin="0.16,0.08", height=0.4]',
        f'    edge [color="#475569", fontcolor="{_INK}", fontname="{_SANS}", fontsize=10, arrowsize=0.7]',
        f'    start [shape=circle, style=filled, fillcolor="{_INK}", color="{_INK}", label="", width=0.16, height=0.16, '
        "fixedsize=true]",
    ]
    clustered = not _exceeds(diagram, _HUGE)
    lines += [_node(node, node.name) for node in diagram.nodes if node.group is None or not clustered]
    for group in diagram.groups if clustered else ():
        lines.append(f"    subgraph cluster_{group.id} {{")
        lines.append(f"        graph [{_attributes(_cluster(group.label))}]")
        lines += ["    " + _node(node, node.label) for node in diagram.members(group)]
        lines.append("    }")
    lines.append(f"    start -> {diagram.start}")
    lines += map(_edge, diagram.edges)
    return "\n".join([*lines, "}"]) + "\n"


def _graph(diagram: Diagram) -> dict[str, str]:
    """Attributes of the whole: how it looks, and how to keep the layout quick where there is much to lay out."""
    attributes = {
        "label": _heading(diagram),
        "labelloc": "t",
        "labeljust": "l",
        "fontname": _SANS,
        "fontcolor": _INK,
        "rankdir": "LR" if diagram.sideways else "TB",
        "nodesep": "0.35",
        "ranksep": "0.6",
        "newrank": "true",
        "pad": "0.3",
        "bgcolor": "white",
    }
    if _exceeds(diagram, _HUGE):
        attributes |= {"layout": "sfdp", "overlap": "prism", "splines": "line", "K": "2", "sep": "+14"}
    elif _exceeds(diagram, _BUSY):
        attributes |= {"nslimit": "2", "nslimit1": "2", "mclimit": "0.2", "splines": "line"}
    return attributes


def resolution(diagram: Diagram) -> dict[str, str]:
    """Attributes that say how fine an image of pixels is: twice that of a screen, less where there would be too many."""
    return {"dpi": "72", "size": "48,48"} if _exceeds(diagram, _HUGE) else {"dpi": "144"}


def _exceeds(diagram: Diagram, size: tuple[int, int]) -> bool:
    return len(diagram.nodes) > size[0] or len(diagram.edges) > size[1]


def _cluster(label: str) -> dict[str, str]:
    return {
        "label": label,
        "labeljust": "l",
        "style": "rounded,filled",
        "color": "#cbd5e1",
        "fillcolor": "#f1f5f9",
        "fontname": _SANS,
        "fontsize": "11",
        "fontcolor": _QUIET,
    }


def _heading(diagram: Diagram) -> str:
    notes = [line for note in diagram.notes for line in _wrapped(note, _NOTE_WIDTH)]
    if _exceeds(diagram, _HUGE):
        notes.append("a large machine: laid out by sfdp, without the order of a run and without groups")
    if any(node.tools for node in diagram.nodes):
        notes.append("● writes   ○ reads")
    rows = "".join(f'<br align="left"/><font point-size="10" color="{_QUIET}">{_html(note)}</font>' for note in notes)
    return _Html(f'<font point-size="16"><b>{_html(diagram.title)}</b></font>{rows}<br align="left"/>')


def _node(node: Node, label: str) -> str:
    attributes = {"label": _node_label(node, label)}
    if node.terminal:
        attributes |= {"peripheries": "2", "fillcolor": "#e2e8f0"}
    if node.marks:
        border, fill = _LEVEL_COLORS[min((mark.level for mark in node.marks), key=LEVELS.index)]
        attributes |= {"color": border, "fillcolor": fill, "penwidth": "2"}
    if node.visited:
        attributes["fillcolor"] = "#bfdbfe"
        if not node.marks:
            attributes["color"] = _RUN
    if node.last:
        attributes |= {"fillcolor": _RUN, "fontcolor": "white", "penwidth": "2"}
    return f"    {node.id} [{_attributes(attributes)}]"


def _node_label(node: Node, label: str) -> str:
    if not node.tools and not node.marks:
        return label
    rows = [f'<tr><td><font point-size="12">{_html(label)}</font></td></tr>']
    for mark in node.marks:
        color = "white" if node.last else _LEVEL_COLORS[mark.level][0]
        rows.append(f'<tr><td><font point-size="9" color="{color}"><b>{_html(mark.code)}</b></font></td></tr>')
    if node.tools:
        rows.append("<hr/>")
    for tool in node.tools:
        text = f"{'●' if tool.writes else '○'} {tool.name}"
        color = "white" if node.last else "#9a3412" if tool.writes else "#475569"
        rows.append(
            f'<tr><td align="left"><font face="{_MONO}" point-size="9" color="{color}">{_html(text)}</font></td></tr>'
        )
    return _Html(f'<table border="0" cellborder="0" cellspacing="0" cellpadding="1">{"".join(rows)}</table>')


def _edge(edge: Edge) -> str:
    attributes = {"label": _edge_label(edge)} | _EDGE_STYLES[edge.kind]
    if edge.steps:
        attributes |= {"color": _RUN, "fontcolor": _RUN, "penwidth": "2.2"}
    return f"    {edge.source} -> {edge.target} [{_attributes(attributes)}]"


def _edge_label(edge: Edge) -> str:
    if edge.guard is None:
        return edge.heading
    guard = _wrapped(f"[{edge.guard}]", _GUARD_WIDTH)
    color = _RUN if edge.steps else _QUIET
    rows = "".join(f'<br/><font point-size="9" color="{color}">{_html(line)}</font>' for line in guard)
    return _Html(_html(edge.heading) + rows)


def _wrapped(text: str, width: int) -> list[str]:
    """*text* in lines of about *width*, broken at spaces only and otherwise as it is."""
    return textwrap.wrap(
        text, width, expand_tabs=False, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    )


def _attributes(values: dict[str, str]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in values.items())


def _value(value: str) -> str:
    return f"<{value}>" if isinstance(value, _Html) else quote(value)


def quote(text: str) -> str:
    """*text* as a quoted string. Graphviz reads backslashes and entities in it, and an XML picture cannot hold two characters."""
    text = text.translate(_NOT_IN_XML).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{text}"'


def _html(text: str) -> str:
    """*text* inside an HTML-like label, which Graphviz refuses where a piece of text is nothing but ``]``."""
    text = text.translate(_NOT_IN_XML).replace("\\", "\\\\")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"&#93;{text[1:]}" if text.startswith("]") else text
