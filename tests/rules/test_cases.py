"""The findings of many small policies, marked where they stand.

A file of ``cases`` holds policies under ``=== title`` lines. Below a line, a comment marks with ``^`` the characters
that a finding covers and names its code and level; a mark that begins in the first column is written ``#<<``. ``#!``
lines after a mark are the trace of the finding, ``#= `` is its message and ``#? `` its hint, where a case shows them.
What is not marked must not be found.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from fsmc.findings import Finding
from fsmc.linter import lint_text

_MARK = re.compile(r"#(?P<first><+)?(?P<space> *)(?P<marks>\^+)? (?P<code>FSM\d+) (?P<level>error|warning|info)")


class Expected(NamedTuple):
    line: int
    column: int
    length: int
    code: str
    level: str
    trace: tuple[str, ...]


def cases() -> list[tuple[str, str]]:
    found = []
    for file in sorted((Path(__file__).parent / "cases").glob("*.cases")):
        for part in file.read_text(encoding="utf-8").split("=== ")[1:]:
            title, _, text = part.partition("\n")
            found.append((f"{file.stem}: {title}", text))
    return found


def marked(text: str) -> list[Expected]:
    found: list[Expected] = []
    line = 0
    for number, content in enumerate(text.splitlines(), 1):
        match = _MARK.fullmatch(content)
        if match is not None:
            marks = match["first"] or match["marks"]
            column = 1 if match["first"] else len(match["space"]) + 2
            length = len(marks) + (1 if match["first"] else 0)
            found.append(Expected(line, column, length, match["code"], match["level"], ()))
        elif content.startswith("#! "):
            found[-1] = found[-1]._replace(trace=(*found[-1].trace, content[3:].strip()))
        elif not content.startswith("#"):
            line = number
    return sorted(found)


def quoted_lines(text: str, prefix: str) -> list[str]:
    return [line.removeprefix(prefix) for line in text.splitlines() if line.startswith(prefix)]


def told(finding: Finding) -> Expected:
    return Expected(finding.line, finding.column, finding.length, finding.code, finding.level, finding.trace)


@pytest.mark.parametrize(("title", "text"), cases(), ids=[title for title, _ in cases()])
def test_findings_are_exactly_those_marked(title: str, text: str) -> None:
    findings = lint_text(text)
    assert sorted(map(told, findings)) == marked(text)
    assert set(quoted_lines(text, "#= ")) <= {finding.message for finding in findings}
    assert set(quoted_lines(text, "#? ")) <= {finding.hint for finding in findings}
