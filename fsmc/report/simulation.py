"""Simulated runs as text and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from fsmc.report.style import paint, printable, width
from fsmc.simulation import RunReport, StepReport, move_label

_SUBJECT_WIDTH = 72
_STYLES = {"allow": "good", "moved": "good", "deny": "error", "refused": "error", "ask": "warning"}


def run_text(report: RunReport, color: bool) -> str:
    """One run: a line a step with its verdict and the state after it, then what to know about the whole."""
    rows = [(step.at, _subject(step), step.verdict, printable(step.state)) for step in report.steps]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = [paint(printable(report.name), "strong", color)]
    for step, row in zip(report.steps, rows, strict=True):
        cells = [_padded(text, columns) for text, columns in zip(row, widths, strict=True)]
        cells[2] = paint(cells[2], _STYLES.get(step.verdict, "dim"), color)
        lines.append(f"  {'  '.join(cells)}  {_outcome(step)}".rstrip())
        lines += [f"      {printable(line)}" for line in _details(step)]
    for finding in report.findings:
        lines.append(
            f"  {finding.at}: {paint('trace', 'warning', color)}: {printable(finding.message)} [{finding.code}]"
        )
    return "\n".join([*lines, run_summary(report, color)]) + "\n"


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


def simulation_json(reports: Iterable[RunReport], digest: str) -> str:
    """Every run with its steps as one JSON document."""
    runs = [_run_data(report) for report in reports]
    return json.dumps({"digest": digest, "clean": all(run["clean"] for run in runs), "runs": runs}, indent=2) + "\n"


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
    if step.moves:
        data["moves"] = [{"from": move.source, "by": move_label(move), "to": move.target} for move in step.moves]
    return data


def _subject(step: StepReport) -> str:
    text = f"{step.kind} {step.subject}"
    if step.arguments not in (None, {}):
        text += f" {json.dumps(step.arguments, ensure_ascii=False, default=str)}"
    text = printable(text)
    return text if len(text) <= _SUBJECT_WIDTH else text[: _SUBJECT_WIDTH - 1] + "…"


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
