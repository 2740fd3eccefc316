"""Policies that load although they are wrong."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
import yaml

import fsmc
from fsmc.findings import Finding
from fsmc.linter import lint_text
from fsmc.runtime.errors import BindingError
from tests.support import table

HEAD = """\
fsmc: 1
id: clinic
initial: TRIAGE
"""

GOOD = (
    HEAD
    + """\
tools:
  classify: {effect: read, emits: [{event: CLASSIFIED}]}
  book: {emits: [{event: BOOKED}]}
states:
  TRIAGE: {tools: [classify], transitions: [{event: CLASSIFIED, target: BOOKING}]}
  BOOKING: {tools: [book], transitions: [{event: BOOKED, target: DONE}]}
  DONE: {type: terminal}
"""
)


def errors(text: str, name: str = "policy.yaml") -> list[Finding]:
    return [finding for finding in lint_text(text, name) if finding.level == "error"]


def rules(text: str) -> list[str]:
    return [finding.rule for finding in errors(text)]


def test_the_policy_that_the_others_are_made_from_is_clean() -> None:
    """A linter that refuses the example in its own handbook teaches people to ignore it (Microsoft AGT).

    fsmc: every policy in these tests and in the documentation is linted as it is printed.
    """
    assert lint_text(GOOD, "policy.yaml") == []


def test_a_misspelt_key_is_an_error() -> None:
    """A misspelt key such as `termnal` loads silently, and what it should say never holds (statepilot).

    fsmc: the schema is closed at every depth, and the finding shows the place and names the nearest key.
    """
    (finding,) = errors(GOOD.replace("{tools: [book],", "{tols: [book],"))
    assert (finding.rule, finding.line) == ("unknown-key", 9)
    assert "`tools`" in f"{finding.message} {finding.hint}"


def test_a_key_in_other_letters_is_an_error() -> None:
    """A key with a capital letter is taken for free data, so the rule under it does not exist.

    fsmc: keys are compared exactly; another case is an unknown key.
    """
    assert "unknown-key" in rules(GOOD.replace("{tools: [book],", "{Tools: [book],"))


def test_a_misspelt_target_is_no_new_state() -> None:
    """A transition to a misspelt state creates that state.

    fsmc: states exist only where they are declared; any other name is an error.
    """
    (finding,) = errors(GOOD.replace("target: DONE", "target: DNOE"))
    assert finding.rule == "undefined-state" and "DONE" in f"{finding.message} {finding.hint}"


def test_a_tool_that_is_not_declared_is_an_error_in_the_policy() -> None:
    """A rule that names a tool which does not exist passes verification, and guards nothing (csl-core).

    fsmc: the universe of tools is declared once; a name that is not in it is an error with the nearest good one.
    """
    (finding,) = errors(GOOD.replace("[book]", "[bok]"))
    assert finding.rule == "undefined-tool" and "`book`" in f"{finding.message} {finding.hint}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("policy.yaml", GOOD.replace("  DONE:", "  BOOKING: {type: terminal}\n  DONE:")),
        ("policy.json", '{"fsmc": 1, "id": "a", "initial": "A", "states": {"A": {"type": "terminal"}, "A": {}}}'),
        ("policy.toml", 'fsmc = 1\nid = "a"\ninitial = "A"\nid = "b"\n'),
    ],
)
def test_a_key_written_twice_is_an_error(name: str, text: str) -> None:
    """The second of two equal keys silently replaces the first.

    fsmc: duplicates are errors in YAML, JSON and TOML.
    """
    assert "duplicate-key" in [finding.rule for finding in errors(text, name)]


@pytest.mark.parametrize(
    ("condition", "rule"),
    [
        ("action.type = 'book'", "expression-syntax"),
        ("context.rol == 'agent'", "expression-type"),
        ("contxt.role == 'agent'", "expression-type"),
        ("context.role == 5", "expression-type"),
        ("context.role", "expression-type"),
        ("agnet", "undefined-guard"),
    ],
)
def test_a_misspelt_condition_is_an_error(condition: str, rule: str) -> None:
    """A condition that can never match, for want of one `=`, loads, validates and fails open (Microsoft AGT).

    fsmc: conditions are parsed and type-checked against the declared facts when the policy is read.
    """
    text = GOOD.replace("tools:\n  classify: {", f'tools:\n  classify: {{when: "{condition}", ', 1).replace(
        "tools:\n  classify", "context: {type: object, properties: {role: {type: string}}}\ntools:\n  classify", 1
    )
    assert rules(text) == [rule]


def test_all_problems_are_reported_each_at_its_place() -> None:
    """Only the first problem is reported, or every one is said to be on line 1 (Microsoft AGT).

    fsmc: all findings at once, each with line and column.
    """
    text = GOOD.replace("[classify]", "[classfy]").replace("target: DONE", "target: DNOE").replace("id: ", "ident: ")
    found = [(finding.rule, finding.line) for finding in errors(text)]
    assert ("unknown-key", 2) in found
    text = text.replace("ident: ", "id: ")
    assert [(finding.rule, finding.line) for finding in errors(text)] == [("undefined-tool", 8), ("undefined-state", 9)]


def test_a_state_that_nothing_leads_to_is_an_error() -> None:
    """A state that cannot be reached is accepted (statepilot, LangGraph and Burr).

    fsmc: reachability is proved over every kind of edge, fallbacks too.
    """
    text = GOOD.replace("  DONE:", "  LOST: {transitions: [{event: X, target: DONE}]}\n  DONE:")
    assert rules(text) == ["unreachable-state"]


def test_every_branch_of_an_event_is_walked() -> None:
    """Where several guarded branches wait for one event, only the first is checked.

    fsmc: all candidates count, for unknown targets and for reachability.
    """
    branches = "{event: BOOKED, target: DONE, guard: calls.book > 1}, {event: BOOKED, target: %s}"
    assert rules(GOOD.replace("{event: BOOKED, target: DONE}", branches % "NOWHERE")) == ["undefined-state"]
    second = GOOD.replace("{event: BOOKED, target: DONE}", branches % "LATER")
    assert errors(second + "  LATER: {type: terminal}\n") == []


@pytest.mark.parametrize(
    ("booking", "rule"),
    [("{tools: [book]}", "dead-end"), ("{tools: [book], transitions: [{event: BOOKED, target: BOOKING}]}", "trap")],
)
def test_a_state_without_a_way_to_the_end_is_an_error(booking: str, rule: str) -> None:
    """A conversation can enter a state that it can never finish from, and nothing says so (statepilot).

    fsmc: every reachable state must have a way to a terminal one; the finding shows the shortest run into the trap.
    """
    text = GOOD.replace("{tools: [book], transitions: [{event: BOOKED, target: DONE}]}", booking)
    text = text.replace("initial: TRIAGE", "initial: TRIAGE\ntopology: cyclic")
    (finding,) = errors(text)
    assert (finding.rule, finding.trace[0]) == (rule, "TRIAGE --CLASSIFIED--> BOOKING")


def test_two_rules_that_contradict_each_other_are_found() -> None:
    """Two rules that exclude each other are both accepted, and only one can ever act (acel-core).

    fsmc: a candidate that an earlier one always beats is a finding.
    """
    text = GOOD.replace(
        "{event: BOOKED, target: DONE}", "{event: BOOKED, target: DONE}, {event: BOOKED, target: LATER}"
    )
    assert "shadowed-transition" in [
        finding.rule for finding in lint_text(text + "  LATER: {type: terminal}\n", "p.yaml")
    ]


@pytest.mark.parametrize("limit", ["0", "-1", "2.5", "true", ".nan", ".inf", "1e400", '"3"', "null", "[]"])
@pytest.mark.parametrize("word", ["limit", "repeated"])
def test_a_budget_is_a_positive_whole_number(word: str, limit: str) -> None:
    """A budget of zero, NaN or nothing is accepted, and is then spent from the start or never.

    fsmc: limits are whole numbers from 1; everything else is an error.
    """
    assert errors(GOOD.replace("{tools: [book],", f"{{tools: [book], tool_budget: {{{word}: {limit}}},"))


def test_a_spent_budget_needs_a_way_out() -> None:
    """The handbook promises an escalation, but its example names no state to escalate to.

    fsmc: a budget after which a state can do nothing more is a finding.
    """
    text = GOOD.replace("{tools: [book],", "{tools: [book], tool_budget: {limit: 2},")
    assert "budget-without-exit" in [finding.rule for finding in lint_text(text, "policy.yaml")]


def test_one_policy_in_three_formats_is_one_table(tmp_path: Path) -> None:
    """The engine, the tester and the linter of one product read the same file differently (Microsoft AGT).

    fsmc: one reader, one schema, one table: YAML, TOML and JSON of the same policy have the same digest.
    """
    (tmp_path / "a.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "a.json").write_text(json.dumps(yaml.safe_load(GOOD)), encoding="utf-8")
    (tmp_path / "a.toml").write_text(
        """\
fsmc = 1
id = "clinic"
initial = "TRIAGE"
[tools]
classify = {effect = "read", emits = [{event = "CLASSIFIED"}]}
book = {emits = [{event = "BOOKED"}]}
[states]
TRIAGE = {tools = ["classify"], transitions = [{event = "CLASSIFIED", target = "BOOKING"}]}
BOOKING = {tools = ["book"], transitions = [{event = "BOOKED", target = "DONE"}]}
DONE = {type = "terminal"}
""",
        encoding="utf-8",
    )
    assert len({fsmc.load(tmp_path / f"a.{suffix}").digest for suffix in ("yaml", "json", "toml")}) == 1


ODD_NAMES = ["toString", "__class__", "keys", "constructor", "A:B", 'say "hi"', "[*]", "end", "état ✓"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_name_is_only_a_name(name: str) -> None:
    """A state named like a member of the language's objects crashes the machine, and one with a colon breaks the
    diagram.

    fsmc: names are data; diagrams number states and quote what they are called.
    """
    quoted = json.dumps(name)
    odd = table(GOOD.replace("BOOKING", quoted).replace("[book]", f"[{quoted}]").replace("  book:", f"  {quoted}:"))
    session = odd.session()
    with session.call("classify") as call:
        call.result = "ok"
    assert (session.state, session.allowed_tools) == (name, (name,))
    for format in ("mermaid", "dot"):
        picture = fsmc.render(odd, format, tools=True)
        assert isinstance(picture, str) and picture.count("\n") > 3


def test_names_that_look_like_numbers_keep_their_order() -> None:
    """Tools named `10` and `2` are reordered, because the host language sorts such keys.

    fsmc: what a state offers stands in the order in which it is written, always.
    """
    numbers = table(GOOD.replace("[book]", '["10", "2", book]').replace("  book:", '  "2": {}\n  "10": {}\n  book:'))
    assert numbers.states["BOOKING"].tools == ("10", "2", "book")


def test_diagrams_show_the_moves() -> None:
    """The diagram shows no edges, and every state as start and end at once.

    fsmc: edges, fallbacks and ends are drawn from the table that runs; a test keeps the two in step.
    """
    drawn = fsmc.render(table(GOOD))
    assert isinstance(drawn, str)
    assert drawn.count("-->") == 4 and drawn.count("[*] -->") == 1 and drawn.count("--> [*]") == 1


def test_a_schema_that_nothing_can_check_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema in a form that the library does not know is accepted, and every argument passes it.

    fsmc: a schema that is wrong is a finding; one that nothing installed can judge keeps the session from starting.
    """
    wrong = GOOD.replace("  book: {", "  book: {input_schema: {type: strng}, ")
    assert errors(wrong)
    rare = GOOD.replace(
        "  book: {", "  book: {input_schema: {type: object, unevaluatedProperties: false, anyOf: [{}]}, "
    )
    assert errors(rare) == []
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(BindingError, match="needs the jsonschema package"):
        table(rare).session()


def test_lint_does_not_explode() -> None:
    """Eight independent rules take 106 seconds to check, and every two more multiply that (ltl-harness).

    fsmc: the machine is explicit, so findings cost no more than a walk over it.
    """
    names = [f"T{number}" for number in range(60)]
    tools = "".join(f"  {name}: {{emits: [{{event: {name}}}]}}\n" for name in names)
    states = "".join(
        f"  S{number}: {{tools: {json.dumps(names)}, transitions: [{{event: {name}, target: S{number + 1}}}]}}\n"
        for number, name in enumerate(names)
    )
    text = f"fsmc: 1\nid: big\ninitial: S0\ntools:\n{tools}states:\n{states}  S60: {{type: terminal}}\n"
    began = time.process_time()
    assert errors(text) == []
    assert time.process_time() - began < 5
