"""Structure errors: what is said, where, and what is not said."""

from __future__ import annotations

import pytest

from fsmc.findings import Finding
from fsmc.linter import lint_text

HEAD = "fsmc: 1\nid: t\ninitial: A\n"
STATES = "states: {A: {type: terminal}}\n"


def said(text: str, name: str = "policy.yaml") -> list[tuple[int, int, str, str, str | None]]:
    return [(f.line, f.column, f.code, f.message, f.hint) for f in lint_text(text, name)]


def only(text: str, name: str = "policy.yaml") -> Finding:
    findings = lint_text(text, name)
    assert len(findings) == 1, findings
    return findings[0]


@pytest.mark.parametrize(
    ("text", "where", "code", "message", "hint"),
    [
        ("", (1, 1), "FSM001", None, None),
        ("- a\n- b\n", (1, 1), "FSM006", "a policy is a mapping with the key `fsmc`; this file holds a list", None),
        ("just words\n", (1, 1), "FSM006", "a policy is a mapping with the key `fsmc`; this file holds text", None),
        ("id: t\nstates: {}\n", (1, 1), "FSM006", "not a policy: the key `fsmc` is missing", "a policy starts with `fsmc: 1`"),
        ("id: t\nfmsc: 1\n", (2, 1), "FSM006", "not a policy: the key `fsmc` is missing", "is `fmsc` meant to be `fsmc`?"),
        ('fsmc: "1"\n', (1, 7), "FSM011", "`fsmc` must be the number 1, not the text `1`", "write it without quotes"),
        ("fsmc: 2\n", (1, 7), "FSM013", "language version 2 is not supported: this fsmc reads version 1",
         "write `fsmc: 1`, or use a newer fsmc"),
        ("fsmc: true\n", (1, 7), "FSM011", "`fsmc` must be 1, the version of the language, not `true`", None),
        ("fsmc: 1\n", (1, 1), "FSM012", "the policy needs the keys `id`, `initial` and `states`", None),
        (HEAD + "states: {}\n", (4, 9), "FSM013", "`states` must not be empty", None),
        (HEAD + "states:\n", (4, 1), "FSM011", "`states` is empty; it must be a mapping", None),
        (HEAD + STATES + "topology: dga\n", (5, 11), "FSM013", "`topology` must be one of `dag`, `cyclic` or `open`, not `dga`",
         "did you mean `dag`?"),
        (HEAD + STATES + "retry: {}\n", (5, 1), "FSM010", "unknown key `retry` in the policy",
         "retries: planned, but not supported by this version; remove the key"),
        (HEAD + STATES + "toools: {}\n", (5, 1), "FSM010", "unknown key `toools` in the policy", "did you mean `tools`?"),
        (HEAD + STATES + "long_running: yes\n", (5, 15), "FSM011", "`long_running` must be true or false, not text",
         "`yes` is text in YAML 1.2: write `true`"),
        (HEAD + "states:\n  A:\n    tols: []\n", (6, 5), "FSM010", "unknown key `tols` in state `A`", "did you mean `tools`?"),
        (HEAD + "states:\n  A: {timeout: 3s}\n", (5, 7), "FSM010", "unknown key `timeout` in state `A`", None),
        (HEAD + "states: {A: {tools: t}}\n", (4, 21), "FSM011", "`tools` of state `A` must be a list, not text", "put it in a list"),
        (HEAD + "states: {A: {tool_budget: {fallback: A}}}\n", (4, 14), "FSM012",
         "`tool_budget` of state `A` needs `limit` or `repeated`", None),
        (HEAD + "states: {A: {tool_budget: {limt: 3}}}\n", (4, 28), "FSM010",
         "unknown key `limt` in `tool_budget` of state `A`", "did you mean `limit`?"),
        (HEAD + "states:\n  A:\n    transitions:\n      - {event: E}\n", (7, 9), "FSM012",
         "transition 1 of state `A` needs the key `target`", None),
        (HEAD + "states: {A: {transitions: [{event: E, trget: A}]}}\n", (4, 39), "FSM010",
         "unknown key `trget` in transition 1 of state `A`", "did you mean `target`?"),
        (HEAD + "states: {A: {max_visits: 0}}\n", (4, 26), "FSM013", "`max_visits` of state `A` must be at least 1, not `0`", None),
        (HEAD + "states: {A: {max_visits: '3'}}\n", (4, 26), "FSM011",
         "`max_visits` of state `A` must be a whole number, not the text `3`", "write it without quotes"),
        (HEAD + STATES + "version: 1.0\n", (5, 10), "FSM011", "`version` must be text, not `1.0`", "put it in quotes"),
        (HEAD + STATES + "guards: {g: {}}\n", (5, 10), "FSM012", "guard `g` needs exactly one of `expr` and `external`", None),
        (HEAD + STATES + "guards: {g: {expr: 'true', external: true}}\n", (5, 28), "FSM013",
         "guard `g` needs exactly one of `expr` and `external`, and has both", None),
        (HEAD + STATES + "tools: {t: {approval: {expires: 5 minutes}}}\n", (5, 33), "FSM013",
         "`approval.expires` of tool `t` is not a duration: `5 minutes`",
         "write `250ms`, `30s`, `5m`, `2h`, or a number of seconds"),
        (HEAD + STATES + "tools: {t: {emits: []}}\n", (5, 20), "FSM013", "`emits` of tool `t` must not be empty", None),
        (HEAD + STATES + "tools: {t: {emits: [{when: 'true'}]}}\n", (5, 21), "FSM012",
         "outcome 1 of tool `t` needs `event` or `set`", None),
        (HEAD + STATES + 'tools: {"a\\tb": {}}\n', (5, 9), "FSM013",
         "the name `a\\tb` in `tools` contains the control character U+0009", "names may not contain control characters"),
        (HEAD + STATES + 'tools: {"": {}}\n', (5, 9), "FSM013", "a name in `tools` is empty", None),
        (HEAD + STATES + "tools: {t: {input_schema: {type: objekt}}}\n", (5, 34), "FSM013", None, "did you mean `object`?"),
        (HEAD + STATES + "tools: {t: {input_schema: {$ref: 'http://x/y'}}}\n", (5, 34), "FSM013",
         "`input_schema.$ref` of tool `t` must start with `#`: it may only point into its own schema, not to `http://x/y`", None),
        (HEAD + STATES + "context: {timeout: 3}\n", (5, 11), "FSM010", "unknown key `timeout` in `context`",
         "not a keyword of JSON Schema 2020-12; keywords of your own start with `x-`"),
    ],
)  # fmt: skip
def test_one_problem(text: str, where: tuple[int, int], code: str, message: str | None, hint: str | None) -> None:
    finding = only(text)
    assert (finding.line, finding.column) == where
    assert finding.code == code
    assert message is None or finding.message == message
    assert hint is None or finding.hint == hint


def test_known_keys_are_listed_where_none_is_near() -> None:
    finding = only(HEAD + "states: {A: {transitions: [{event: E, target: A, zzz: 1}]}}\n")
    assert finding.hint == "known keys: `event`, `target`, `guard`, `set`, `description`, `meta`"


def test_places_in_toml_and_json() -> None:
    toml = 'fsmc = 1\nid = "t"\ninitial = "A"\n[states.A]\ntype = "final"\n'
    assert (only(toml, "p.toml").line, only(toml, "p.toml").column) == (5, 8)
    finding = only('{"fsmc": 1, "id": "t", "initial": "A",\n "states": {"A": {"typ": "terminal"}}}', "p.json")
    assert (finding.line, finding.column, finding.length) == (2, 19, 5)


def test_several_in_the_order_of_the_text() -> None:
    text = "fsmc: 1\nintial: A\nid: 3\nstates: {A: {tools: 1}, B: []}\n"
    assert [(line, code) for line, _, code, _, _ in said(text)] == [
        (2, "FSM010"),
        (3, "FSM011"),
        (4, "FSM011"),
        (4, "FSM011"),
    ]


def test_a_duplicate_key_does_not_hide_the_structure() -> None:
    assert [code for _, _, code, _, _ in said(HEAD + HEAD + STATES + "topology: x\n")] == [*["FSM002"] * 3, "FSM013"]


def test_many_problems_are_counted_not_listed() -> None:
    text = HEAD + "states:\n" + "".join(f"  S{i}: {{tols: []}}\n" for i in range(120))
    findings = said(text)
    assert len(findings) == 51
    assert findings[-1][3] == "and 70 more from here on"


def test_an_alias_is_reported_once() -> None:
    text = HEAD + "states:\n  A: &a {transitions: [{event: E}]}\n  B: *a\n  C: *a\n"
    assert len(said(text)) == 1


def test_deep_schemas_do_not_break_the_judge() -> None:
    deep = "{items: " * 90 + "{typ: x}" + "}" * 90
    findings = said(HEAD + STATES + f"context: {deep}\n")
    assert len(findings) == 1
    assert findings[0][2] in ("FSM010", "FSM013")


def test_of_very_many_problems_the_first_are_shown() -> None:
    text = HEAD + "states:\n" + "".join(f"  S{i}: {{tols: []}}\n" for i in range(3000))
    findings = said(text)
    assert [line for line, *_ in findings] == list(range(5, 56))
    assert findings[-1][3] == "and at least 450 more from here on"


@pytest.mark.parametrize("word", ["yes", "on", "Yes", "no", "off", "n", "true", "FALSE"])
@pytest.mark.parametrize(
    "line",
    ["long_running: %s", "tools: {t: {approval: %s}}", "guards: {g: {external: %s}}", "context: {uniqueItems: %s}"],
)
def test_a_word_for_true_or_false_is_text(line: str, word: str) -> None:
    finding = only(HEAD + STATES + (line % f"'{word}'") + "\n")
    meant = "true" if word.lower() in ("yes", "on", "true") else "false"
    assert finding.hint is not None
    assert f"write `{meant}`" in finding.hint


@pytest.mark.parametrize("word", ["final", "end", "accepting", "Final", "termnial"])
def test_other_words_for_terminal(word: str) -> None:
    assert only(HEAD + f"states: {{A: {{type: {word}}}}}\n").hint == "did you mean `terminal`?"


@pytest.mark.parametrize("word", ["xyz", "nothing", "initialize-me-please"])
def test_no_far_fetched_suggestion(word: str) -> None:
    assert only(HEAD + f"states: {{A: {{type: {word}}}}}\n").hint is None


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ('""', "a value of `set` is an expression: the empty text is '\"\"'"),
        ("[]", 'a value of `set` is an expression, written as text: "[]"'),
        ("3", 'a value of `set` is an expression, written as text: "3"'),
        ("true", 'a value of `set` is an expression, written as text: "true"'),
        ("{}", "a value of `set` is an expression, written as text"),
    ],
)
def test_constants_in_a_set(value: str, hint: str) -> None:
    finding = only(HEAD + f"states: {{A: {{transitions: [{{event: E, target: A, set: {{x: {value}}}}}]}}}}\n")
    assert finding.hint == hint
