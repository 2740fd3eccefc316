"""Findings as a code quality report of GitLab, which shows them in merge requests."""

from __future__ import annotations

import json
from typing import Any

from fsmc.findings import Finding
from fsmc.fingerprint import fingerprints
from fsmc.report.checked import Checked

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def gitlab(checked: Checked) -> str:
    """A list of issues. GitLab drops one whose fingerprint it has seen, so no two are alike."""
    rows = zip(checked.findings, fingerprints(checked.findings), strict=True)
    return json.dumps([_issue(checked, *row) for row in rows], indent=2) + "\n"


def _issue(checked: Checked, finding: Finding, fingerprint: str) -> dict[str, Any]:
    hint = f" ({finding.hint})" if finding.hint else ""
    return {
        "description": f"{finding.code} {finding.rule}: {finding.message}{hint}",
        "check_name": finding.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.level],
        "location": {
            "path": finding.path,
            "lines": {"begin": finding.line, "end": finding.line},
            "positions": {
                "begin": {"line": finding.line, "column": finding.column},
                "end": {"line": finding.line, "column": checked.end_column(finding)},
            },
        },
    }
