"""Every place of a policy that defines or mentions a state, an event, a tool or a guard.

Read from the tree and not from the model: while somebody types, the model is often not there.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from fsmc.expression import ExpressionError, Node, parse
from fsmc.expression import nodes as expressions
from fsmc.source.span import token
from fsmc.source.tree import Document, Lines, MappingNode, Place, SequenceNode

_NOTHING = MappingNode((), array("I", [0]), Lines(""))
Kind = Literal["state", "event", "tool", "guard"]


_SECTIONS: dict[str, Kind] = {"states": "state", "events": "event", "tools": "tool", "guards": "guard"}
_HEADER = re.compile(
    r"""^[ \t]*\[{1,2}[ \t]*(?P<section>states|events|tools|guards)[ \t]*\.[ \t]*(?P<name>[\w-]+|"[^"\n\\]+"|'[^'\n]+')""",
    re.MULTILINE,
)


class Occurrence(NamedTuple):
    """A name where it is written: from *start* to *end*, without quotes; both are -1 where the text does not show it literally."""

    kind: Kind
    name: str
    start: int
    end: int
    defines: bool = False


def occurrences(document: Document) -> list[Occurrence]:
    """All of them in the order of the text, each once, also behind an alias; none where the text could not be read."""
    root = document.root
    if not isinstance(root, MappingNode):
        return []
    return sorted(set(_Walk(document, root).all()), key=lambda found: (found.start, found.name))


class _Walk:
    def __init__(self, document: Document, root: MappingNode) -> None:
        self._document = document
        self._root = root
        self._guards = _mapping(root, "guards")
        self._tools = _mapping(root, "tools")

    def all(self) -> Iterator[Occurrence]:
        root = self._root
        for section, kind in _SECTIONS.items():
            node = _mapping(root, section)
            for name in node:
                yield self._token(kind, name, node.key_place(name), defines=True)
        if self._document.format == "toml":
            yield from self._headers()
        yield from self._mention("state", root, "initial")
        yield from self._condition(root, "transition_guard")
        for holder in (_mapping(root, "defaults"), *_mappings(_mapping(root, "states"))):
            yield from self._holder(holder)
        for tool in _mappings(self._tools):
            yield from self._tool(tool)
        for name, guard in self._guards.items():
            if isinstance(guard, MappingNode):
                yield from self._expression(guard, "expr")
            else:
                yield from self._expression(self._guards, name)

    def _headers(self) -> Iterator[Occurrence]:
        """The names in headers of TOML after the first: ``[tools.look]`` and ``[[tools.look.emits]]`` name the same tool."""
        text = self._document.text
        for header in _HEADER.finditer(text):
            kind, name = _SECTIONS[header["section"]], header["name"].strip("\"'")
            node = _mapping(self._root, header["section"])
            start = header.start("name")
            if name in node and self._document.lines.offset(node.key_place(name)) != start:
                start += header["name"][0] in "\"'"
                yield Occurrence(kind, name, start, start + len(name))

    def _holder(self, node: MappingNode) -> Iterator[Occurrence]:
        """A state, or the defaults of all."""
        yield from self._mention("state", node, "on_exhausted")
        yield from self._mention("state", _mapping(node, "tool_budget"), "fallback")
        tools = node.get("tools")
        if isinstance(tools, SequenceNode):
            for number, name in enumerate(tools):
                if isinstance(name, str) and name in self._tools:
                    yield self._token("tool", name, tools.value_place(number))
        for transition in _items(node, "transitions"):
            yield from self._mention("event", transition, "event")
            yield from self._mention("state", transition, "target")
            yield from self._condition(transition, "guard")
            yield from self._sets(transition)

    def _tool(self, node: MappingNode) -> Iterator[Occurrence]:
        for key in ("when", "failed_when", "require"):
            yield from self._condition(node, key)
        yield from self._mention("event", node, "on_failure")
        for emit in _items(node, "emits"):
            yield from self._mention("event", emit, "event")
            yield from self._condition(emit, "when")
            yield from self._sets(emit)

    def _sets(self, node: MappingNode) -> Iterator[Occurrence]:
        written = _mapping(node, "set")
        for name in written:
            yield from self._expression(written, name)

    def _mention(self, kind: Kind, node: MappingNode, key: str) -> Iterator[Occurrence]:
        name = node.get(key)
        if isinstance(name, str):
            yield self._token(kind, name, node.value_place(key))

    def _condition(self, node: MappingNode, key: str) -> Iterator[Occurrence]:
        """The name of a guard, an expression, or a list of either."""
        value = node.get(key)
        if isinstance(value, SequenceNode):
            for number, text in enumerate(value):
                yield from self._text(text, value.value_place(number))
        elif isinstance(value, str):
            yield from self._text(value, node.value_place(key))

    def _expression(self, node: MappingNode, key: str) -> Iterator[Occurrence]:
        value = node.get(key)
        if isinstance(value, str):
            yield from self._text(value, node.value_place(key))

    def _text(self, text: Any, place: Place) -> Iterator[Occurrence]:
        if not isinstance(text, str):
            return
        if text in self._guards:
            yield self._token("guard", text, place)
            return
        try:
            tree = parse(text)
        except ExpressionError:
            return
        for kind, name, offset in _names(tree, text, self._guards):
            at = self._document.place_in_scalar(place, text, offset)
            start = self._document.lines.offset(at)
            shown = self._document.text.startswith(name, start) and (offset == 0 or at != place)
            yield Occurrence(kind, name, start, start + len(name)) if shown else Occurrence(kind, name, -1, -1)

    def _token(self, kind: Kind, name: str, place: Place, defines: bool = False) -> Occurrence:
        start = self._document.lines.offset(place)
        raw = token(self._document.lines, start, self._document.format)
        quote = len(raw) - len(raw.lstrip("'\""))
        if not self._document.text.startswith(name, start + quote) or len(raw) < len(name) + 2 * quote:
            return Occurrence(kind, name, -1, -1, defines)
        return Occurrence(kind, name, start + quote, start + quote + len(name), defines)


def _names(node: Node, text: str, guards: MappingNode) -> Iterator[tuple[Kind, str, int]]:
    """What an expression mentions, each with its offset in *text*."""
    if isinstance(node, expressions.Name):
        if node.name in guards:
            yield "guard", node.name, node.start
    elif isinstance(node, expressions.Field):
        if isinstance(node.operand, expressions.Name) and node.operand.name in _COUNTED:
            yield _COUNTED[node.operand.name], node.name, node.at
        yield from _names(node.operand, text, guards)
    elif isinstance(node, expressions.Index):
        if isinstance(node.operand, expressions.Name) and node.operand.name in _COUNTED:
            yield from _literal(_COUNTED[node.operand.name], node.key, text)
        for inner in (node.operand, node.key):
            yield from _names(inner, text, guards)
    elif isinstance(node, expressions.Binary):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side, expressions.Name) and side.name in ("state", "target"):
                for literal in other.items if isinstance(other, expressions.ListOf) else (other,):
                    yield from _literal("state", literal, text)
            yield from _names(side, text, guards)
    else:
        for inner in _parts(node):
            yield from _names(inner, text, guards)


_COUNTED: dict[str, Kind] = {"calls": "tool", "visits": "state"}


def _literal(kind: Kind, node: Node, text: str) -> Iterator[tuple[Kind, str, int]]:
    if isinstance(node, expressions.Literal) and isinstance(node.value, str):
        offset = text.find(node.value, node.start, node.end)
        if offset >= 0:
            yield kind, node.value, offset


def _parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, expressions.ListOf):
        return node.items
    if isinstance(node, expressions.Has):
        return (node.field,)
    if isinstance(node, expressions.Call):
        return node.arguments
    if isinstance(node, expressions.Macro):
        return node.source, node.body
    if isinstance(node, expressions.Unary):
        return (node.operand,)
    if isinstance(node, expressions.Logic):
        return node.terms
    if isinstance(node, expressions.Conditional):
        return node.condition, node.yes, node.no
    return ()


def _mapping(node: MappingNode, key: str) -> MappingNode:
    value = node.get(key)
    return value if isinstance(value, MappingNode) else _NOTHING


def _mappings(node: MappingNode) -> Iterator[MappingNode]:
    return (value for value in node.values() if isinstance(value, MappingNode))


def _items(node: MappingNode, key: str) -> Iterator[MappingNode]:
    value = node.get(key)
    return (item for item in value if isinstance(item, MappingNode)) if isinstance(value, SequenceNode) else iter(())
