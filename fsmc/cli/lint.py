"""``fsmc lint``"""

from __future__ import annotations

import sys

import click

from fsmc.cli.files import color_wanted, note, read_stdin, terminal_width, write_text
from fsmc.cli.options import PATH, color_option, format_option, option, stdin_filename_option, subcommand
from fsmc.discovery import inputs
from fsmc.findings import LEVELS, Finding
from fsmc.linter import lint_document, with_names
from fsmc.report import FORMATS, exit_code, report
from fsmc.source import Document


@subcommand("lint", "Say what is wrong with policies and tables.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@format_option(FORMATS, "How to write the findings.")
@option(
    "--fail-on", text="The lowest level of finding that makes the exit code 1.", type=click.Choice((*LEVELS, "never")),
    default="warning", show_default=True,
)  # fmt: skip
@option("--policies-only", text="Pass over named files that are no policies, as for those of a folder.", is_flag=True)
@stdin_filename_option
@color_option
def command(
    paths: tuple[str, ...], format_: str, fail_on: str, policies_only: bool, stdin_filename: str, color: str
) -> int:
    """Say what is wrong with policies and compiled tables.

    PATH is a file, a folder (all policies below it), a glob, or - for standard input.
    """
    findings: list[Finding] = []
    documents: dict[str, Document | None] = {}
    unreadable = False
    for found in inputs(paths, read_stdin, stdin_filename, policies_only):
        if found.error is not None:
            note(f"fsmc: {found.error}")
            unreadable = True
            continue
        documents[found.path] = found.document
        if found.document is not None:  # a table is checked by loading it
            made = lint_document(found.document)
            findings += with_names(found.document, made) if format_ == "json" and made else made

    def source_line(path: str, number: int) -> str:
        document = documents.get(path)
        return document.line(number) if document is not None else ""

    if documents or format_ == "json":
        write_text(
            report(
                format_,
                findings,
                list(documents),
                source_line,
                color_wanted(color, sys.stdout),
                terminal_width(sys.stdout),
            )
        )
    return exit_code(findings, fail_on, unreadable)
