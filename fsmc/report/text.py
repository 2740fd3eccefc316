"""Findings for people: the place, the sentence, the line of source with a caret, the run that shows it, a way out."""

from __future__ import annotations

from collections.abc import Sequence

from fsmc.findings import Finding
from fsmc.report import count_text, counts
from fsmc.report.checked import Checked
from fsmc.report.excerpt import MAX_WIDTH, excerpt, gutter
from fsmc.report.style import paint, printable, wrapped
from fsmc.report.style import width as columns

_NARROWEST = 20  # columns of source that are shown even where the terminal has fewer


def text_report(checked: Checked, color: bool = False, width: int | None = None) -> str:
    """All findings with their excerpts, then one line that counts them."""
    blocks = [_block(finding, checked, color, width) for finding in checked.findings]
    return "\n".join([*blocks, conclusion(checked.findings, checked.files, color)])


def _block(finding: Finding, checked: Checked, color: bool, width: int | None) -> str:
    lines = _headline(finding, color, width)
    margin = gutter([finding.line, *(related.line for related in finding.related)])
    bar = paint("|", "frame", color)
    blank = f"  {'':{margin}} {bar}"
    room = MAX_WIDTH if width is None else min(MAX_WIDTH, max(_NARROWEST, width - margin - 5))

    def quote(line: int, column: int, length: int, style: str, note: str) -> None:
        source = checked.line(finding.path, line)
        if not source:
            return
        shown, caret = excerpt(source, column, length, room)
        indent, marks = caret[: -len(caret.lstrip())], caret.lstrip()
        lines.append(f"  {paint(f'{line:>{margin}}', 'frame', color)} {bar} {shown}")
        beside = f" {note}" if note else ""
        fits = width is None or margin + 5 + len(caret) + columns(beside) <= width
        lines.append(f"{blank} {indent}{paint(marks, style, color)}{beside if fits else ''}")
        lines.extend(f"{blank} {part}" for part in wrapped(note, room, 0) if not fits)

    quote(finding.line, finding.column, finding.length, finding.level, "")
    for related in finding.related:
        quote(related.line, related.column, 1, "frame", printable(related.message))
    label = f"  {'':{margin}} {paint('=', 'frame', color)}"
    if finding.trace:
        lines.append(f"{label} {paint('run:', 'strong', color)}")
        for number, step in enumerate(finding.trace, 1):
            lines += wrapped(f"  {'':{margin}}   {number}. {printable(step)}", width, margin + 8)
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


def conclusion(findings: Sequence[Finding], files: Sequence[str], color: bool = False) -> str:
    """One line that says how many files were checked and what was found."""
    checked = f"{len(files)} file{'' if len(files) == 1 else 's'}"
    if not findings:
        return f"{checked} checked, no findings\n"
    found = [paint(count_text(level, count), level, color) for level, count in counts(findings).items() if count]
    return f"{', '.join(found)} in {checked}\n"
