"""``fsmc simulate``"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from fsmc.cli.files import color_wanted, note, read_stdin, write_text
from fsmc.cli.options import color_option, format_option, option, policy_argument, subcommand
from fsmc.cli.tables import load_table
from fsmc.trace import FORMATS, TraceError, read, read_file

if TYPE_CHECKING:
    from fsmc.simulation import RunReport


@subcommand("simulate")
@policy_argument(metavar="POLICY|TABLE")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True)
@format_option(("text", "json"))
@option("--input-format", text="What the traces are.", type=click.Choice(FORMATS), default="auto", show_default=True)
@option(
    "--context",
    text="Facts that the traces do not tell: a JSON object, or @FILE with one.",
    metavar="JSON",
    default="{}",
)
@option(
    "--guard",
    "guards",
    text="The outcome of an external guard; may be repeated.",
    metavar="NAME=true|false",
    multiple=True,
)
@option("--approve", text="Approve every call that needs it: for transcripts that do not record people.", is_flag=True)
@option("-q", "--quiet", text="One line a run, and the sum.", is_flag=True)
@color_option
def command(
    policy: str, traces: tuple[str, ...], format_: str, input_format: str, context: str, guards: tuple[str, ...],
    approve: bool, quiet: bool, color: str,
) -> int:  # fmt: skip
    """Play recorded runs through POLICY: a line a step, the state after it, and the verdict.

    A TRACE is a native trace (JSON Lines) or OpenAI chat transcripts; a folder stands for its .jsonl and .json files, - for
    standard input. Exits with 1 when a run breaks the policy or a trace is flawed.
    """
    from fsmc.simulation import simulate

    options: dict[str, Any] = {"context": _context(context), "guards": _outcomes(guards), "approve": approve}
    table = load_table(policy)
    unreadable = False
    reports: list[RunReport] = []
    for path in _files(traces):
        try:
            runs = read(read_stdin(), "<stdin>", input_format) if path == "-" else read_file(path, input_format)
            for run in runs:
                reports.append(_shown(simulate(table, run, **options), format_, quiet, color))
        except TraceError as error:
            unreadable = True
            note(f"fsmc: {error}")
    if format_ == "json":
        from fsmc.report.simulation import simulation_json

        write_text(simulation_json(reports, table.digest))
    elif len(reports) > 1:
        from fsmc.report.simulation import total_text

        write_text("\n" + total_text(reports, color_wanted(color, sys.stdout)))
    if unreadable:
        return 2
    return 0 if all(report.clean for report in reports) else 1


def _shown(report: RunReport, format: str, quiet: bool, color: str) -> RunReport:
    """The report, printed as soon as it is there."""
    if format == "text":
        from fsmc.report.simulation import run_summary, run_text

        colored = color_wanted(color, sys.stdout)
        write_text(run_summary(report, colored, named=True) + "\n" if quiet else run_text(report, colored))
    return report


def _files(paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        if os.path.isdir(path):
            yield from (
                os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith((".jsonl", ".json"))
            )
        else:
            yield path


def _context(text: str) -> Mapping[str, Any]:
    try:
        if text.startswith("@"):
            with open(text[1:], encoding="utf-8-sig") as file:
                text = file.read()
        value = json.loads(text)
    except OSError as error:
        raise click.UsageError(f"--context: {text[1:]} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--context is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise click.UsageError("--context takes a JSON object")
    return value


def _outcomes(items: tuple[str, ...]) -> Mapping[str, bool]:
    outcomes = {}
    for item in items:
        name, _, outcome = item.rpartition("=")
        if not name or outcome not in ("true", "false"):
            raise click.UsageError(f"--guard takes NAME=true or NAME=false, not {item!r}")
        outcomes[name] = outcome == "true"
    return outcomes
