"""Findings as the summary of a GitHub job, in Markdown: all of them, where annotations are few."""

from __future__ import annotations

import re

from fsmc.findings import LEVELS, Finding
from fsmc.links import rule_page
from fsmc.report import counted
from fsmc.report.checked import Checked
from fsmc.report.style import printable
from fsmc.report.text import conclusion

MAX_BYTES = 1024 * 1024  # GitHub refuses the summary of a step that is larger
_MARKUP = re.compile(r"[&<>`|\[\]*_\\~@#!:$]")
_REST = 100  # bytes kept for the line that counts what does not fit


def job_summary(checked: Checked, room: int = MAX_BYTES) -> str:
    """A table of the findings, gravest first, in at most *room* bytes; "" where there is no room for any."""
    parts = [f"### fsmc lint\n\n{conclusion(checked.findings, checked.files)}\n"]
    parts += [f"- {_plain(reason)}\n" for reason in checked.unreadable]
    if checked.findings:
        parts.append("\n| level | place | rule | finding |\n|---|---|---|---|\n")
    used = sum(map(_size, parts))
    if used + _REST > room:
        return ""
    findings = sorted(checked.findings, key=lambda finding: LEVELS.index(finding.level))
    for number, finding in enumerate(findings):
        row = _row(finding)
        used += _size(row)
        if used + _REST > room:
            parts.append(f"\nNot listed here, for want of room: {counted(findings[number:])}.\n")
            break
        parts.append(row)
    return "".join(parts)


def _row(finding: Finding) -> str:
    place = _plain(f"{finding.path}:{finding.line}:{finding.column}")
    message = _plain(finding.message) + (f"<br>{_plain(finding.hint)}" if finding.hint else "")
    return f"| {finding.level} | {place} | [{finding.code}]({rule_page(finding.code)}) {finding.rule} | {message} |\n"


def _plain(text: str) -> str:
    """*text* on one line, with every character that could be markup as a numbered entity."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", printable(text))


def _size(text: str) -> int:
    return len(text.encode("utf-8"))
