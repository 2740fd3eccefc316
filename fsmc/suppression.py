"""Comments that say which findings are not to be reported, and why.

    # fsmc: ignore[FSM204] reason          at the end of a line: what is found on this line
                                           on a line of its own: what is found in what begins on the next line
    # fsmc: ignore-file[FSM204] reason     above the first key: what is found in the file

They stand in YAML and TOML, name rules by code or name, and hide nothing that keeps a policy from being read: without the
rest of the checks a file would only look clean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fsmc.findings import Finding
from fsmc.linter import STRUCTURE_RULES
from fsmc.runtime.annotations import NamedTuple
from fsmc.source.tree import Document, Place

MAX_COMMENTS = 1_000  # each is held against every finding; who needs more means the whole file
_COMMENT = re.compile(r"#[ \t]*fsmc: (?P<verb>ignore[\w-]*)(?P<rest>[^\r\n]*)")
_LIST = re.compile(r"\[(?P<rules>[^\]#]*)\]")
_RULE = re.compile(r"[^\s,]+(?:[ \t]+[^\s,]+)*")
_SHAPE = "write `# fsmc: ignore[CODE] reason`"
# What this module reports itself; a comment that could hide it would only need another comment.
_OURS = ("unused-ignore", "invalid-ignore")


class _Named(NamedTuple):
    """A rule that a comment names: how and where, and the offsets between which its findings are hidden."""

    name: str
    place: Place
    code: str
    start: int
    end: int


def suppressed(document: Document, findings: Sequence[Finding], complete: bool) -> list[Finding]:
    """*findings* without those that comments of *document* hide, and with what is wrong with the comments.

    A comment that hides nothing is reported where the findings are *complete*: where all rules have run, and no error is left
    that another rule may have kept quiet about.
    """
    named: list[_Named] = []
    wrong: list[Finding] = []
    for found in _Comments(document).read():
        if isinstance(found, Finding):
            wrong.append(found)
        else:
            named.append(found)
    by_code: dict[str, list[_Named]] = {}
    for each in named:
        by_code.setdefault(each.code, []).append(each)
    used: set[_Named] = set()
    kept = []
    for finding in findings:
        hiding = _hiding(document, finding, by_code.get(finding.code, ()))
        used.update(hiding)
        if not hiding:
            kept.append(finding)
    complete = complete and not any(finding.level == "error" for finding in kept)
    unused = [each for each in named if each not in used] if complete else []
    return kept + wrong + [_unused(document, each) for each in unused]


def _hiding(document: Document, finding: Finding, named: Sequence[_Named]) -> list[_Named]:
    if not named:
        return []
    offset = document.lines.offset(Place(finding.line, finding.column))
    return [each for each in named if each.start <= offset < each.end]


def _unused(document: Document, named: _Named) -> Finding:
    message = f"`{named.name}` hides nothing here"
    hint = "remove it, or the whole comment"
    return _finding(document, "unused-ignore", named.place, len(named.name), message, hint)


def _finding(document: Document, name: str, place: Place, length: int, message: str, hint: str) -> Finding:
    code = STRUCTURE_RULES[name]
    return Finding(code, name, "warning", message, document.path, place.line, place.column, length, hint)


class _Comments:
    """Reads the comments of one document."""

    def __init__(self, document: Document) -> None:
        from fsmc.source.blocks import Blocks
        from fsmc.source.comments import in_comments

        self._document = document
        self._lines = document.lines
        self._blocks = Blocks(document)
        self._matches = in_comments(document, _COMMENT)
        self._top = self._end_of_top()
        self._below = 0  # the line below the comments that were met last

    def read(self) -> Iterator[_Named | Finding]:
        """The rules that are named, and a finding for each comment or name that cannot be followed."""
        for match in self._matches[:MAX_COMMENTS]:
            yield from self._comment(match)
        for match in self._matches[MAX_COMMENTS : MAX_COMMENTS + 1]:
            message = f"only the first {MAX_COMMENTS:,} of these comments count"
            yield self._wrong(match.start(), len(match.group()), message, "write `# fsmc: ignore-file[CODE] reason`")

    def _comment(self, match: re.Match[str]) -> Iterator[_Named | Finding]:
        verb, at = match["verb"], match.start("verb")
        if verb not in ("ignore", "ignore-file"):
            from fsmc.spelling import did_you_mean

            hint = did_you_mean(verb, ("ignore", "ignore-file")) or _SHAPE
            yield self._wrong(at, len(verb), f"`{verb}` means nothing in a comment of fsmc", hint)
            return
        listed = _LIST.match(match["rest"])
        rules = list(_RULE.finditer(match["rest"], listed.start("rules"), listed.end("rules"))) if listed else []
        if not rules:
            message = "this comment names no rule" if listed else "after `ignore` stand the rules, in brackets"
            yield self._wrong(at, len(verb), message, _SHAPE.replace("ignore", verb))
            return
        reach = self._reach(match, verb)
        if isinstance(reach, Finding):
            yield reach
            return
        for rule in rules:
            yield self._rule(rule.group(), match.start("rest") + rule.start(), reach)

    def _reach(self, match: re.Match[str], verb: str) -> tuple[int, int] | Finding:
        """The offsets between which a comment hides."""
        if verb == "ignore-file":
            if match.start() < self._top:
                return 0, len(self._document.text) + 1
            message = "`ignore-file` counts only above the first key of the file"
            return self._wrong(match.start("verb"), len(verb), message, "move it to the top, or write `ignore[CODE]`")
        number = self._lines.place(match.start()).line
        start = self._lines.starts[number - 1]
        if not _is_comment(self._document.line(number)):
            return start, self._lines.end(number) + 1
        if number >= self._below:
            self._below = number + 1
            while _is_comment(self._document.line(self._below)):
                self._below += 1
        block = self._blocks.at(self._below)
        return (start, start) if block is None else (self._lines.starts[self._below - 1], block[1])

    def _rule(self, name: str, offset: int, reach: tuple[int, int]) -> _Named | Finding:
        from fsmc.rules import rule

        try:
            meant = rule(name)
        except KeyError:
            return self._unknown(name, offset)
        if meant.name in STRUCTURE_RULES and (meant.level == "error" or meant.name in _OURS):
            message = f"{meant.code} {meant.name} cannot be ignored by a comment"
            hint = (
                "until it is mended, nothing else is checked"
                if meant.level == "error"
                else "mend or remove the comment"
            )
            return self._wrong(offset, len(name), message, hint)
        return _Named(name, self._lines.place(offset), meant.code, *reach)

    def _unknown(self, name: str, offset: int) -> Finding:
        from fsmc.settings.selectors import selector, unknown

        if selector(name) is None:
            return self._wrong(offset, len(name), *unknown(name))
        message = f"`{name}` means several rules; a comment names each"
        return self._wrong(offset, len(name), message, "`fsmc rules` lists them all")

    def _wrong(self, offset: int, length: int, message: str, hint: str) -> Finding:
        return _finding(self._document, "invalid-ignore", self._lines.place(offset), length, message, hint)

    def _end_of_top(self) -> int:
        """The offset of the first line that is neither empty, nor a comment, nor the start of a document."""
        for number in range(1, len(self._lines.starts) + 1):
            line = self._document.line(number).strip()
            if line and line[0] not in "#%" and line != "---":
                return self._lines.starts[number - 1]
        return len(self._document.text)


def _is_comment(line: str) -> bool:
    return line.lstrip()[:1] == "#"
