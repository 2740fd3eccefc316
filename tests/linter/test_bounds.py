"""Files full of one mistake are linted and reported quickly, and one mistake in the text is one finding."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from fsmc.linter import MAX_HITS, lint_document, lint_text
from fsmc.report import report
from fsmc.report.checked import Checked
from fsmc.source import parse
from fsmc.spelling import bounded, nearest

HEAD = "fsmc: 1\nid: t\ninitial: A\n"
MOVES = "states: {A: {transitions: [%s]}, B: {type: terminal}}\n"


def moves(count: int, move: Callable[[int], str]) -> str:
    return MOVES % ", ".join(map(move, range(count)))


def named(key: str, count: int, body: str) -> str:
    return f"{key}: {{{', '.join(f'{key}_{i}: {body}' for i in range(count))}}}\n"


FULL_OF = {
    "undefined guards": ("yaml", HEAD + moves(20_000, lambda i: f"{{event: E{i}, target: B, guard: g{i}}}")),
    "misspelt guards": (
        "yaml",
        HEAD + named("guards", 5_000, "'true'") + moves(10_000, lambda i: f"{{event: E{i}, target: B, guard: guard_{i}}}"),
    ),
    "undefined states": ("yaml", HEAD + moves(20_000, lambda i: f"{{event: E, target: B{i}}}")),
    "unknown fields": (
        "yaml",
        HEAD
        + "context: {type: object, additionalProperties: false, "
        + named("properties", 3_000, "{type: integer}").rstrip("\n")
        + "}\n"
        + moves(20_000, lambda i: f"{{event: E{i}, target: B, guard: context.propertie_{i} > 1}}"),
    ),
    "unknown states in expressions": (
        "yaml",
        HEAD
        + f"states: {{B: {{type: terminal}}, {', '.join(f'S_{i}: {{type: terminal}}' for i in range(8_000))}, "
        + f"A: {{transitions: [{', '.join(f'{{event: E, target: B, guard: state == `s{i}`}}' for i in range(8_000))}]}}}}\n"
        .replace("`", '"'),
    ),
    "broken expressions": ("yaml", HEAD + moves(20_000, lambda i: f"{{event: E{i}, target: B, guard: a{i} &}}")),
    "unknown keys": ("yaml", "fsmc: 1\n" + "".join(f"a{i}: 1\n" for i in range(140_000))),
    "unknown keys in one line": ("json", '{"fsmc": 1, ' + ", ".join(f'"a{i}": 1' for i in range(140_000)) + "}"),
    "unknown tables": ("toml", "fsmc = 1\n" + "".join(f"[a{i}]\n" for i in range(100_000))),
    "tables": ("toml", "".join(f"[a{i}]\n" for i in range(100_000))),
    "equal keys in one line": ("yaml", "{fsmc: 1, " + ", ".join("a: 1" for _ in range(100_000)) + "}"),
    "tags behind a long text": ("yaml", '{a: "' + "y" * 3_000_000 + '", b: [' + "!t x, " * 900 + "]}"),
    "scalars of YAML 1.1": ("yaml", "fsmc: 1\nmeta: [" + "".join(f"1_{i}, " for i in range(150_000)) + "on]\n"),
    "comments above one line": ("yaml", "{\n" + "# nothing\n" * 50_000 + "!t a, " * 900 + "}"),
}  # fmt: skip


@pytest.mark.parametrize("name", FULL_OF)
def test_a_file_full_of_one_mistake(name: str) -> None:
    format, text = FULL_OF[name]
    started = time.process_time()
    document = parse(text.encode(), f"p.{format}")
    findings = lint_document(document)
    shown = report("text", Checked(findings, {document.path: document}))
    assert time.process_time() - started < 3
    assert findings and len(shown) < 2_000 * len(findings)


def test_of_very_many_hits_of_a_rule_the_first_are_listed() -> None:
    findings = lint_text(HEAD + moves(MAX_HITS, lambda i: f"{{event: E, target: B{i}}}"))
    assert [finding.message for finding in findings if "more" in finding.message] == []
    findings = [
        f for f in lint_text(HEAD + moves(3_000, lambda i: f"{{event: E{i}, target: B{i}}}")) if f.code == "FSM101"
    ]
    assert len(findings) == MAX_HITS + 1
    assert findings[-1].message == "and more like this: only the first 1,000 are listed"


def test_searches_for_a_near_name_are_bounded_together() -> None:
    known = [f"name_{i}" for i in range(1_000)]
    with bounded():
        found = [nearest(f"nam_{i}", known) for i in range(200)]
    assert found[0] == "name_0" and found[-1] is None
    assert nearest("nam_199", known) == "name_199"


@pytest.mark.parametrize(("word", "meant"), [("G0", "GO"), ("l1", "L1"), ("GX", None), ("GOO", "GO"), ("OG", None)])
def test_short_names(word: str, meant: str | None) -> None:
    assert nearest(word, ["GO", "L1"]) == meant


def test_nothing_is_said_about_the_structure_of_what_was_not_read() -> None:
    findings = lint_text("a = 1\na = 2\n", "p.toml")
    assert [(finding.code, finding.line) for finding in findings] == [("FSM002", 2)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: &m {<<: *m}\n", "FSM003"),
        ("a: &m {<<: [*m, {b: 1}]}\n", "FSM003"),
        ("a: {<<: *m}\n", "FSM001"),
        ("*m : 1\n", "FSM001"),
    ],
)
def test_a_refused_alias_is_one_finding(text: str, code: str) -> None:
    assert [finding.code for finding in lint_text(text)] == [code]
    assert [finding.code for finding in lint_text(text + "b: {<<: 1}\n")] == [code, "FSM003"]
