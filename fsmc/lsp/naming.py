"""Renaming: the same name everywhere, or nothing."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from fsmc.findings import Edit
from fsmc.lsp.analysis import Analysis
from fsmc.lsp.symbols import Occurrence
from fsmc.rules.uses import selectors

# What needs no quotes in any of the three formats, nor in an expression where guards and tools are named.
_NAMES = {
    "guard": r"[A-Za-z_]\w*",
    "tool": r"[A-Za-z_][\w-]*",
    "state": r"[A-Za-z_][\w:.-]*",
    "event": r"[A-Za-z_][\w:.-]*",
}
_DOTTED = re.compile(r"[.:]")


class CannotRename(Exception):
    """A name cannot be changed; the message says why."""


def rename(analysis: Analysis, found: Occurrence, name: str) -> list[Edit]:
    """The edits that give *found* another *name* wherever it is defined and mentioned. Raises ``CannotRename``."""
    kind, places = found.kind, analysis.of(found.kind, found.name)
    if re.fullmatch(_NAMES[kind], name, re.ASCII) is None:
        raise CannotRename(f"`{name}` cannot be written without quotes: choose letters, digits and `_`")
    if name in analysis.names(kind):
        raise CannotRename(f"there is a {kind} `{name}` already")
    if any(place.start < 0 for place in places):
        raise CannotRename(f"`{found.name}` is also named in a text that is folded or escaped: change it by hand")
    if analysis.document.format == "toml" and _DOTTED.search(name):
        raise CannotRename(f"`{name}` cannot be a bare key in TOML")
    if kind == "tool" and (pattern := _pattern_for(analysis, found.name, name)) is not None:
        raise CannotRename(f"`{pattern}` stands for only one of `{found.name}` and `{name}`: change it by hand")
    edits = [Edit(place.start, place.end, name) for place in places]
    _check(analysis, edits, len(places), found, name)
    return edits


def _pattern_for(analysis: Analysis, old: str, new: str) -> str | None:
    """A selector that stands for one of two names of a tool and not for the other."""
    if analysis.policy is None:
        return None
    globs = [selector.text for selector in selectors(analysis.policy) if any(c in selector.text for c in "*?[")]
    return next((glob for glob in globs if fnmatchcase(old, glob) != fnmatchcase(new, glob)), None)


def _check(analysis: Analysis, edits: list[Edit], count: int, found: Occurrence, name: str) -> None:
    """The text after the edits has the new name where the old one was, and nothing else has changed."""
    text = analysis.document.text
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    after = Analysis(text, analysis.document.path)
    kept = sum(other.kind != found.kind or other.name != found.name for other in analysis.occurrences)
    if len(after.of(found.kind, name)) != count or len(after.occurrences) != count + kept:
        raise CannotRename(f"`{name}` would mean something else in one of its places")
