"""From a document to findings, in stages: each runs only on what the one before it has accepted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fsmc.findings import Finding, Related, in_order
from fsmc.source import Document, Problem, parse

if TYPE_CHECKING:
    from fsmc.policy.explain import SchemaProblem
    from fsmc.policy.model import Policy
    from fsmc.rules.base import Hit, Rule

# Rules of text and structure run before there is a model; the others are registered in ``fsmc.rules``.
STRUCTURE_RULES = {
    "syntax-error": "FSM001",
    "duplicate-key": "FSM002",
    "unsupported-value": "FSM003",
    "too-large": "FSM004",
    "encoding-error": "FSM005",
    "not-a-policy": "FSM006",
    "unknown-key": "FSM010",
    "wrong-type": "FSM011",
    "missing-key": "FSM012",
    "invalid-value": "FSM013",
}


def lint(path: str | os.PathLike[str]) -> list[Finding]:
    """What is wrong with the policies and tables at *path*: a file, a folder or a glob.

    Raises ``InputError`` for what cannot be read.
    """
    from fsmc.discovery import inputs
    from fsmc.source import InputError

    findings: list[Finding] = []
    for found in inputs([os.fsdecode(path)]):
        if found.error is not None:
            raise InputError(found.error)
        if found.document is not None:
            findings += lint_document(found.document)
    return findings


def lint_text(text: str, name: str = "policy.yaml") -> list[Finding]:
    """What is wrong with a policy given as text; the suffix of *name* says the format."""
    return lint_document(parse(text.encode("utf-8", "surrogatepass"), name))


def lint_document(document: Document) -> list[Finding]:
    """What is wrong with a document, in the order of the text."""
    return load_policy(document)[1]


def load_policy(document: Document) -> tuple[Policy | None, list[Finding]]:
    """The model of a document, None where its text or structure is wrong, and everything the rules find."""
    findings = [_from_problem(document, problem) for problem in document.problems]
    # After a duplicate key the rest of the structure is still worth a look; after anything else it is guesswork.
    if all(problem.code == "duplicate-key" for problem in document.problems):
        findings += [_from_schema(document, problem) for problem in _schema_problems(document)]
    if findings:
        return None, in_order(findings)
    from fsmc.policy.build import PolicyTooLarge, build

    try:
        policy = build(document)
    except PolicyTooLarge as large:
        hint = "write less in `defaults`, or name fewer tools by globs"
        return None, [_from_problem(document, Problem("too-large", large.message, large.place, hint))]
    return policy, in_order(_rule_findings(policy))


def _schema_problems(document: Document) -> list[SchemaProblem]:
    from fsmc.runtime.schemas import quick_check

    if quick_check()(document.root):
        return []
    from fsmc.policy.explain import explain

    return explain(document)


def _rule_findings(policy: Policy) -> Iterator[Finding]:
    from fsmc.analysis import Facts
    from fsmc.rules import policy_rules

    facts = Facts(policy)
    for rule in policy_rules():
        if rule.check is not None:
            for hit in rule.check(policy, facts):
                yield _from_hit(policy.document, rule, hit)


def _from_problem(document: Document, problem: Problem) -> Finding:
    return Finding(
        code=STRUCTURE_RULES[problem.code],
        rule=problem.code,
        level="error",
        message=problem.message,
        path=document.path,
        line=problem.place.line,
        column=problem.place.column,
        length=document.token_length(problem.place),
        hint=problem.hint,
        related=tuple(Related(note, *place) for place, note in problem.related),
    )


def _from_schema(document: Document, problem: SchemaProblem) -> Finding:
    return Finding(
        code=STRUCTURE_RULES[problem.rule],
        rule=problem.rule,
        level="error",
        message=problem.message,
        path=document.path,
        line=problem.place.line,
        column=problem.place.column,
        length=document.token_length(problem.place),
        hint=problem.hint,
    )


def _from_hit(document: Document, rule: Rule, hit: Hit) -> Finding:
    return Finding(
        code=rule.code,
        rule=rule.name,
        level=hit.level or rule.level,
        message=hit.message,
        path=document.path,
        line=hit.place.line,
        column=hit.place.column,
        length=document.token_length(hit.place) if hit.length is None else hit.length,
        hint=hit.hint,
        related=tuple(Related(note, *place) for place, note in hit.related),
        trace=hit.trace,
    )
