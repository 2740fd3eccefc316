"""Reporters: one list of findings in, one text out. They know nothing of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fsmc.findings import LEVELS, Finding

FORMATS = ("text", "concise", "json")

SourceLine = Callable[[str, int], str]
"""The text of a line of a file, by display name and number; "" where there is none."""


def report(
    format: str,
    findings: Sequence[Finding],
    files: Sequence[str],
    source_line: SourceLine,
    color: bool = False,
    width: int | None = None,
) -> str:
    """*findings* in one of ``FORMATS``. *files* are the display names of everything that was checked.

    Sentences are broken at words where a *width* in columns is given.
    """
    if format == "json":
        from fsmc.report.json import json_report

        return json_report(findings, files)
    if format == "concise":
        from fsmc.report.concise import concise

        return concise(findings)
    from fsmc.report.text import text_report

    return text_report(findings, files, source_line, color, width)


def counts(findings: Iterable[Finding]) -> Mapping[str, int]:
    """How many findings each level has."""
    by_level = dict.fromkeys(LEVELS, 0)
    for finding in findings:
        by_level[finding.level] += 1
    return by_level


def counted(findings: Iterable[Finding]) -> str:
    """How many findings each level has, in words: "2 errors, 1 warning"."""
    return ", ".join(count_text(level, count) for level, count in counts(findings).items() if count)


def count_text(level: str, count: int) -> str:
    """A number of findings of one level in words."""
    return f"{count} {level}{'s' if count != 1 and level != 'info' else ''}"


def exit_code(findings: Iterable[Finding], fail_on: str = "error", unreadable: bool = False) -> int:
    """The one place that decides how a check ends: 2 for unreadable input, 1 for findings at *fail_on* or above, else 0."""
    if unreadable:
        return 2
    failing = () if fail_on == "never" else LEVELS[: LEVELS.index(fail_on) + 1]
    return int(any(finding.level in failing for finding in findings))
