"""Which findings can be mended by a program, and how.

A fix is safe where it cannot change what a policy means to whoever wrote it: the policy did not compile before, or its table stays
the same. Everything else is left to a person who asks for unsafe fixes and looks at the difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

from fsmc.findings import Edit, Finding, Fix
from fsmc.fixes.surgery import line_of, removal
from fsmc.source import Document
from fsmc.source.names import Names
from fsmc.source.tree import MappingNode, Place

_MEANT = re.compile(r"did you mean `([^`]+)`\?")
_QUOTED = re.compile(r'write "((?:[^"\\]|\\.)*)"')
_PLAIN = {
    "yaml": re.compile(r"[A-Za-z_][\w-]*(?:[.:][\w-]+)*"),
    "toml": re.compile(r"[\w-]+"),
    "json": re.compile(r"(?!)"),
}
_COMMENT = re.compile(r"[ \t]*#[ \t]*fsmc:[ \t]*ignore(?:-file)?\[([^\]]*)\].*")


def with_fix(document: Document, finding: Finding) -> Finding:
    """*finding* with its fix, where it has one."""
    make = _FIXES.get(finding.code)
    fix = None if make is None or document.root is None else make(document, finding)
    return finding if fix is None else finding._replace(fix=fix)


def with_quick_fixes(document: Document, findings: Iterable[Finding]) -> list[Finding]:
    """*findings* with the fixes that are known without reading the text again: for reports, which may list thousands."""
    return [with_fix(document, f) if _FIXES.get(f.code) not in (None, _remove) else f for f in findings]


def _nearest(safe: bool) -> Callable[[Document, Finding], Fix | None]:
    def make(document: Document, finding: Finding) -> Fix | None:
        meant = _MEANT.fullmatch(finding.hint or "")
        if meant is None:
            return None
        start = document.lines.offset(Place(finding.line, finding.column))
        raw = document.text[start : start + finding.length]
        new = _written(document, raw, meant[1])
        return None if new is None else Fix(f"write `{meant[1]}`", (Edit(start, start + len(raw), new),), safe)

    return make


def _written(document: Document, raw: str, name: str) -> str | None:
    """*name* as *raw* was written: in the same quotes, or without any where it needs none."""
    quote = raw[:1] if raw[:1] in "\"'" else ""
    if quote:
        if len(raw) < 2 or raw[-1] != quote or quote in name or "\\" in name:
            return None
        return f"{quote}{name}{quote}"
    return name if _PLAIN[document.format].fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _quote(document: Document, finding: Finding) -> Fix | None:
    hint = finding.hint or ""
    meant = _QUOTED.fullmatch(hint)
    start = document.lines.offset(Place(finding.line, finding.column))
    if meant is None or document.text[start : start + finding.length] != meant[1]:
        return None
    return Fix("put it in quotes", (Edit(start, start + finding.length, f'"{meant[1]}"'),), True)


def _unmark(document: Document, finding: Finding) -> Fix | None:
    return Fix("remove the byte order mark", (), True)


def _uncomment(document: Document, finding: Finding) -> Fix | None:
    start, end = line_of(document, Place(finding.line, finding.column))
    found = _COMMENT.search(document.text, start, end)
    if found is None or "," in found[1]:
        return None
    if not document.text[start : found.start()].strip():  # a line of its own
        following = document.lines.starts
        end = following[finding.line] if finding.line < len(following) else end
        return Fix("remove the comment", (Edit(start, end, ""),), True)
    return Fix("remove the comment", (Edit(found.start(), end, ""),), True)


def _remove(document: Document, finding: Finding) -> Fix | None:
    path = Names(document).at(Place(finding.line, finding.column))
    edit = removal(document, path) if len(path) > 1 else None
    return None if edit is None else Fix(f"remove `{path[-1]}`", (edit,), False)


def _cyclic(document: Document, finding: Finding) -> Fix | None:
    root = document.root
    if not isinstance(root, MappingNode):
        return None
    if "topology" in root:
        start = document.lines.offset(root.value_place("topology"))
        quote = document.text[start : start + 1] in "\"'"
        inner = start + quote
        if not document.text.startswith("dag", inner):
            return None
        return Fix("say `topology: cyclic`", (Edit(inner, inner + 3, "cyclic"),), False)
    place = root.key_place("initial")
    start, _ = line_of(document, place)
    indent = document.text[start : start + place.column - 1]
    if indent.strip():
        return None
    line = {"yaml": "topology: cyclic", "toml": 'topology = "cyclic"', "json": '"topology": "cyclic",'}[document.format]
    ending = "\r\n" if "\r\n" in document.text else "\n"
    return Fix("say `topology: cyclic`", (Edit(start, start, f"{indent}{line}{ending}"),), False)


_FIXES: dict[str, Callable[[Document, Finding], Fix | None]] = {
    **dict.fromkeys(("FSM010", "FSM013", "FSM101", "FSM102", "FSM104", "FSM105"), _nearest(True)),
    "FSM103": _nearest(False),
    "FSM007": _quote,
    "FSM008": _unmark,
    "FSM016": _uncomment,
    "FSM204": _cyclic,
    **dict.fromkeys(("FSM401", "FSM402", "FSM403", "FSM410"), _remove),
}
FIXABLE = {
    **dict.fromkeys(
        ("FSM010", "FSM013", "FSM101", "FSM102", "FSM104", "FSM105"), "safe: the nearest name, where there is one"
    ),
    "FSM103": "unsafe: the nearest name, where there is one",
    "FSM007": "safe: quotes around what is no number",
    "FSM008": "safe: the mark is removed",
    "FSM016": "safe: the comment is removed, where it names one rule",
    "FSM204": "unsafe: `topology: cyclic`",
    **dict.fromkeys(("FSM401", "FSM402", "FSM403", "FSM410"), "unsafe: the entry is removed"),
}
"""What is done about each code that has a fix."""
