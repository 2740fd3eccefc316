"""The reports of ``fsmc lint``: which are wanted, and how they come to where they belong."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

import click

from fsmc.cli.files import color_wanted, note, terminal_width, write_result, write_text
from fsmc.cli.options import Decorator, option
from fsmc.report import FOR_PEOPLE, report
from fsmc.report.checked import Checked
from fsmc.report.outputs import STDOUT, Output, outputs
from fsmc.report.style import printable
from fsmc.source import InputError


def reports_option() -> Decorator:
    """``--output FORMAT:FILE``, as often as wanted."""
    return option(
        "--output", "texts", text="One more report, in any format; without FILE it goes to standard output. Repeatable.",
        metavar="FORMAT:FILE", multiple=True,
    )  # fmt: skip


def wanted_reports(format: str, texts: Iterable[str]) -> list[Output]:
    """The reports that the options ask for."""
    source = click.get_current_context().get_parameter_source("format_")
    try:
        return outputs(format, source is click.core.ParameterSource.COMMANDLINE, texts)
    except ValueError as error:
        raise click.UsageError(printable(str(error))) from None


def write_reports(wanted: Sequence[Output], checked: Checked, color: str) -> bool:
    """Write every report, files first; whether all could be written. A file is written whole or not at all."""
    written = True
    for format, target in sorted(wanted, key=lambda output: output.target == STDOUT):
        if target == STDOUT:
            _to_stdout(format, checked, color)
        else:
            written = _to_file(format, target, checked) and written
    if any(output.format == "github" for output in wanted):
        _add_job_summary(checked)
    return written


def _to_stdout(format: str, checked: Checked, color: str) -> None:
    if format not in FOR_PEOPLE:  # what a program reads is UTF-8 everywhere
        write_result(STDOUT, report(format, checked).encode("utf-8", "backslashreplace"))
    elif checked.documents:
        write_text(report(format, checked, color_wanted(color, sys.stdout), terminal_width(sys.stdout)))


def _to_file(format: str, target: str, checked: Checked) -> bool:
    content = report(format, checked).encode("utf-8", "backslashreplace")
    try:
        if os.path.realpath(target) in map(os.path.realpath, checked.files):
            raise InputError(f"{target} is one of the files that were checked; name another file for the report")
        write_result(target, content)
    except InputError as error:
        note(f"fsmc: {error}")
        return False
    return True


def _add_job_summary(checked: Checked) -> None:
    """Add to the summary of the job, where this is a step of a GitHub workflow."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from fsmc.report.job_summary import MAX_BYTES, job_summary

    try:
        taken = os.path.getsize(path) if os.path.exists(path) else 0
        content = job_summary(checked.portable(), MAX_BYTES - taken).encode("utf-8", "backslashreplace")
        with open(path, "ab") as file:
            file.write(content)
    except (OSError, ValueError) as error:
        note(f"fsmc: the job summary cannot be written: {getattr(error, 'strerror', None) or error}")
