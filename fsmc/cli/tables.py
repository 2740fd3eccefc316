"""From the input of a command to its table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fsmc.cli.files import color_wanted, one_input
from fsmc.report import report

if TYPE_CHECKING:
    from fsmc.discovery import Input
    from fsmc.findings import Finding
    from fsmc.policy.model import Policy
    from fsmc.runtime.table import Table
    from fsmc.source import Document


class Refused(Exception):
    """The policy has errors, which standard error shows already."""


def model_and_findings(document: Document, color: str = "auto") -> tuple[Policy, list[Finding]]:
    """The model of a policy without errors. Shows every finding on standard error; raises ``Refused`` for errors."""
    from fsmc.linter import load_policy

    policy, findings = load_policy(document)
    if findings:
        wanted = color_wanted(color, sys.stderr)
        sys.stderr.write(report("text", findings, [document.path], lambda _, line: document.line(line), wanted))
    if policy is None or any(finding.level == "error" for finding in findings):
        raise Refused
    return policy, findings


def table_and_findings(found: Input) -> tuple[Table, list[Finding]]:
    """The table of a policy or table that was read, and what lint says about the policy. Raises ``Refused``."""
    if found.table is not None:
        return found.table, []
    assert found.document is not None
    from fsmc.compiler import compile_policy
    from fsmc.runtime.table import Table

    policy, findings = model_and_findings(found.document)
    return Table(compile_policy(policy)), findings


def load_table(path: str) -> Table:
    """The table of the policy or table at *path* (``-`` for standard input). Raises ``Refused`` and ``InputError``."""
    return table_and_findings(one_input(path))[0]
