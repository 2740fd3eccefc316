"""``fsmc simulate``"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from fsmc.cli.files import color_wanted, from_stdin, note, terminal_width, write_text
from fsmc.cli.options import PATH, color_option, format_option, option, policy_argument, subcommand
from fsmc.cli.tables import load_table
from fsmc.policy.wording import kind
from fsmc.report.style import printable
from fsmc.source import InputError
from fsmc.source.reading import MAX_BYTES
from fsmc.stored import read_at_most
from fsmc.trace import FORMATS, TraceError, read_file, read_stream
from fsmc.trace.load import decode

if TYPE_CHECKING:
    from fsmc.simulation import RunReport
    from fsmc.trace import Run

_SUFFIXES = (".jsonl", ".json")


@subcommand("simulate", "Play recorded runs through a policy.")
@policy_argument(metavar="POLICY|TABLE")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=PATH)
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
    for path in traces:
        try:
            for run in _runs(path, input_format):
                reports.append(_shown(simulate(table, run, **options), format_, quiet, color))
        except (TraceError, InputError) as error:
            unreadable = True
            note(f"fsmc: {error}")
    if format_ == "json":
        from fsmc.report.simulation import simulation_json

        write_text(simulation_json(reports, table.digest, not unreadable))
    elif len(reports) > 1:
        from fsmc.report.simulation import total_text

        write_text("\n" + total_text(reports, color_wanted(color, sys.stdout)))
    if unreadable:
        return 2
    return 0 if all(report.clean for report in reports) else 1


def _runs(path: str, input_format: str) -> Iterator[Run]:
    """The runs of a file, of all trace files of a folder, or of standard input. Raises ``TraceError``, also for none."""
    if path == "-":
        yield from from_stdin(lambda file: read_stream(file, "<stdin>", input_format))
        return
    if not os.path.isdir(path):
        yield from read_file(path, input_format)
        return
    try:
        found = sorted(name for name in os.listdir(path) if name.endswith(_SUFFIXES))
    except OSError as error:
        raise TraceError(path, f"cannot be read: {error.strerror}") from None
    # A pipe would wait for a writer, and a device may never end.
    names = [name for name in found if os.path.isfile(os.path.join(path, name))]
    if not names:
        raise TraceError(path, f"holds no trace: no {' or '.join(_SUFFIXES)} file")
    problems = []
    for name in names:
        try:
            yield from read_file(os.path.join(path, name), input_format)
        except TraceError as error:
            problems.append(error)
    for problem in problems[:-1]:
        note(f"fsmc: {problem}")
    if problems:
        raise problems[-1]


def _shown(report: RunReport, format: str, quiet: bool, color: str) -> RunReport:
    """The report, printed as soon as it is there."""
    if format == "text":
        from fsmc.report.simulation import run_summary, run_text

        colored = color_wanted(color, sys.stdout)
        write_text(
            run_summary(report, colored, named=True) + "\n"
            if quiet
            else run_text(report, colored, terminal_width(sys.stdout))
        )
    return report


def _context(text: str) -> Mapping[str, Any]:
    where = "--context"
    data = text.encode("utf-8", "surrogatepass")  # what was no UTF-8 on the command line is none again
    if text.startswith("@"):
        where = f"--context: {printable(text[1:])}"
        try:
            with open(text[1:], "rb") as file:
                data = read_at_most(file, MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            raise click.UsageError(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}") from None
        if len(data) > MAX_BYTES:
            raise click.UsageError(f"{where} is larger than {MAX_BYTES // 2**20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError(f"{where} is not UTF-8 text") from None
    if not text.strip():
        raise click.UsageError(f"{where} is empty; it takes a JSON object")
    try:
        value = decode(text)
    except json.JSONDecodeError as error:
        raise click.UsageError(f"{where} is not JSON: {_broken(error)}") from None
    except ValueError as error:
        raise click.UsageError(f"{where} is not JSON that can be read: {printable(str(error))}") from None
    if not isinstance(value, dict):
        raise click.UsageError(f"{where} takes a JSON object, not {kind(value)}")
    return value


def _broken(error: json.JSONDecodeError) -> str:
    """Where a text stops being JSON, and the usual reason."""
    rest = error.doc[error.pos : error.pos + 20]
    if not rest.strip():
        return "it ends too early"
    hint = "; names and texts stand in double quotes" if rest[0] == "'" or rest[0].isalpha() else ""
    place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno} column {error.colno}"
    return f"`{printable(rest)}` at {place} does not fit{hint}"


def _outcomes(items: tuple[str, ...]) -> Mapping[str, bool]:
    outcomes = {}
    for item in items:
        name, _, outcome = item.rpartition("=")
        if not name or outcome not in ("true", "false"):
            raise click.UsageError(f"--guard takes NAME=true or NAME=false, not {item!r}")
        outcomes[name] = outcome == "true"
    return outcomes
