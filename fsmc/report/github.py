"""Findings as annotations of a GitHub workflow: lines on standard output that the runner reads as commands."""

from __future__ import annotations

from fsmc.findings import LEVELS, Finding
from fsmc.report import counted
from fsmc.report.checked import Checked
from fsmc.report.style import printable
from fsmc.report.text import conclusion

MAX_ANNOTATIONS = 10  # of one kind: GitHub shows no more of a step
_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def github(checked: Checked) -> str:
    """The gravest findings as annotations, as many as GitHub shows, and a line that counts the rest."""
    lines = [f"::error::{_data(printable(reason))}" for reason in checked.unreadable[:MAX_ANNOTATIONS]]
    room = dict.fromkeys(LEVELS, MAX_ANNOTATIONS) | {"error": MAX_ANNOTATIONS - len(lines)}
    left: list[Finding] = []
    for finding in sorted(checked.findings, key=lambda finding: LEVELS.index(finding.level)):
        if room[finding.level] > 0:
            room[finding.level] -= 1
            lines.append(_annotation(checked, finding))
        else:
            left.append(finding)
    if left:
        lines.append(f"not shown as annotations, of which GitHub takes {MAX_ANNOTATIONS} of a kind: {counted(left)}")
    return "\n".join([*lines, conclusion(checked.findings, checked.files)])


def _annotation(checked: Checked, finding: Finding) -> str:
    properties = {
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(finding.line),
        "col": str(finding.column),
        "endColumn": str(checked.end_column(finding)),
        "title": f"{finding.code} {finding.rule}",
    }
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = printable(finding.message)
    if finding.hint:
        message += f"\nhint: {printable(finding.hint)}"
    return f"::{_COMMANDS[finding.level]} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
