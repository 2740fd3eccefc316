"""The trace of a finding is a run: made move by move on the compiled table, it goes through, from the initial
state on.
"""

from __future__ import annotations

import re

import pytest

from fsmc.compiler import compile_policy
from fsmc.linter import load_policy
from fsmc.rules import all_rules
from fsmc.rules.manual import page
from fsmc.runtime.infos import Step
from fsmc.runtime.table import Table
from fsmc.source import parse
from tests.rules.test_cases import cases

_MOVE = re.compile(r"(?P<source>.+?) --(?P<label>.+?)(?: \((?P<spent>.+) exhausted\))?--> (?P<target>.+)")
_PAGES = [(each.name, page(each).avoid) for each in all_rules() if each.check is not None]


def make(table: Table, match: re.Match[str]) -> Step:
    source, label = match["source"], match["label"]
    visits = dict.fromkeys((match["spent"] or "").split(", "), 10**6)
    if label != "budget spent":
        return table.step(source, label, {"visits": visits})
    budget = table.states[source].budget
    assert budget is not None and budget.fallback is not None
    return table.enter(source, "", budget.fallback, {"visits": visits}, "fallback")


@pytest.mark.parametrize(("title", "text"), [*_PAGES, *cases()], ids=[title for title, _ in [*_PAGES, *cases()]])
def test_traces_replay(title: str, text: str) -> None:
    policy, findings = load_policy(parse(text.encode(), "policy.yaml"))
    assert policy is not None
    traces = [finding.trace for finding in findings if finding.trace]
    if not traces:
        return
    table = Table(compile_policy(policy))
    for trace in traces:
        state = table.initial
        for told in trace:
            match = _MOVE.fullmatch(told)
            assert match is not None and match["source"] == state
            step = make(table, match)
            assert step.moved and step.target == match["target"]
            state = match["target"]


def test_there_are_traces_of_every_kind() -> None:
    told = " ".join(
        " ".join(f.trace) for _, text in cases() for f in load_policy(parse(text.encode(), "policy.yaml"))[1]
    )
    assert "--GO-->" in told and "--budget spent-->" in told
