"""Comments that tell lint to ignore something: what they cover in each format, and what they never do."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fsmc
from fsmc.api import table_of
from fsmc.linter import lint_document, lint_text, load_policy
from fsmc.source import parse

TOML = """\
fsmc = 1
id = "t"
initial = "A"

[[states.A.transitions]]
event = "GO"
target = "B"

[[states.A.transitions]]
event = "END"
target = "D"

[states.B]
description = "waits"
meta.note = "x"
[states.B.meta.more]
a = 1

[states.C]
transitions = [
  {event = "GO", target = "B"},
  {event = "END", target = "D"},
]

[states.D]
type = "terminal"
"""


def codes(text: str, name: str = "p.yaml") -> list[tuple[str, int]]:
    return [(finding.code, finding.line) for finding in lint_text(text, name)]


def with_lines(text: str, **before: str) -> str:
    """*text* with a line before the first line that holds a word."""
    lines = text.split("\n")
    for word, comment in before.items():
        lines.insert(next(number for number, line in enumerate(lines) if word in line), comment)
    return "\n".join(lines)


def test_toml_has_the_findings_that_the_tests_hide() -> None:
    assert codes(TOML, "p.toml") == [("FSM208", 13), ("FSM206", 19)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (TOML.replace("[states.B]", "[states.B]  # fsmc: ignore[dead-end]"), ["FSM206"]),
        (TOML.replace("[states.C]", "# fsmc: ignore[unreachable-state]\n[states.C]"), ["FSM208"]),
        (TOML.replace("[states.B]", "# fsmc: ignore[FSM208, FSM206]\n[states.B]"), ["FSM206"]),
        ("# fsmc: ignore-file[FSM208, FSM206] a draft\n" + TOML, []),
        (TOML.replace('"waits"', '"waits # fsmc: ignore[nonsense]"'), ["FSM208", "FSM206"]),
        (TOML.replace('"waits"', "'''\n# fsmc: ignore[nonsense]\n'''"), ["FSM208", "FSM206"]),
        (TOML.replace('"waits"', '"waits" #fsmc: ignore[nonsense]'), ["FSM017", "FSM208", "FSM206"]),
    ],
)
def test_comments_in_toml(text: str, left: list[str]) -> None:
    found = [code for code, _ in codes(text, "p.toml")]
    assert sorted(found) == sorted(left)


def test_the_line_that_opens_a_block_of_text_may_have_a_comment() -> None:
    text = "fsmc: 1\nid: t\ninitial: A\ndescription: |  # fsmc: ignore[{}]\n  # fsmc: ignore[nonsense]\nstates:\n  A:\n"
    text += "    transitions: [{{event: GO, target: B}}]\n  B: {{type: terminal}}\n"
    assert codes(text.format("dead-end")) == [("FSM016", 4)]
    assert codes(text.format("dead-ends")) == [("FSM017", 4)]


def test_a_table_with_a_header_goes_on_to_the_next_one_that_is_not_below_it() -> None:
    wrong = TOML.replace('"B"', '"NOPE"').replace('"D"', '"NEVER"', 1)
    assert [line for code, line in codes(wrong, "p.toml") if code == "FSM101"] == [7, 11, 21]
    first = wrong.replace("[[states.A", "# fsmc: ignore[undefined-state]\n[[states.A", 1)
    assert [line for code, line in codes(first, "p.toml") if code == "FSM101"] == [12, 22]
    item = with_lines(wrong, **{"{event": "  # fsmc: ignore[undefined-state]"})
    assert [line for code, line in codes(item, "p.toml") if code == "FSM101"] == [7, 11]


def test_json_has_no_comments() -> None:
    text = '{"fsmc": 1, "id": "t", "initial": "A", "description": "# fsmc: ignore[x]", "states": {"A": {"type": "terminal"}}}'
    assert all(code not in ("FSM016", "FSM017") for code, _ in codes(text, "p.json"))


@pytest.mark.parametrize(
    "text",
    [
        "# fsmc: ignore-file[FSM010, FSM001]\nfsmc: 1\nid: t\nintial: A\nstates: {A: {type: terminal}}\n",
        "# fsmc: ignore-file[FSM001]\nfsmc: [\n",
        "# fsmc: ignore-file[duplicate-key]\nfsmc: 1\nid: t\nid: t\ninitial: A\nstates: {A: {type: terminal}}\n",
    ],
)
def test_what_keeps_a_policy_from_being_read_is_never_hidden(text: str) -> None:
    document = parse(text.encode())
    errors = [finding for finding in load_policy(document)[1] if finding.level == "error"]
    assert errors and errors == [finding for finding in lint_document(document) if finding.level == "error"]


def test_a_policy_that_lint_was_told_to_accept_is_not_compiled() -> None:
    document = parse(with_lines(TOML, **{"states.B]": "# fsmc: ignore[dead-end]"}).encode(), "p.toml")
    assert [finding.code for finding in lint_document(document)] == ["FSM206"]
    with pytest.raises(fsmc.PolicyError, match="FSM208"):
        table_of(document)


def test_windows_line_ends_and_an_unfinished_last_line() -> None:
    text = "fsmc: 1\r\nid: t\r\ninitial: A\r\nstates:\r\n  A:\r\n    transitions: [{event: GO, target: B}, {event: END, target: C}]\r\n"
    text += "  C: {type: terminal}\r\n  # fsmc: ignore[dead-end]\r\n  B: {}"
    assert codes(text) == []
    assert codes(text.replace("\r\n  B: {}", "").replace("target: B", "target: C")) == [("FSM016", 8)]


MANY = 40
NAMES = [f"S{number}" for number in range(MANY)]


def waiting(comments: dict[int, str]) -> str:
    """A policy with a dead end on each of many lines, some with a comment."""
    moves = "".join(f"      - {{event: GO_{name}, target: {name}}}\n" for name in NAMES)
    states = "".join(f"  {name}: {{}}{comments.get(number, '')}\n" for number, name in enumerate(NAMES))
    head = "fsmc: 1\nid: t\ninitial: A\nstates:\n  A:\n    transitions:\n      - {event: END, target: Z}\n"
    return head + moves + "  Z: {type: terminal}\n" + states


@given(st.sets(st.integers(0, MANY - 1)), st.sampled_from(["dead-end", "FSM208", "fsm208", "dead-end, FSM405"]))
def test_a_comment_never_hides_another_line(chosen: set[int], rules: str) -> None:
    plain = [line for code, line in codes(waiting({})) if code == "FSM208"]
    found = codes(waiting(dict.fromkeys(chosen, f"  # fsmc: ignore[{rules}]")))
    assert [line for code, line in found if code == "FSM208"] == [
        line for number, line in enumerate(plain) if number not in chosen
    ]


def test_thousands_of_comments_are_bounded() -> None:
    text = with_lines(waiting({}), **{"S0: {}": "\n".join(["  # fsmc: ignore[dead-end]"] * 50_000)})
    before = time.process_time()
    found = lint_text(text)
    assert time.process_time() - before < 5
    assert [f.message for f in found if f.code == "FSM017"] == ["only the first 1,000 of these comments count"]


def test_a_text_without_such_a_comment_is_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmc.suppression.suppressed", None)
    assert ("FSM208", 13) in codes(TOML, "p.toml")
