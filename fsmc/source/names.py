"""The names that lead to a place in a document: what stays when lines move."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, TypeAlias

from fsmc.source.tree import Document, MappingNode, Place, SequenceNode

# A name and the link of what holds it; items of a list have no names and share the link of the list.
_Link: TypeAlias = "tuple[str, Any] | None"


class Names:
    """The names of everything in a document; made in one walk over it, when it is first asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._offsets: list[int] = []
        self._links: list[_Link] = []

    def at(self, place: Place) -> tuple[str, ...]:
        """The keys from the root to what is written at *place*; none where the text could not be read to its end."""
        if not self._offsets:
            self._walk()
        number = bisect_right(self._offsets, self._document.lines.offset(place)) - 1
        link = self._links[number] if number >= 0 else None
        names: list[str] = []
        while link is not None:
            name, link = link
            names.append(name)
        return tuple(reversed(names))

    def _walk(self) -> None:
        found: dict[int, _Link] = {}
        seen: set[int] = set()
        pending: list[tuple[Any, _Link]] = [(self._document.root, None)]
        while pending:  # what begins with its first key is named by that key: the inner one comes later
            node, link = pending.pop()
            if id(node) in seen:  # an alias
                continue
            if isinstance(node, MappingNode):
                seen.add(id(node))
                for key, value, key_offset, value_offset in node.entries():
                    inner = (key, link)
                    found[key_offset] = inner
                    found[value_offset] = inner
                    pending.append((value, inner))
            elif isinstance(node, SequenceNode):
                seen.add(id(node))
                for value, offset in node.entries():
                    found[offset] = link
                    pending.append((value, link))
        self._offsets = sorted(found)
        self._links = [found[offset] for offset in self._offsets]
