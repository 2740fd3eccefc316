"""What a check has to say: one value that every reporter reads."""

from __future__ import annotations

from collections.abc import Iterable

from fsmc.runtime.annotations import NamedTuple

LEVELS = ("error", "warning", "info")
FAIL_ON = (*LEVELS, "never")


class Related(NamedTuple):
    """A second place that explains a finding: the first of two duplicates, the candidate that shadows another."""

    message: str
    line: int
    column: int


class Edit(NamedTuple):
    """Replace the characters from *start* to *end* (offsets in ``Document.text``) by *text*."""

    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """A way to mend a finding: what it does in a few words, and its edits, which do not overlap.

    A *safe* fix cannot change what the policy means to whoever wrote it; any other needs a look.
    """

    message: str
    edits: tuple[Edit, ...]
    safe: bool


class Finding(NamedTuple):
    """One thing wrong with one file.

    ``code`` and ``rule`` name the rule (``FSM204``, ``cycle``); ``level`` is one of ``LEVELS``. ``line`` and ``column`` count
    from 1, in characters; ``length`` is what a caret covers. ``path`` is the display name of the file. ``trace`` is the
    shortest run that shows the finding, as ``STATE --EVENT--> STATE`` steps. ``where`` are the names that lead to the place, as
    in ``("states", "BOOKING", "transitions")``: they stay when lines move (``linter.with_names`` adds
    them). ``fix`` mends it.
    """

    code: str
    rule: str
    level: str
    message: str
    path: str
    line: int
    column: int
    length: int = 1
    hint: str | None = None
    related: tuple[Related, ...] = ()
    trace: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    fix: Fix | None = None


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By file, place and code: the one order in which every report lists findings."""
    return sorted(findings, key=lambda f: (f.path, f.line, f.column, f.code, f.message))
