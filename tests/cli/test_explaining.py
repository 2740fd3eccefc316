"""``fsmc explain`` and ``fsmc rules``, and the pages of the rules against what the command prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsmc.rules import all_rules
from fsmc.rules.manual import page
from tests.cli.conftest import Fsmc
from tests.docs import rule_pages

each_rule = pytest.mark.parametrize("code", [rule.code for rule in all_rules()])


@each_rule
def test_the_output_on_a_page_is_what_lint_prints(code: str, fsmc: Fsmc, folder: Path) -> None:
    rule = next(rule for rule in all_rules() if rule.code == code)
    (folder / "policy.yaml").write_bytes(page(rule).avoid.encode(rule_pages.SAVED_AS.get(code, "utf-8")))
    assert fsmc("lint", "policy.yaml").out == rule_pages.output(rule)


def test_several_and_all_of_a_group(fsmc: Fsmc) -> None:
    done = fsmc("explain", "cycle", "FSM205", "fsm204")
    assert [line[:6] for line in done.out.splitlines() if line.startswith("FSM")] == ["FSM204", "FSM205"]
    group = fsmc("explain", "FSM2", "--format", "json")
    assert [row["code"] for row in json.loads(group.out)] == [r.code for r in all_rules() if r.code.startswith("FSM2")]


def test_rules_of_a_group_with_all_that_is_known_of_them(fsmc: Fsmc) -> None:
    rows = json.loads(fsmc("rules", "FSM4", "--format", "json").out)
    assert {row["code"][:4] for row in rows} == {"FSM4"}
    assert rows[0].keys() == {
        "code", "name", "level", "other_level", "title", "text", "avoid", "prefer", "related", "page",
    }  # fmt: skip
    assert fsmc("rules", "FSM9").code == 2


def test_the_page_is_named_where_a_rule_is_explained(fsmc: Fsmc) -> None:
    assert fsmc("explain", "cycle").out.rstrip().endswith("/docs/rules/FSM204.md")
