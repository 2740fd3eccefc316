"""Findings as SARIF 2.1.0, which GitHub's code scanning and several editors read."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

from fsmc import __version__
from fsmc.findings import LEVELS, Finding, Fix
from fsmc.fingerprint import fingerprints
from fsmc.links import PROJECT, rule_page
from fsmc.report.checked import Checked
from fsmc.rules import Rule, all_rules
from fsmc.source.tree import Place

# What code scanning takes of one run: results, bytes of the compressed file, steps of a path, places of a result.
MAX_RESULTS = 25_000
MAX_BYTES = 10_000_000
MAX_STEPS = 1_000
MAX_PLACES = 100
FINGERPRINT = "fsmcStructure/v1"

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_SEVERITIES = {"error": "error", "warning": "warning", "info": "recommendation"}

_Row: TypeAlias = "tuple[Finding, str]"
"""A finding and its fingerprint."""


def sarif(checked: Checked) -> str:
    """One log with one run, on one line. Where it would be refused as too large, only the gravest findings are in it."""
    rows = list(zip(checked.findings, fingerprints(checked.findings), strict=True))
    kept = _gravest(rows, MAX_RESULTS)
    while True:
        text = json.dumps(_log(checked, kept, len(rows) - len(kept))) + "\n"
        size = len(text) if len(text) <= MAX_BYTES else len(zlib.compress(text.encode(), 6))
        if size <= MAX_BYTES or not kept:
            return text
        kept = _gravest(kept, len(kept) * MAX_BYTES // size * 9 // 10)


def _gravest(rows: Sequence[_Row], number: int) -> Sequence[_Row]:
    """At most *number* rows, those of the gravest levels, in the order they had."""
    if len(rows) <= number:
        return rows
    ranked = sorted(range(len(rows)), key=lambda index: LEVELS.index(rows[index][0].level))
    return [rows[index] for index in sorted(ranked[:number])]


def _log(checked: Checked, rows: Sequence[_Row], left_out: int) -> dict[str, Any]:
    names = {finding.code: finding.rule for finding, _ in rows}
    codes = sorted(names)
    known = {rule.code: rule for rule in all_rules()} if codes else {}
    files = {path: index for index, path in enumerate(checked.files)}
    numbers = {code: index for index, code in enumerate(codes)}
    results = [
        _identity(finding, fingerprint, numbers) | _result(checked, finding, files.get(finding.path))
        for finding, fingerprint in rows
    ]
    driver = {
        "name": "fsmc",
        "version": __version__,
        "informationUri": PROJECT,
        "rules": [_descriptor(code, names[code], known.get(code)) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(checked, len(rows), left_out)],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder in which fsmc was run."}}},
        "artifacts": [{"location": _artifact(path), "roles": ["analysisTarget"]} for path in files],
        "results": results,
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(checked: Checked, kept: int, left_out: int) -> dict[str, Any]:
    told = [{"level": "error", "message": {"text": reason}} for reason in checked.unreadable]
    if left_out:
        text = f"{left_out:,} of {kept + left_out:,} findings are left out, the gravest are kept: the log would be too large."
        told.append({"level": "warning", "message": {"text": text}})
    return {"executionSuccessful": not checked.unreadable, "toolExecutionNotifications": told}


def _descriptor(code: str, name: str, rule: Rule | None) -> dict[str, Any]:
    """What is known of a rule; its docstring is its help."""
    base = {"id": code, "name": name, "helpUri": rule_page(code)}
    if rule is None:
        return base
    manual = rule.doc.strip()
    return base | {
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": " ".join(manual.split("\n\n")[1].split("\n"))},
        "help": {"text": manual, "markdown": f"{manual}\n\n[{code} {name}]({rule_page(code)})"},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
        "properties": {"problem.severity": _SEVERITIES[rule.level], "precision": "very-high", "tags": ["policy"]},
    }


def _identity(finding: Finding, fingerprint: str, numbers: dict[str, int]) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "ruleIndex": numbers[finding.code],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }


def _result(checked: Checked, finding: Finding, index: int | None) -> dict[str, Any]:
    artifact = _artifact(finding.path) | ({} if index is None else {"index": index})

    def location(start: Place, end_column: int | None = None) -> dict[str, Any]:
        region = {"startLine": start.line, "startColumn": start.column}
        if end_column is not None:
            region["endColumn"] = end_column
        return {"physicalLocation": {"artifactLocation": artifact, "region": region}}

    place = Place(finding.line, finding.column)
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    result: dict[str, Any] = {
        "level": _LEVELS[finding.level],
        "message": {"text": finding.message + hint},
        "locations": [location(place, checked.end_column(finding))],
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": related.message}} | location(Place(related.line, related.column))
            for number, related in enumerate(finding.related[:MAX_PLACES])
        ]
    if finding.trace:
        steps = []
        for step in finding.trace[:MAX_STEPS]:
            state = checked.state(finding.path, step.partition(" --")[0])
            steps.append({"location": {"message": {"text": step}} | location(state or place)})
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if finding.fix is not None:
        result["fixes"] = [_fix(checked, finding.path, finding.fix, artifact)]
    return result


def _fix(checked: Checked, path: str, fix: Fix, artifact: dict[str, Any]) -> dict[str, Any]:
    replacements = []
    for edit in fix.edits:
        start, end = checked.place(path, edit.start), checked.place(path, edit.end)
        region = {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        }
        replacements.append({"deletedRegion": region, "insertedContent": {"text": edit.text}})
    return {
        "description": {"text": fix.message},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": replacements}],
        "properties": {"safe": fix.safe},
    }


def _artifact(path: str) -> dict[str, Any]:
    """Where a file is: a relative URI below the folder of the run, else one that stands for itself."""
    if os.path.isabs(path):
        return {"uri": f"file://{'' if path.startswith('/') else '/'}{quote(path, safe='/:')}"}
    uri = quote(path, safe="/")
    return {"uri": uri} if path.startswith("../") else {"uri": uri, "uriBaseId": _ROOT}
