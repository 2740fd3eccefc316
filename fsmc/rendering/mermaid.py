"""Mermaid ``stateDiagram-v2``.

Every label is escaped so that mermaid shows the very same text. Three readers have to be kept from seeing anything in it: the
grammar (entity codes such as ``#59;``), the markdown of edge labels (entity codes again), and the markdown of state labels,
which mermaid reads after decoding them; there ``<div>`` keeps it out, and ``<wbr>`` splits what would become a formula or an icon.
"""

from __future__ import annotations

import json
import re
import unicodedata

from fsmc.findings import LEVELS
from fsmc.rendering.diagram import Diagram, Edge, Node

_CLASSES = {
    "terminal": "fill:#e2e8f0,stroke:#334155,stroke-width:2px,color:#0f172a",
    "error": "fill:#fee2e2,stroke:#b91c1c,stroke-width:3px,color:#0f172a",
    "warning": "fill:#fef3c7,stroke:#b45309,stroke-width:3px,color:#0f172a",
    "info": "fill:#e0f2fe,stroke:#0369a1,stroke-width:3px,color:#0f172a",
    "visited": "fill:#bfdbfe,color:#0f172a",
    "last": "fill:#1d4ed8,color:#ffffff",
}
_TEXT_LIMIT = 50_000
_NAMED = {"&": "#amp;", "<": "#lt;", ">": "#gt;"}
_PLAIN = frozenset(" _.,()[]=+-/'\"!?|^")
_OWN_ENCODING = frozenset("\ufb02¶")  # to mermaid, ``\ufb02°°59¶ß`` is ``#59;``, and that in the finished picture too
_DECODED_TWICE = re.compile(r"#64258;(?=°)|#182;(?=ß)")
_SPACES_AND_FORMATS = frozenset(["Zs", "Zl", "Zp", "Cf"])
_DIRECTION = re.compile(r"(?<=direction) +(?=TB|BT|RL|LR)", re.IGNORECASE)
_OUTER_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_MARKDOWN = re.compile(rf"[*\\]|{_OUTER_UNDERSCORE.pattern}")
_FORMULA_OR_ICON = re.compile(r"\$(?=\$)|fa[bklrs]?:(?=fa-)")


def write(diagram: Diagram) -> str:
    """The source of *diagram*."""
    direction = f"direction {'LR' if diagram.sideways else 'TB'}"
    lines = ["stateDiagram-v2", f"    {direction}"]
    groups = {group.id: group for group in diagram.groups}
    for node in diagram.nodes:
        if node.group is None:
            lines += _state(node, diagram, "    ")
        elif node.group in groups:
            group = groups.pop(node.group)
            lines.append(f'    state "{label(group.label, titled=True)}" as {group.id} {{')
            lines.append(f"        {direction}")
            for member in diagram.members(group):
                lines += _state(member, diagram, "        ")
            lines.append("    }")
    lines += ["", f"    [*] --> {diagram.start}"]
    lines += map(_edge, diagram.edges)
    lines += [f"    {node.id} --> [*]" for node in diagram.nodes if node.terminal]
    lines += _classes(diagram)
    source = f"---\ntitle: {_title(diagram.title)}\n---\n" + "\n".join(lines) + "\n"
    if len(source) > _TEXT_LIMIT:
        source += f"%% {len(source)} characters: mermaid reads no more than {_TEXT_LIMIT} unless maxTextSize says so\n"
    return source


def _state(node: Node, diagram: Diagram, indent: str) -> list[str]:
    below = [f"{mark.code} {mark.level}" for mark in node.marks]
    below += [f"{'●' if tool.writes else '○'} {tool.name}" for tool in node.tools]
    lines = [f'{indent}state "{label(node.label, titled=bool(below))}" as {node.id}']
    lines += [f"{indent}{node.id} : {escape(line)}" for line in below]
    if node.id == diagram.start and diagram.notes:
        lines.append(f"{indent}note right of {node.id} : {'<br/>'.join(map(escape, diagram.notes))}")
    return lines


def _edge(edge: Edge) -> str:
    return f"    {edge.source} --> {edge.target} : {escape(edge.text)}"


def _classes(diagram: Diagram) -> list[str]:
    members: dict[str, list[str]] = {name: [] for name in _CLASSES}
    for node in diagram.nodes:
        if node.terminal:
            members["terminal"].append(node.id)
        if node.marks:
            members[min((mark.level for mark in node.marks), key=LEVELS.index)].append(node.id)
        if node.visited:
            members["last" if node.last else "visited"].append(node.id)
    used = {name: ids for name, ids in members.items() if ids}
    lines = [f"    classDef {name} {_CLASSES[name]}" for name in used]
    lines += [f"    class {','.join(ids)} {name}" for name, ids in used.items()]
    return ["", *lines] if lines else []


def label(text: str, titled: bool) -> str:
    """*text* as the quoted label of a state. A *titled* state has lines below its label, and mermaid reads no markdown there."""
    if titled:
        return _quoted(text)
    parts, rest = [], 0
    for match in _FORMULA_OR_ICON.finditer(text):
        parts.append(text[rest : match.end()])
        rest = match.end()
    inner = "<wbr>".join(map(_quoted, [*parts, text[rest:]]))
    return f"<div>{inner}</div>" if _MARKDOWN.search(text) else inner


def _quoted(text: str) -> str:
    return escape(text).replace('"', "#quot;").replace("[", "#91;").replace("]", "#93;")


def escape(text: str) -> str:
    """*text* as the label of an edge or a line of a state."""
    coded = "".join(map(_character, text))
    coded = _OUTER_UNDERSCORE.sub("#95;", coded)
    coded = _DECODED_TWICE.sub(r"\g<0><wbr>", _DIRECTION.sub(_spaces, coded))
    return re.sub(r"^ +| +$|(?<= ) +", _spaces, coded)


def _spaces(match: re.Match[str]) -> str:
    return "#32;" * len(match.group())


def _character(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    if character in _PLAIN or (character.isascii() and character.isalnum()):
        return character
    if character.isascii() or character in _OWN_ENCODING or unicodedata.category(character) in _SPACES_AND_FORMATS:
        return f"#{ord(character)};"
    return character


def _title(text: str) -> str:
    """*text* as a YAML string. A title has no entity codes, but mermaid decodes its own form of them in the whole picture."""
    coded = "".join(f"\ufb02°°{ord(c)}¶ß" if c in "<>&" or c in _OWN_ENCODING else c for c in text)
    return re.sub(r"[%{}#]", lambda match: f"\\u{ord(match.group()):04x}", json.dumps(coded, ensure_ascii=False))
