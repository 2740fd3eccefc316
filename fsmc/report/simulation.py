"""Simulated runs as text and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from fsmc.report.style import paint, printable, width, wrapped
from fsmc.simulation import RunReport, StepReport, move_label
from fsmc.trace.load import MAX_DEPTH, deeper_than

_SUBJECT_WIDTH = 72
_NARROWEST = 20
_GAP = "  "
_STYLES = {"allow": "good", "moved": "good", "deny": "error", "refused": "error", "ask": "warning"}


def run_text(report: RunReport, color: bool, columns: int | None = None) -> str:
    """One run: a line a step with its verdict and the state after it, then what to know about the whole.

    Where a row does not fit the *columns* of a terminal, what came of the step stands on lines of its own.
    """
    rows = [(step.at, _subject(step), step.verdict, printable(step.state)) for step in report.steps]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    if columns is not None and rows:
        rest = sum(widths) - widths[1] + 2 + 3 * len(_GAP)
        widths[1] = min(widths[1], max(columns - rest, _NARROWEST))
    lines = [paint(printable(report.name), "strong", color)]
    for step, row in zip(report.steps, rows, strict=True):
        lines += _row(step, row, widths, color, columns)
        lines += [part for line in _details(step) for part in wrapped(f"      {printable(line)}", columns, 8)]
    for finding in report.findings:
        label = f"  {finding.at}: trace:"
        said = wrapped(f"{label} {printable(finding.message)} [{finding.code}]", columns, 6)
        painted = f"  {finding.at}: {paint('trace', 'warning', color)}:"
        lines += [painted + said[0].removeprefix(label), *said[1:]]
    return "\n".join([*lines, run_summary(report, color)]) + "\n"


def _row(step: StepReport, row: tuple[str, ...], widths: list[int], color: bool, columns: int | None) -> list[str]:
    """The line of one step, in more than one where it does not fit."""
    at, subject, verdict, state = row
    first, *others = wrapped(subject, widths[1], 0) if columns is not None else [subject]
    cells = [_padded(text, size) for text, size in zip((at, first, verdict, state), widths, strict=True)]
    cells[2] = paint(cells[2], _STYLES.get(step.verdict, "dim"), color)
    line = f"  {_GAP.join(cells)}"
    more = [" " * (2 + widths[0] + len(_GAP)) + other for other in others]
    outcome = _outcome(step)
    fits = columns is None or 2 + sum(widths) + 4 * len(_GAP) + width(outcome) <= columns
    if outcome and fits and not others:
        return [f"{line}{_GAP}{outcome}"]
    return [line.rstrip(), *more, *(wrapped(f"      {outcome}", columns, 8) if outcome else ())]


def run_summary(report: RunReport, color: bool, named: bool = False) -> str:
    """One line: verdict on the run, where it ended, what was left open, how many calls."""
    verdict = paint("ok", "good", color) if report.clean else paint("violation", "error", color)
    if not report.clean and not report.violations:
        verdict = paint("flawed trace", "warning", color)
    end = f"finished in {report.state}" if report.finished else f"not finished, in {report.state}"
    counts = report.counts
    calls = ", ".join(f"{counts[name]} {name}" for name in ("allow", "deny", "ask") if counts.get(name))
    parts = [end, f"{_plural(counts.get('calls', 0), 'call')}{f' ({calls})' if calls else ''}"]
    if report.open_calls:
        parts.append(f"open: {', '.join(map(printable, report.open_calls))}")
    prefix = f"{printable(report.name)}: " if named else "  "
    return f"{prefix}{verdict}: {'; '.join(parts)}"


def total_text(reports: Sequence[RunReport], color: bool) -> str:
    """The sum over several runs: how many are clean and finished, and every count by cause."""
    total: Counter[str] = Counter()
    for report in reports:
        total.update(report.counts)
    clean = sum(report.clean for report in reports)
    finished = sum(report.finished for report in reports)
    head = f"{_plural(len(reports), 'run')}: {clean} clean, {len(reports) - clean} not, {finished} finished"
    lines = [paint(head, "strong", color)]
    width = max((len(str(number)) for number in total.values()), default=1)
    lines += [f"  {total[name]:>{width}}  {name}" for name in sorted(total)]
    return "\n".join(lines) + "\n"


def simulation_json(reports: Iterable[RunReport], digest: str, complete: bool = True) -> str:
    """Every run with its steps as one JSON document. Where something could not be read, nothing is called clean."""
    runs = [_run_data(report) for report in reports]
    clean = complete and all(run["clean"] for run in runs)
    return json.dumps({"digest": digest, "clean": clean, "runs": runs}, indent=2) + "\n"


def _run_data(report: RunReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "clean": report.clean,
        "finished": report.finished,
        "state": report.state,
        "open_calls": list(report.open_calls),
        "counts": dict(report.counts),
        "steps": [_step_data(step) for step in report.steps],
        "findings": [finding._asdict() for finding in report.findings],
    }


def _step_data(step: StepReport) -> dict[str, Any]:
    data = {key: value for key, value in step._asdict().items() if value not in ("", (), None)}
    if deeper_than(step.arguments, MAX_DEPTH):  # no reader of traces lets this through, but a program may
        data["arguments"] = _argument_text(step.arguments)
    if step.moves:
        data["moves"] = [{"from": move.source, "by": move_label(move), "to": move.target} for move in step.moves]
    return data


def _subject(step: StepReport) -> str:
    text = f"{step.kind} {step.subject}"
    if step.arguments not in (None, {}):
        text += f" {_argument_text(step.arguments)}"
    text = printable(text)
    return text if len(text) <= _SUBJECT_WIDTH else text[: _SUBJECT_WIDTH - 1] + "…"


def _argument_text(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "(nested too deep to be shown)"


def _outcome(step: StepReport) -> str:
    moves = ", ".join(f"{move.source} --{move_label(move)}--> {move.target}" for move in step.moves)
    if step.verdict in ("deny", "ask", "refused"):
        return printable(f"{step.code}: {step.reason}")
    return printable("; ".join(part for part in (step.reason, moves) if part))


def _details(step: StepReport) -> list[str]:
    lines = []
    if step.verdict in ("deny", "ask"):
        lines.append(f"allowed now: {', '.join(step.allowed_tools) or 'nothing'}")
        if step.unlock:
            lines.append(f"unlocked by: {step.unlock}")
    return lines + [f"note: {note}" for note in step.notes]


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
