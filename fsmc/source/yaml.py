"""YAML: a tree with places from libyaml's events, one pass, without recursion.

Loading through PyYAML's constructor would be slower, would read YAML 1.1 (`on` as true, `12:30`
as 750), would lose the places, and would let the last of two equal keys win in silence.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from fsmc.runtime.annotations import NamedTuple
from fsmc.source.errors import InputError
from fsmc.source.reading import MAX_DEPTH, MAX_NODES, Problems, quoted
from fsmc.source.tree import Lines, MappingNode, SequenceNode, Value
from fsmc.source.yaml_scalar import CORE, doubtful, plain, tagged, unknown_tag

# Every value has one event, a container two; a few more belong to the stream and the document.
_MAX_EVENTS = 2 * MAX_NODES
# Longer texts seldom repeat; remembering them would only cost memory.
_MEMO_LENGTH = 64
# An anchor and a tag, in either order, with what may stand between them and the content.
PROPERTIES = re.compile(r"(?:(?:&[0-9A-Za-z_-]*|!\S*)(?:\s+(?:#[^\r\n]*)?)*)+")
# Ends of lines in YAML 1.1, thus for libyaml, and plain characters in YAML 1.2 and in editors: what
# looks like one comment or text could hold another key.
_SEPARATORS = re.compile("[\x85\u2028\u2029]")
# The key of a merge. No text of a policy can be this object, so a quoted "<<" stays a plain key.
_MERGE: Any = object()


class _Anchored(NamedTuple):
    value: Value
    # With every alias below counted as a copy: how many values, and how many levels.
    size: int
    height: int


def build(lines: Lines, problems: Problems) -> Value:
    """The value of the one document in the text; notes what is wrong with it in `problems`."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        raise InputError(
            "YAML needs the C library libyaml, which this PyYAML was built without; "
            "reinstall it with: pip install --force-reinstall --only-binary :all: pyyaml"
        ) from None
    separator = None if lines.text.isascii() else _SEPARATORS.search(lines.text)
    if separator is not None:
        message = f"an invisible line separator, U+{ord(separator.group()):04X}, stands here"
        hint = "delete it, or write it as an escape in double quotes"
        raise problems.fatal("encoding-error", separator.start(), message, hint)
    try:
        events: Iterator[Any] = iter(CParser(lines.text).get_event, None)
        builder = _Builder(lines, problems)
        root = builder.run(islice(events, _MAX_EVENTS))
        if doubtful(builder.memo) or builder.merge_like:
            from fsmc.source.yaml_1_1 import note_all

            note_all(builder.memo, problems)
        return root
    except yaml.YAMLError as error:
        from fsmc.source.yaml_error import explain  # only a mistake pays for the import

        raise explain(error, problems) from None


class _Frame:
    """A container being filled; a mapping's keys and values alternate in `values`."""

    __slots__ = (
        "anchor",
        "height",
        "is_mapping",
        "level",
        "offsets",
        "parent",
        "size_before",
        "values",
    )

    def __init__(self, parent: _Frame | None, is_mapping: bool, anchor: str | None) -> None:
        self.parent = parent
        self.is_mapping = is_mapping
        self.anchor = anchor
        self.level: int = 0 if parent is None else parent.level + 1
        self.height = 0
        self.size_before = 0
        self.values: list[Any] = []
        self.offsets = array("I")


class _Builder:
    """Turns events into nodes, and keeps what spans them: anchors and the expanded size."""

    def __init__(self, lines: Lines, problems: Problems) -> None:
        self.lines = lines
        self.problems = problems
        self.memo: dict[str, Value] = {}
        # None for a container that is still open: an alias to it would contain itself.
        self.anchors: dict[str, _Anchored | None] = {}
        self.size = 0
        # Whether an alias was refused: a null may be what is left of it, and needs no second complaint.
        self.refused = False
        # Whether a value is a plain `<<`.
        self.merge_like = False

    def run(self, events: Iterator[Any]) -> Value:
        """The root of the document that `events` describe."""
        memo = self.memo
        frame = _Frame(None, False, None)
        values, offsets = frame.values, frame.offsets
        offset = 0
        for event in events:
            kind = type(event)
            if kind is ScalarEvent:
                offset = event.start_mark.index
                value = event.value
                if event.tag is not None or event.anchor is not None:
                    value, offset = self.scalar_with_properties(event, frame)
                elif event.implicit[0]:
                    try:
                        value = memo[value]
                    except KeyError:
                        value = self.plain(value, offset, frame)
                values.append(value)
                offsets.append(offset)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                frame = self.open(event, frame)
                values, offsets = frame.values, frame.offsets
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                frame = self.close(frame)
                values, offsets = frame.values, frame.offsets
            elif kind is AliasEvent:
                offset = event.start_mark.index
                values.append(self.alias(event.anchor, offset, frame))
                offsets.append(offset)
            elif kind is DocumentStartEvent and values:
                self.refuse_second_document(event.start_mark.index)
            elif kind is StreamEndEvent:
                return self.finish(values)
        raise self.problems.too_many(offset)

    def plain(self, text: str, offset: int, frame: _Frame) -> Any:
        """The value of a plain scalar that was not met before."""
        if text == "<<":
            self.merge_like |= not _expects_key(frame)
            return _MERGE if _expects_key(frame) else text
        noted = self.problems.count
        value = plain(text, offset, self.problems)
        # A text with a problem has it again at its next place.
        if len(text) <= _MEMO_LENGTH and noted == self.problems.count:
            self.memo[text] = value
        return value

    def scalar_with_properties(self, event: Any, frame: _Frame) -> tuple[Any, int]:
        """The value and the place of a scalar with an anchor or a tag."""
        start: int = event.start_mark.index
        value: Any = event.value
        if event.tag is not None:
            value = tagged(event.tag, value, start, self.problems)
        elif event.implicit[0]:
            value = self.plain(value, start, frame)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored("<<" if value is _MERGE else value, 1, 0)
        content = self.past_properties(start)
        # An empty scalar has no content; what follows then belongs to something else.
        return value, content if content < event.end_mark.index else start

    def past_properties(self, offset: int) -> int:
        """The offset of the content behind an anchor and a tag."""
        match = PROPERTIES.match(self.lines.text, offset)
        return match.end() if match else offset

    def open(self, event: Any, parent: _Frame) -> _Frame:
        """The frame of a mapping or sequence that starts."""
        is_mapping = type(event) is MappingStartEvent
        frame = _Frame(parent, is_mapping, event.anchor)
        offset: int = event.start_mark.index
        if frame.level > MAX_DEPTH:
            raise self.problems.too_deep(offset)
        if event.tag is not None and event.tag not in ("!", CORE + ("seq", "map")[is_mapping]):
            unknown_tag(event.tag, offset, self.problems)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
            frame.size_before = self.size
        if event.tag is not None or event.anchor is not None:
            offset = self.past_properties(offset)
        frame.offsets.append(offset)
        return frame

    def close(self, frame: _Frame) -> _Frame:
        """Hand a finished mapping or sequence to the frame around it, which is returned."""
        values, offsets, parent = frame.values, frame.offsets, frame.parent
        assert parent is not None
        offset = offsets[0]
        self.size += len(values)
        height = frame.height + 1
        node = self.mapping(frame) if frame.is_mapping else SequenceNode(values, offsets, self.lines)
        if frame.anchor is not None:
            size = self.size - frame.size_before + 1
            self.anchors[frame.anchor] = _Anchored(node, size, height)
        parent.height = max(parent.height, height)
        parent.values.append(node)
        parent.offsets.append(offset)
        return parent

    def mapping(self, frame: _Frame) -> MappingNode:
        """The node of a finished mapping."""
        pairs = iter(frame.values)
        try:
            node = MappingNode(zip(pairs, pairs, strict=True), frame.offsets, self.lines)
        except TypeError:
            # A mapping or sequence is one of the keys.
            return self.untidy_mapping(frame)
        if 2 * len(node) != len(frame.values):
            return self.untidy_mapping(frame)
        for key in node:
            if type(key) is not str:
                return self.untidy_mapping(frame)
        return node

    def untidy_mapping(self, frame: _Frame) -> MappingNode:
        """The node of a mapping with merges, equal keys, or keys that are not strings."""
        node = MappingNode((), frame.offsets[:1], self.lines)
        first: dict[Any, int] = {}
        merged: list[MappingNode] = []
        for number in range(0, len(frame.values), 2):
            key, value = frame.values[number : number + 2]
            key_offset, value_offset = frame.offsets[number + 1 : number + 3]
            if key is not _MERGE and type(key) is not str:
                key = self.refuse_key(key, key_offset)
                if key is None:
                    continue
            if key in first:
                shown = "<<" if key is _MERGE else key
                self.problems.duplicate(shown, first[key], key_offset)
                continue
            first[key] = key_offset
            if key is _MERGE:
                merged = self.merge_sources(value, value_offset)
            else:
                node.put(key, value, key_offset, value_offset)
        # What is written in the mapping itself wins, then the source that was named first.
        for source in merged:
            for key, value, key_offset, value_offset in source.entries():
                if key not in node:
                    node.put(key, value, key_offset, value_offset)
        return node

    def merge_sources(self, value: Any, offset: int) -> list[MappingNode]:
        """The mappings that the value of a `<<` key names."""
        sources = value if isinstance(value, SequenceNode) else [value]
        mappings = [source for source in sources if isinstance(source, MappingNode)]
        others = [source for source in sources if not isinstance(source, MappingNode)]
        if any(source is not None or not self.refused for source in others):
            message = "the value of << is neither a mapping nor a list of mappings"
            hint = 'name anchored mappings, as in <<: *name; a quoted "<<" is a plain key'
            self.problems.add("unsupported-value", offset, message, hint)
        return mappings

    def refuse_key(self, key: Any, offset: int) -> str | None:
        """Note a key that is not a string; returns the text that was probably meant."""
        if isinstance(key, MappingNode | SequenceNode):
            message = "a key is a string, and this one is a mapping or a list"
            hint = "write the key as text, in quotes if it holds brackets"
            self.problems.add("unsupported-value", offset, message, hint)
            return None
        if key is None and self.refused:
            return None
        from fsmc.source.span import token  # only a mistake pays for the import

        text = token(self.lines, offset, "yaml") if key is not None else "null"
        kind = "null" if key is None else "a boolean" if isinstance(key, bool) else "a number"
        message = f"a key is a string, and {text} without quotes is {kind}"
        self.problems.add("unsupported-value", offset, message, f"write {quoted(text)}")
        return text

    def alias(self, name: str, offset: int, frame: _Frame) -> Value:
        """The value that an alias stands for; None, with a problem, where there is none."""
        if name not in self.anchors:
            self.refused = True
            message = f"the alias *{name} has no anchor &{name} before it"
            hint = f'add the anchor, or put "*{name}" in quotes if it is meant as text'
            self.problems.add("syntax-error", offset, message, hint)
            return None
        target = self.anchors[name]
        if target is None:
            self.refused = True
            message = f"the alias *{name} stands inside the value that &{name} names"
            hint = "a value cannot contain itself; anchor a smaller part"
            self.problems.add("unsupported-value", offset, message, hint)
            return None
        frame.height = max(frame.height, target.height)
        if frame.level + target.height > MAX_DEPTH:
            raise self.problems.too_deep(offset)
        # The alias itself is counted with the values of its container.
        self.size += target.size - 1
        if self.size > MAX_NODES:
            raise self.problems.too_many(offset)
        return target.value

    def refuse_second_document(self, offset: int) -> None:
        """Note that the file goes on with another document; the rest is not read."""
        raise self.problems.fatal(
            "syntax-error",
            offset,
            "a second document starts here, and a file holds one policy",
            "move it into a file of its own, or remove the ---",
        )

    def finish(self, values: list[Any]) -> Value:
        """The root, once the whole text is read."""
        if not values or values[0] is None:
            hint = "a policy is a mapping; its first line is: fsmc: 1"
            raise self.problems.fatal("syntax-error", 0, "the file holds no data", hint)
        if self.size > MAX_NODES:
            raise self.problems.too_many(0)
        root: Value = values[0]
        return root


def _expects_key(frame: _Frame) -> bool:
    return frame.is_mapping and len(frame.values) % 2 == 0
