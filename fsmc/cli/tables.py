"""From the input of a command to its table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fsmc.cli.files import color_wanted, note, one_input, terminal_width
from fsmc.cli.streams import say
from fsmc.report import counted, report
from fsmc.report.checked import Checked

if TYPE_CHECKING:
    from fsmc.discovery import Input
    from fsmc.findings import Finding
    from fsmc.policy.model import Policy
    from fsmc.runtime.table import Table
    from fsmc.source import Document

# Errors of these rules leave a table without a part: a name that means nothing, an expression, a schema.
_UNDRAWABLE = frozenset((
    "undefined-state", "undefined-tool", "undefined-guard", "expression-syntax", "expression-type", "invalid-schema",
))  # fmt: skip


class Refused(Exception):
    """The policy has errors, which standard error shows already."""


def model_and_findings(document: Document, color: str = "auto") -> tuple[Policy, list[Finding]]:
    """The model of a policy without errors. Shows the errors on standard error; raises ``Refused`` where there are any."""
    policy, findings = _model(document, color)
    if policy is None or has_errors(findings):
        raise Refused
    return policy, findings


def has_errors(findings: Sequence[Finding]) -> bool:
    """Whether one of *findings* is an error."""
    return any(finding.level == "error" for finding in findings)


def _model(document: Document, color: str = "auto") -> tuple[Policy | None, list[Finding]]:
    """The model, if any, and all findings; errors are shown in full, for the rest one line says where to read them."""
    from fsmc.linter import load_policy, without_ignored

    policy, findings = load_policy(document)
    errors = [finding for finding in findings if finding.level == "error"]
    if errors:
        wanted, width = color_wanted(color, sys.stderr), terminal_width(sys.stderr)
        say(report("text", Checked(errors, {document.path: document}), wanted, width))
    reported = without_ignored(document, findings, policy is not None)
    if others := counted(finding for finding in reported if finding.level != "error"):
        import shlex

        note(f"{others}; see `fsmc lint {'-' if document.path == '<stdin>' else shlex.quote(document.path)}`")
    return policy, findings


def table_and_findings(found: Input) -> tuple[Table, list[Finding]]:
    """The table of a policy or table that was read, and what lint says about the policy. Raises ``Refused``."""
    if found.table is not None:
        return found.table, []
    assert found.document is not None
    return _table(*model_and_findings(found.document))


def drawable_and_findings(found: Input) -> tuple[Table, list[Finding]]:
    """The same for a picture of the findings: a policy is drawn as long as all it says can be drawn, right or wrong."""
    if found.table is not None:
        return found.table, []
    assert found.document is not None
    policy, findings = _model(found.document)
    if policy is None or any(finding.rule in _UNDRAWABLE for finding in findings):
        raise Refused
    return _table(policy, findings)


def _table(policy: Policy, findings: list[Finding]) -> tuple[Table, list[Finding]]:
    from fsmc.compiler import compile_policy
    from fsmc.runtime.table import Table

    return Table.compiled(compile_policy(policy)), findings


def load_table(path: str) -> Table:
    """The table of the policy or table at *path* (``-`` for standard input). Raises ``Refused`` and ``InputError``."""
    return table_and_findings(one_input(path))[0]
