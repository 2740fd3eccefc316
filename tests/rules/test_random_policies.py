"""Whatever a policy of legal structure says, linting it gives findings, and never an exception."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fsmc.analysis import Facts
from fsmc.linter import lint_text, load_policy
from fsmc.policy.model import Policy
from fsmc.rules import policy_rules
from fsmc.source import parse

STATES = ["A", "B", "C", "D", "END", "a", "0", "missing"]
EVENTS = ["GO", "BACK", "FOUND", "found", "LOST"]
TOOLS = ["look", "pay", "1ook", "missing_tool"]
CONDITIONS = [
    "known", "unknown", "outside", "context.n > 3", "3 >= context.n", "!context.ok", "context.ok",
    "context.ok && context.n < 3", 'context.role == "a"', 'context.role in ["b", "c"]', "context.n >", "context.missing",
    "true", 'state == "A"',
    "has(context.n) ? context.ok : false",
]  # fmt: skip


def some(
    *keys: tuple[str, st.SearchStrategy[Any]], **needed: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(needed, optional=dict(keys))


counts = st.integers(1, 4)
names = st.sampled_from(STATES)
conditions = st.sampled_from(CONDITIONS)
sets = st.dictionaries(
    st.sampled_from(["n", "who"]), st.sampled_from(["1", "event.x", "result"]), min_size=1, max_size=2
)
transitions = st.lists(
    some(("guard", conditions), ("set", sets), event=st.sampled_from(EVENTS), target=names), max_size=4
)
budgets = some(("repeated", counts), ("fallback", names), limit=counts)
selectors = st.lists(st.sampled_from([*TOOLS, "effect:read", "effect:write", "*ook", "nothing*"]), max_size=3)
tools = some(
    ("effect", st.sampled_from(["read", "write"])),
    ("when", conditions),
    ("require", conditions),
    ("approval", st.just(True)),
    ("on_failure", st.sampled_from(EVENTS)),
    (
        "emits",
        st.lists(some(("when", conditions), ("set", sets), event=st.sampled_from(EVENTS)), min_size=1, max_size=3),
    ),
)
states = some(
    ("type", st.sampled_from(["initial", "intermediate", "terminal"])),
    ("tools", selectors),
    ("tool_budget", budgets),
    ("parallel_calls", counts),
    ("max_visits", counts),
    ("on_exhausted", names),
    ("transitions", transitions),
)
policies = some(
    ("topology", st.sampled_from(["dag", "cyclic", "open"])),
    ("long_running", st.booleans()),
    ("transition_guard", conditions),
    ("defaults", some(("tools", selectors), ("tool_budget", budgets), ("transitions", transitions))),
    ("guards", st.just({"known": "context.ok", "outside": {"external": True}})),
    ("events", st.dictionaries(st.sampled_from(EVENTS), st.sampled_from([{}, {"source": "any"}, {"source": "tool"}]))),
    ("context", st.sampled_from([
        True,
        {"type": "object", "properties": {
            "n": {"type": "integer"}, "ok": {"type": "boolean"}, "role": {"enum": ["a", "b", "c"]},
        }},
    ])),
    ("tools", st.dictionaries(st.sampled_from(TOOLS[:-1]), tools, max_size=3)),
    fsmc=st.just(1),
    id=st.just("random"),
    initial=names,
    states=st.dictionaries(st.sampled_from(STATES[:-1]), states, min_size=1, max_size=6),
)  # fmt: skip


def model(data: dict[str, Any]) -> tuple[Policy, str]:
    text = json.dumps(data)
    policy, _ = load_policy(parse(text.encode(), "random.json"))
    assert policy is not None, lint_text(text, "random.json")
    return policy, text


@settings(max_examples=300, deadline=None)
@given(policies)
def test_rules_never_raise_and_findings_stand_inside_the_text(data: dict[str, Any]) -> None:
    _, text = model(data)
    for finding in lint_text(text, "random.json"):
        assert finding.line == 1 and finding.column >= 1 and finding.column + finding.length <= len(text) + 1
        assert finding.message[0] != finding.message[0].upper() or finding.message[0] in "`0123456789"
        assert not finding.message.endswith(".")


@settings(max_examples=100, deadline=None)
@given(policies)
def test_no_rule_says_the_same_twice(data: dict[str, Any]) -> None:
    policy, _ = model(data)
    for rule in policy_rules():
        assert rule.check is not None
        hits = [(hit.message, hit.place) for hit in rule.check(policy, Facts(policy))]
        assert len(hits) == len(set(hits)), rule.name
