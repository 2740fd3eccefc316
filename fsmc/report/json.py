"""Findings as JSON, for programs, after ``schemas/lint-report-v1.schema.json``."""

from __future__ import annotations

import json
from typing import Any

from fsmc.findings import Finding, Fix
from fsmc.links import rule_page
from fsmc.report import counts
from fsmc.report.checked import Checked


def json_report(checked: Checked) -> str:
    """``{"findings": [...], "summary": {...}, "unreadable": [...]}``, in ASCII."""
    data = {
        "findings": [_row(finding) for finding in checked.findings],
        "summary": {"files": len(checked.files), **counts(checked.findings)},
        "unreadable": list(checked.unreadable),
    }
    return json.dumps(data, indent=2) + "\n"


def _row(finding: Finding) -> dict[str, Any]:
    return {
        **finding._asdict(),
        "related": [place._asdict() for place in finding.related],
        "fix": None if finding.fix is None else _fix(finding.fix),
        "page": rule_page(finding.code),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {**fix._asdict(), "edits": [edit._asdict() for edit in fix.edits]}
