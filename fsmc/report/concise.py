"""One line a finding: for editors, for grep."""

from __future__ import annotations

from collections.abc import Iterable

from fsmc.findings import Finding
from fsmc.report.style import printable


def concise(findings: Iterable[Finding]) -> str:
    """``path:line:column: level CODE name: message``, a line each."""
    return "".join(
        f"{printable(f.path)}:{f.line}:{f.column}: {f.level} {f.code} {f.rule}: {printable(f.message)}\n"
        for f in findings
    )
