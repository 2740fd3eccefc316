"""``fsmc lint``"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from fsmc.cli.files import note, read_stdin
from fsmc.cli.fixing import Fixing, fixing_options
from fsmc.cli.options import PATH, color_option, format_option, option, stdin_filename_option, subcommand
from fsmc.cli.reports import reports_option, wanted_reports, write_reports
from fsmc.cli.scope import compared, settings_options, verdict, wanted_scope
from fsmc.discovery import inputs
from fsmc.findings import Finding
from fsmc.linter import lint_document, with_names
from fsmc.report import FORMATS, WITH_NAMES
from fsmc.report.checked import Checked
from fsmc.source import Document


@subcommand("lint", "Say what is wrong with policies and tables.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@format_option(FORMATS, "How to write the findings.")
@reports_option()
@fixing_options
@settings_options
@option("--baseline", text="Do not report the findings that this file lists.", metavar="FILE", type=PATH)
@option("--update", text="Write the baseline so that it lists everything found now.", is_flag=True)
@option("--policies-only", text="Pass over named files that are no policies, as for those of a folder.", is_flag=True)
@stdin_filename_option
@color_option
def command(
    paths: tuple[str, ...],
    format_: str,
    texts: tuple[str, ...],
    baseline: str | None,
    update: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    policies_only: bool,
    stdin_filename: str,
    color: str,
    **settings: Any,
) -> int:
    """Say what is wrong with policies and compiled tables.

    PATH is a file, a folder (all policies below it), a glob, or - for standard input.
    """
    reports = wanted_reports(format_, texts)
    scope = wanted_scope(settings, baseline)
    fixing = Fixing(fix, unsafe_fixes, diff, paths)
    named = any(output.format in WITH_NAMES for output in reports)
    findings: list[Finding] = []
    documents: dict[str, Document | None] = {}
    unreadable: list[str] = []
    for found in inputs(paths, read_stdin, stdin_filename, policies_only, scope.excluded):
        if found.error is not None:
            note(f"fsmc: {found.error}")
            unreadable.append(found.error)
            continue
        document = found.document
        if document is not None:  # a table is checked by loading it
            reported = partial(scope.reported, found.path)
            if fixing.wanted:
                document = fixing.document(found.path, document, reported)
            made = reported(lint_document(document))
            wanted = named or scope.baseline(found.path) is not None
            made = with_names(document, made) if wanted and made else made
            findings += _with_fixes(document, made) if named and made else made
        documents[found.path] = document
    fixing.tell()
    if fixing.only_diff:
        return 2 if unreadable else int(fixing.changed)
    findings = compared(scope, findings, list(documents), update)
    written = write_reports(reports, Checked(findings, documents, unreadable), color)
    return verdict(scope, findings, bool(unreadable) or not written)


def _with_fixes(document: Document, findings: Sequence[Finding]) -> list[Finding]:
    from fsmc.fixes.catalogue import with_quick_fixes  # only a report for programs pays for the import

    return with_quick_fixes(document, findings)
