"""Applying fixes until nothing changes, never for the worse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fsmc.compiler import compile_policy
from fsmc.findings import Edit, Finding, Fix
from fsmc.fixes.catalogue import FIXABLE, with_fix
from fsmc.fixes.surgery import edited
from fsmc.linter import lint_document, load_policy
from fsmc.source import Document, Place, parse

# Mending one finding can uncover another; a file is never mended for ever.
_ROUNDS = 20
# How many characters are read again in one round.
_EFFORT = 5_000_000

Reported = Callable[[Sequence[Finding]], Sequence[Finding]]
"""Which of all findings are reported: only those are mended."""


class Mended(NamedTuple):
    """A document after its fixes: how many findings they mended, and how many more unsafe fixes would."""

    document: Document
    marked: bool
    fixed: int
    left: int


def mend(document: Document, reported: Reported, unsafe: bool) -> Mended:
    """*document* with every fix that holds: the text can still be read, the finding is gone, a policy that compiled has no new
    error, and a safe fix keeps its table.

    ``marked`` says whether the file still begins with a byte order mark.
    """
    marked = any(note.code == "byte-order-mark" for note in document.notes)
    fixed = 0
    for _ in range(_ROUNDS):
        chosen = [finding for finding in _fixable(document, reported) if unsafe or _of(finding).safe]
        if marked and any(not _of(finding).edits for finding in chosen):
            marked, fixed = False, fixed + 1
        chosen = _apart([finding for finding in chosen if _of(finding).edits])
        after = _applied(document, chosen) if chosen else None
        if after is None:  # together they do not hold: one by one
            kept = [finding for finding in chosen if _applied(document, [finding]) is not None]
            chosen, after = kept[:1], _applied(document, kept[:1])
        if not chosen or after is None:
            break
        document, fixed = after, fixed + len(chosen)
    left = sum(not _of(finding).safe for finding in _fixable(document, reported)) if not unsafe else 0
    return Mended(document, marked, fixed, left)


def _of(finding: Finding) -> Fix:
    assert finding.fix is not None
    return finding.fix


def _fixable(document: Document, reported: Reported) -> list[Finding]:
    found = [finding for finding in reported(lint_document(document)) if finding.code in FIXABLE]
    # Some fixes are tried by reading the text again: what a large file has more of waits for the next round.
    most = max(10, _EFFORT // max(len(document.text), 1))
    mended = (with_fix(document, finding) for finding in found[:most])
    return [finding for finding in mended if finding.fix is not None]


def _apart(findings: list[Finding]) -> list[Finding]:
    """Those whose edits do not touch those of one before."""
    taken: list[Finding] = []
    end = -1
    for finding in sorted(findings, key=lambda finding: (_of(finding).edits[0].start, _of(finding).edits[-1].end)):
        first, last = _of(finding).edits[0], _of(finding).edits[-1]
        if first.start > end:
            taken.append(finding)
            end = last.end
    return taken


def _applied(document: Document, findings: Sequence[Finding]) -> Document | None:
    """The document with the fixes of *findings*; None when that makes anything worse."""
    edits = [edit for finding in findings for edit in _of(finding).edits]
    text = edited(document.text, edits)
    after = parse(text.encode("utf-8", "surrogatepass"), document.path)
    if after.problems and not document.problems:
        return None
    before, now = lint_document(document), lint_document(after)
    still = {(finding.code, finding.line, finding.message) for finding in now}
    # Not all findings of a kind are listed where there are many, so that counting them would say nothing.
    if any((finding.code, _line_after(document, edits, finding), finding.message) in still for finding in findings):
        return None
    digest = _digest(document)
    safe = all(_of(finding).safe for finding in findings)
    if digest is None and safe:  # rules keep quiet about what follows from an error, so mending one may uncover another
        return after
    if _errors(now) - _errors(before) or (safe and digest != _digest(after)):
        return None
    return after


def _line_after(document: Document, edits: Sequence[Edit], finding: Finding) -> int:
    """The line on which *finding* would stand after *edits*, were it still there."""
    start = document.lines.offset(Place(finding.line, finding.column))
    before = [edit for edit in edits if edit.end <= start]
    return finding.line + sum(
        edit.text.count("\n") - document.text.count("\n", edit.start, edit.end) for edit in before
    )


def _errors(findings: Sequence[Finding]) -> set[tuple[str, str]]:
    return {(finding.code, finding.message) for finding in findings if finding.level == "error"}


def _digest(document: Document) -> str | None:
    """The digest of the table; None where the policy does not compile."""
    policy, findings = load_policy(document)
    if policy is None or any(finding.level == "error" for finding in findings):
        return None
    digest: str = compile_policy(policy)["digest"]
    return digest
