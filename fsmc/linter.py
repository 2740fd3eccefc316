"""From a document to findings, in stages: each runs only on what the one before it has accepted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fsmc.findings import Finding, Related, in_order
from fsmc.source import Document, Note, Place, Problem, parse

if TYPE_CHECKING:
    from fsmc.policy.explain import SchemaProblem
    from fsmc.policy.model import Policy
    from fsmc.rules.base import Hit, Rule

MAX_HITS = 1_000  # of one rule in one file: nobody reads more, and a generated file may hold a mistake many times
IGNORE = "fsmc: ignore"  # without this in its text, a document has no comments that tell to ignore something
# Rules of text and structure run before there is a model; the others are registered in ``fsmc.rules``.
STRUCTURE_RULES = {
    "syntax-error": "FSM001",
    "duplicate-key": "FSM002",
    "unsupported-value": "FSM003",
    "too-large": "FSM004",
    "encoding-error": "FSM005",
    "not-a-policy": "FSM006",
    "ambiguous-scalar": "FSM007",
    "byte-order-mark": "FSM008",
    "unknown-key": "FSM010",
    "wrong-type": "FSM011",
    "missing-key": "FSM012",
    "invalid-value": "FSM013",
    "unused-ignore": "FSM016",
    "invalid-ignore": "FSM017",
}


def lint(path: str | os.PathLike[str]) -> list[Finding]:
    """What is wrong with the policies and tables at *path*: a file, a folder or a glob.

    Comments that tell to ignore something count, and of a folder what ``.gitignore`` files name is left out; no other settings
    are read. Raises ``InputError`` for what cannot be read.
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
    """What is wrong with a document, in the order of the text, without what its comments tell to ignore."""
    policy, findings = load_policy(document)
    return without_ignored(document, findings, policy is not None)


def keeps_from_reading(finding: Finding) -> bool:
    """Whether a finding is why nothing else in its file was checked. Without it the file would only look clean."""
    return finding.level == "error" and finding.rule in STRUCTURE_RULES


def without_ignored(document: Document, findings: list[Finding], complete: bool = True) -> list[Finding]:
    """*findings* of *document* without what its comments tell to ignore; *complete* when all rules have run."""
    if IGNORE not in document.text:
        return findings
    from fsmc.suppression import suppressed

    return in_order(suppressed(document, findings, complete))


def with_names(document: Document, findings: Iterable[Finding]) -> list[Finding]:
    """*findings* of *document* with the names that lead to their places: for whoever has to know them again tomorrow."""
    from fsmc.source.names import Names

    names = Names(document)
    return [finding._replace(where=names.at(Place(finding.line, finding.column))) for finding in findings]


def load_policy(document: Document) -> tuple[Policy | None, list[Finding]]:
    """The model of a document, None where its text or structure is wrong, and everything the rules find.

    Comments hide nothing here: what they tell lint to ignore still keeps a policy from compiling.
    """
    from fsmc.spelling import bounded

    with bounded():
        policy, findings = _checked(document)
    if document.notes and document.root is not None:
        findings += _notes(document, findings)
    return policy, in_order(findings)


def _checked(document: Document) -> tuple[Policy | None, list[Finding]]:
    findings = [_finding(document, problem.code, problem, problem.related) for problem in document.problems]
    # After a duplicate key the rest of the structure is still worth a look; after anything else it is guesswork.
    readable = document.root is not None or not document.problems
    if readable and all(problem.code == "duplicate-key" for problem in document.problems):
        findings += [_finding(document, problem.rule, problem) for problem in _schema_problems(document)]
    if findings:
        return None, _foreign(document) or findings
    from fsmc.policy.build import PolicyTooLarge, build

    try:
        policy = build(document)
    except PolicyTooLarge as large:
        hint = "write less in `defaults`, or name fewer tools by globs"
        return None, [_finding(document, "too-large", Problem("too-large", large.message, large.place, hint))]
    return policy, list(_rule_findings(policy))


def _notes(document: Document, findings: list[Finding]) -> list[Finding]:
    """What is worth knowing about the text, except where a finding says what to do with it."""
    taken = {(finding.line, finding.column) for finding in findings}
    return [
        _finding(document, note.code, note)._replace(level="info")
        for note in document.notes
        if note.code != "ambiguous-scalar" or note.place not in taken
    ]


def _foreign(document: Document) -> list[Finding]:
    """The one finding of a file that is another kind of file altogether."""
    if isinstance(document.root, dict) and "fsmc" in document.root:
        return []
    from fsmc.policy.foreign import looks_like_run

    if not looks_like_run(document.text):
        return []
    problem = Problem(
        "not-a-policy",
        "not a policy: this looks like a recorded run",
        Place(1, 1),
        "play it with `fsmc simulate POLICY TRACE`",
    )
    return [_finding(document, problem.code, problem)]


def _schema_problems(document: Document) -> list[SchemaProblem]:
    from fsmc.runtime.schemas import quick_check

    if quick_check()(document.root):
        return []
    from fsmc.policy.explain import explain

    return explain(document)


def _rule_findings(policy: Policy) -> Iterator[Finding]:
    from fsmc.analysis import Facts
    from fsmc.rules import Hit, policy_rules

    facts = Facts(policy)
    for rule in policy_rules():
        if rule.check is not None:
            for number, hit in enumerate(rule.check(policy, facts), 1):
                if number > MAX_HITS:
                    message = f"and more like this: only the first {MAX_HITS:,} are listed"
                    yield _from_hit(policy.document, rule, Hit(message, hit.place, hit.length, level=hit.level))
                    break
                yield _from_hit(policy.document, rule, hit)


def _finding(
    document: Document, rule: str, said: Problem | SchemaProblem | Note, related: Iterable[tuple[Place, str]] = ()
) -> Finding:
    """The finding of a rule of text and structure."""
    return Finding(
        code=STRUCTURE_RULES[rule],
        rule=rule,
        level="error",
        message=said.message,
        path=document.path,
        line=said.place.line,
        column=said.place.column,
        length=document.token_length(said.place),
        hint=said.hint,
        related=tuple(Related(note, *place) for place, note in related),
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
        fix=hit.fix,
    )
