"""Every rule has a page, and every page keeps what it says: its first example gives the finding, its second none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fsmc.rules
from fsmc.findings import LEVELS, Finding
from fsmc.linter import STRUCTURE_RULES, lint_document
from fsmc.rules import Rule, all_rules, rule
from fsmc.rules.manual import page
from fsmc.rules.related import related
from fsmc.source import parse
from tests.docs import rule_pages

each_rule = pytest.mark.parametrize("each", all_rules(), ids=lambda each: each.name)


def lint(text: str, encoding: str = "utf-8") -> list[Finding]:
    return lint_document(parse(text.encode(encoding), "policy.yaml"))


@each_rule
def test_the_example_to_avoid_gives_this_finding_alone(each: Rule) -> None:
    findings = lint(page(each).avoid, rule_pages.SAVED_AS.get(each.code, "utf-8"))
    findings = [f for f in findings if f.level != "info" or each.level == "info"]
    assert {(f.code, f.rule) for f in findings} == {(each.code, each.name)}
    assert {f.level for f in findings} == {each.level}


@each_rule
def test_the_example_to_prefer_is_clean(each: Rule) -> None:
    assert [f for f in lint(page(each).prefer) if f.level != "info" or f.code == each.code] == []


@each_rule
def test_pages_have_one_shape(each: Rule) -> None:
    body = page(each)
    assert re.fullmatch(r"FSM\d{3}", each.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", each.name)
    assert each.level in LEVELS
    assert re.fullmatch(r"[A-Z].*\.", body.title) and len(body.title) < 80
    assert body.text.endswith(".")
    assert body.avoid.startswith("fsmc: 1\n") or each.name == "not-a-policy"
    assert body.prefer.startswith("fsmc: 1\n")


def test_rules_are_listed_by_code_and_nothing_twice() -> None:
    codes = [each.code for each in all_rules()]
    assert codes == sorted(set(codes))
    assert len({each.name for each in all_rules()}) == len(codes)


def test_every_module_of_a_rule_is_registered_under_its_name() -> None:
    folder = Path(fsmc.rules.__file__).parent
    modules = {
        file.stem.replace("_", "-") for file in folder.glob("*.py") if "\nCODE = " in file.read_text(encoding="utf-8")
    }
    assert modules == {each.name for each in all_rules()}


def test_rules_without_a_check_are_those_of_text_and_structure() -> None:
    assert {each.name: each.code for each in all_rules() if each.check is None} == STRUCTURE_RULES


def test_a_rule_is_found_by_code_and_by_name() -> None:
    assert rule("FSM204") is rule("fsm204") is rule("cycle")
    with pytest.raises(KeyError):
        rule("FSM999")


def test_the_pages_are_current() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in rule_pages.FOLDER.glob("*.md")}
    assert written == rule_pages.pages(), "run: python -m tests.docs.rule_pages"


@each_rule
def test_related_rules_are_other_rules(each: Rule) -> None:
    codes = {other.code for other in all_rules()}
    assert set(related(each.code)) <= codes - {each.code}
