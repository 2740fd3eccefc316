"""The names that may stand at the cursor, where the schema alone cannot know them."""

from __future__ import annotations

import re
from typing import NamedTuple

from fsmc.lsp.analysis import Analysis
from fsmc.lsp.symbols import Kind
from fsmc.source.tree import MappingNode

_KEYS: dict[str, Kind] = {
    **dict.fromkeys(("initial", "target", "fallback", "on_exhausted"), "state"),
    **dict.fromkeys(("event", "on_failure"), "event"),
    **dict.fromkeys(("guard", "when", "require", "failed_when", "transition_guard", "expr"), "guard"),
    "tools": "tool",
}
# `key: value`, `key = value`, `"key": value` up to the cursor; in a list the last key before it counts.
_LAST_KEY = re.compile(r"""["']?(\w+)["']?\s*[:=]\s*(?:\[[^\[\]{}]*|["']?[^\[\]{},"']*|["'][^"']*)$""")
_ITEM = re.compile(r"""\s*(?:-\s+)?["']?[\w.:*-]*$""")
_KEY_LINE = re.compile(r"""(\s*)(?:-\s+)?["']?(\w+)["']?\s*[:=]\s*\[?\s*$""")


class Suggestion(NamedTuple):
    """A name and what it is."""

    name: str
    kind: str


def suggestions(analysis: Analysis, offset: int, known: Analysis | None) -> list[Suggestion]:
    """What may stand at *offset*; *known* is an earlier analysis, for the names of a text that cannot be read just now."""
    source = analysis if analysis.occurrences or known is None else known
    kind = _kind_at(analysis, offset)
    if kind is None:
        return []
    found = [Suggestion(name, kind) for name in source.names(kind)]
    if kind == "tool":
        found += [Suggestion(f"effect:{effect}", "effect") for effect in ("read", "write")]
    if kind == "guard":
        found += [Suggestion(f"context.{name}", "fact") for name in _facts(source)]
        found += [Suggestion(f"calls.{name}", "count") for name in source.names("tool")]
    return found


def _kind_at(analysis: Analysis, offset: int) -> Kind | None:
    lines = analysis.document.lines
    number = lines.place(offset).line
    before = lines.text[lines.starts[number - 1] : offset]
    match = _LAST_KEY.search(before)
    if match is not None:
        return _KEYS.get(match[1])
    if _ITEM.fullmatch(before) is None:
        return None
    indent = len(before) - len(before.lstrip())
    while number > 1:  # an item of a list: which key does the list belong to?
        number -= 1
        line = lines.text[lines.starts[number - 1] : lines.end(number)]
        opening = _KEY_LINE.fullmatch(line)
        if opening is not None and len(opening[1]) <= indent:
            return _KEYS.get(opening[2])
        if line.strip() and _ITEM.fullmatch(line.rstrip().rstrip(",")) is None:
            return None
    return None


def _facts(analysis: Analysis) -> list[str]:
    root = analysis.document.root
    context = root.get("context") if isinstance(root, MappingNode) else None
    properties = context.get("properties") if isinstance(context, MappingNode) else None
    return list(properties) if isinstance(properties, MappingNode) else []
