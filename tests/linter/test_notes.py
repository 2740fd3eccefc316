"""What is worth knowing about the text: scalars that other YAML tools read otherwise, a byte order mark."""

from __future__ import annotations

import pytest

from fsmc.findings import Finding
from fsmc.linter import lint_document, lint_text
from fsmc.report import exit_code
from fsmc.source import parse
from fsmc.source.reading import MAX_NOTES

HEAD = "fsmc: 1\nid: t\ninitial: A\nstates: {A: {transitions: [{event: E, target: B}]}, B: {type: terminal}}\n"
OTHERWISE = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), "true"),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), "false"),
    **{"010": "the number 8", "-010": "the number -8", "08": "text", "0o17": "text", "0b11": "the number 3"},
    **{"1_000": "the number 1000", "1_0.5": "the number 10.5", "-0x1F": "the number -31"},
    **{
        "12:30:45": "the number 45045",
        "12:30": "the number 750",
        "-1:30": "the number -90",
        "1:30.5": "the number 90.5",
    },
    **{"2024-01-02": "a date", "2024-01-02T10:00:00Z": "a date", "2024-1-2 10:00:00 +1": "a date"},
    **{"1e3": "text", "1.5e3": "text", "1e30": "text", "=": "a default value", "<<": "a merge"},
}
ALIKE = (
    "oN", "yep", "none", "null", "~", "true", "FALSE", "0", "00", "07", "-0", "1", "+1", "-5", "0x1F", "1.", ".5", "-.5", "1.5e+3",
    "1.2.3", "3rd", "v1", "-x", "0b", "0x_", "09.5", "12:3x", "24-01-02", "_1", "1" * 70 + "_",
)  # fmt: skip


def notes(text: str) -> list[Finding]:
    return [finding for finding in lint_text(text) if finding.code == "FSM007"]


@pytest.mark.parametrize("text", OTHERWISE)
def test_a_scalar_that_yaml_1_1_reads_otherwise(text: str) -> None:
    (finding,) = notes(f"{HEAD}meta: {{x: {text}, z: '{text}', w: !!str {text}}}\n")
    assert (finding.line, finding.column, finding.level) == (5, 11, "info")
    assert f", but {OTHERWISE[text]} to tools that read YAML 1.1" in finding.message
    assert finding.hint is not None and f'"{text}"' in finding.hint


@pytest.mark.parametrize("text", ALIKE)
def test_a_scalar_that_all_read_alike(text: str) -> None:
    assert notes(f"{HEAD}meta: {{x: {text}}}\n") == []


def test_a_number_is_mended_by_one_that_all_read_alike() -> None:
    for text in ("010", "1e3", "1e30", "15e-9", "0o17"):
        (finding,) = notes(f"{HEAD}meta: {{x: {text}}}\n")
        assert finding.hint is not None
        written = finding.hint.split()[1].rstrip(",")
        assert notes(f"{HEAD}meta: {{x: {written}}}\n") == []
        assert parse(written.encode(), "x.yaml").root == parse(text.encode(), "x.yaml").root


def test_keys_anchors_and_aliases_are_noted_where_they_are_written() -> None:
    found = notes(f"{HEAD}meta:\n  on: &a no\n  x: *a\n  z: {{<<: {{q: 1}}, w: &b <<}}\n")
    assert [(finding.line, finding.column) for finding in found] == [(6, 3), (6, 10), (8, 25)]


def test_where_a_finding_says_what_to_do_nothing_is_noted() -> None:
    assert [f.code for f in lint_text(HEAD + "long_running: yes\n")] == ["FSM011"]
    assert [f.code for f in lint_text(HEAD + "meta: {010: x}\n")] == ["FSM003"]


def test_notes_are_capped_and_change_no_exit_code() -> None:
    findings = lint_text(HEAD + "meta: {x: [" + "on, " * 500 + "on]}\n")
    assert len(findings) == MAX_NOTES
    assert exit_code(findings, "error") == exit_code(findings, "warning") == 0


def test_toml_and_json_have_no_such_scalars() -> None:
    toml = 'fsmc = 1\nid = "on"\ninitial = "y"\nstates.y.transitions = [{event = "no", target = "n"}]\nstates.n.type = "terminal"\n'
    assert lint_text(toml, "p.toml") == []
    json = '{"y": {"transitions": [{"event": "no", "target": "n"}]}, "n": {"type": "terminal"}}'
    assert (
        lint_text(f'{{"fsmc": 1, "id": "1_0", "initial": "y", "meta": {{"y": 1e3}}, "states": {json}}}', "p.json") == []
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.yaml", HEAD),
        ("p.toml", 'fsmc = 1\nid = "t"\ninitial = "A"\n[states.A]\ntype = "terminal"\n'),
        ("p.json", '{"fsmc": 1, "id": "t", "initial": "A", "states": {"A": {"type": "terminal"}}}'),
    ],
)
def test_a_byte_order_mark_is_noted(name: str, text: str) -> None:
    plain = lint_document(parse(text.encode(), name))
    marked = lint_document(parse(text.encode("utf-8-sig"), name))
    (note,) = [finding for finding in marked if finding not in plain]
    assert (note.code, note.level, note.line, note.column) == ("FSM008", "info", 1, 1)
    assert len(marked) == len(plain) + 1


def test_of_a_text_that_cannot_be_read_nothing_is_noted() -> None:
    assert [finding.code for finding in lint_document(parse(b"\xef\xbb\xbfa: on\nb: [", "p.yaml"))] == ["FSM001"]
