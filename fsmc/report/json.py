"""Findings as JSON, for programs: the fields of ``Finding``, and counts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fsmc.findings import Finding
from fsmc.report import counts


def json_report(findings: Sequence[Finding], files: Sequence[str]) -> str:
    """``{"findings": [...], "summary": {"files": n, "error": n, "warning": n, "info": n}}``, in ASCII."""
    rows = [{**f._asdict(), "related": [place._asdict() for place in f.related]} for f in findings]
    return json.dumps({"findings": rows, "summary": {"files": len(files), **counts(findings)}}, indent=2) + "\n"
