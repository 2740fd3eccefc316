"""Reporters: what one run has found in, one text out. They know nothing of checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fsmc.findings import LEVELS, Finding
from fsmc.report.checked import Checked

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")
FOR_PEOPLE = ("text", "concise")
WITH_NAMES = ("json", "sarif", "gitlab")
"""The formats that tell the names which lead to a place (``linter.with_names``), or are made with them."""


def report(format: str, checked: Checked, color: bool = False, width: int | None = None) -> str:
    """What was found, in one of ``FORMATS``. Sentences of a text are broken at words where a *width* in columns is given."""
    if format == "text":
        from fsmc.report.text import text_report

        return text_report(checked, color, width)
    if format == "concise":
        from fsmc.report.concise import concise

        return concise(checked.findings)
    return _machine_report(format, checked.portable())


def _machine_report(format: str, checked: Checked) -> str:
    if format == "json":
        from fsmc.report.json import json_report as write
    elif format == "sarif":
        from fsmc.report.sarif import sarif as write
    elif format == "github":
        from fsmc.report.github import github as write
    elif format == "gitlab":
        from fsmc.report.gitlab import gitlab as write
    else:
        from fsmc.report.junit import junit as write
    return write(checked)


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
