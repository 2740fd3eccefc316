"""Findings for people: the place, the sentence, the line of source with a caret, the run that shows it, a way out."""

from __future__ import annotations

from collections.abc import Sequence

from fsmc.findings import Finding
from fsmc.report import SourceLine, count_text, counts
from fsmc.report.excerpt import excerpt, gutter
from fsmc.report.style import paint, printable, wrapped


def text_report(
    findings: Sequence[Finding], files: Sequence[str], source_line: SourceLine, color: bool, width: int | None = None
) -> str:
    """All findings with their excerpts, then one line that counts them."""
    blocks = [_block(finding, source_line, color, width) for finding in findings]
    return "\n".join([*blocks, _summary(findings, files, color)])


def _block(finding: Finding, source_line: SourceLine, color: bool, width: int | None) -> str:
    lines = _headline(finding, color, width)
    margin = gutter([finding.line, *(related.line for related in finding.related)])
    bar = paint("|", "frame", color)
    blank = f"  {'':{margin}} {bar}"

    def quote(line: int, column: int, length: int, style: str, note: str) -> None:
        source = source_line(finding.path, line)
        if not source:
            return
        shown, caret = excerpt(source, column, length)
        indent, marks = caret[: -len(caret.lstrip())], caret.lstrip()
        lines.append(f"  {paint(f'{line:>{margin}}', 'frame', color)} {bar} {shown}")
        lines.append(f"{blank} {indent}{paint(marks, style, color)}{note}")

    quote(finding.line, finding.column, finding.length, finding.level, "")
    for related in finding.related:
        at = f" {printable(related.message)}"
        quote(related.line, related.column, 1, "frame", at)
    label = f"  {'':{margin}} {paint('=', 'frame', color)}"
    if finding.trace:
        lines.append(f"{label} {paint('run:', 'strong', color)}")
        lines += [f"  {'':{margin}}   {number}. {printable(step)}" for number, step in enumerate(finding.trace, 1)]
    if finding.hint:
        first, *rest = wrapped(f"  {'':{margin}} = hint: {printable(finding.hint)}", width, margin + 11)
        hint = first.partition("hint:")[2]
        lines += [f"{label} {paint('hint:', 'strong', color)}{hint}", *rest]
    return "\n".join(lines) + "\n"


def _headline(finding: Finding, color: bool, width: int | None) -> list[str]:
    """The place, what it is called, and the sentence."""
    place = f"{printable(finding.path)}:{finding.line}:{finding.column}:"
    name = f"{finding.level}[{finding.code}] {finding.rule}:"
    lines = wrapped(f"{place} {name} {printable(finding.message)}", width, 4)
    if color:
        head = (
            lines[0]
            .replace(place, paint(place, "strong", color), 1)
            .replace(name, paint(name, finding.level, color), 1)
        )
        lines[0] = head
    return lines


def _summary(findings: Sequence[Finding], files: Sequence[str], color: bool) -> str:
    checked = f"{len(files)} file{'' if len(files) == 1 else 's'}"
    if not findings:
        return f"{checked} checked, no findings\n"
    found = [paint(count_text(level, count), level, color) for level, count in counts(findings).items() if count]
    return f"{', '.join(found)} in {checked}\n"
