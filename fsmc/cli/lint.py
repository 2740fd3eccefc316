"""``fsmc lint``"""

from __future__ import annotations

import click

from fsmc.cli.files import note, read_stdin
from fsmc.cli.options import PATH, color_option, format_option, option, stdin_filename_option, subcommand
from fsmc.cli.reports import reports_option, wanted_reports, write_reports
from fsmc.discovery import inputs
from fsmc.findings import LEVELS, Finding
from fsmc.linter import lint_document, with_names
from fsmc.report import FORMATS, WITH_NAMES, exit_code
from fsmc.report.checked import Checked
from fsmc.source import Document


@subcommand("lint", "Say what is wrong with policies and tables.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@format_option(FORMATS, "How to write the findings.")
@reports_option()
@option(
    "--fail-on", text="The lowest level of finding that makes the exit code 1.", type=click.Choice((*LEVELS, "never")),
    default="warning", show_default=True,
)  # fmt: skip
@option("--policies-only", text="Pass over named files that are no policies, as for those of a folder.", is_flag=True)
@stdin_filename_option
@color_option
def command(
    paths: tuple[str, ...],
    format_: str,
    texts: tuple[str, ...],
    fail_on: str,
    policies_only: bool,
    stdin_filename: str,
    color: str,
) -> int:
    """Say what is wrong with policies and compiled tables.

    PATH is a file, a folder (all policies below it), a glob, or - for standard input.
    """
    reports = wanted_reports(format_, texts)
    named = any(output.format in WITH_NAMES for output in reports)
    findings: list[Finding] = []
    documents: dict[str, Document | None] = {}
    unreadable: list[str] = []
    for found in inputs(paths, read_stdin, stdin_filename, policies_only):
        if found.error is not None:
            note(f"fsmc: {found.error}")
            unreadable.append(found.error)
            continue
        documents[found.path] = found.document
        if found.document is not None:  # a table is checked by loading it
            made = lint_document(found.document)
            findings += with_names(found.document, made) if named and made else made
    written = write_reports(reports, Checked(findings, documents, unreadable), color)
    return exit_code(findings, fail_on, bool(unreadable) or not written)
