"""What a reader gives for small texts that a person can check by eye."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fsmc.source import MappingNode, Place, SequenceNode, parse

REPOSITORY = Path(__file__).parents[2]
YAML = """\
# A policy
initial: A
states:
  A:
    transitions:
      - {event: GO, target: "B"}
  B: {type: terminal}
"""
TOML = """\
# A policy
initial = "A"
[states.A]
transitions = [
  {event = "GO", target = "B"},
]
[states]
B.type = 'terminal'
"""
JSON = """\
{
  "initial": "A",
  "states": {
    "A": {
      "transitions": [
        {"event": "GO", "target": "B"}
      ]},
    "B": {"type": "terminal"}
  }
}
"""


@pytest.mark.parametrize(
    ("format", "text", "expected"),
    [
        # Places of: the key "initial", its value, the transition, its "target", that value.
        ("yaml", YAML, [(2, 1), (2, 10), (6, 9), (6, 21), (6, 29)]),
        ("toml", TOML, [(2, 1), (2, 11), (5, 3), (5, 18), (5, 27)]),
        ("json", JSON, [(2, 3), (2, 14), (6, 9), (6, 25), (6, 35)]),
    ],
)
def test_places_in_three_formats(format, text, expected, read_text):
    document = read_text(text, format)
    assert document.problems == ()
    root = document.root
    transitions = root["states"]["A"]["transitions"]
    assert [
        root.key_place("initial"),
        root.value_place("initial"),
        transitions.value_place(0),
        transitions[0].key_place("target"),
        transitions[0].value_place("target"),
    ] == expected
    assert transitions.value_place(-1) == transitions[0].place


def test_three_formats_give_equal_trees(read_text):
    yaml, toml, json_ = (
        read_text(text, format).root for text, format in ((YAML, "yaml"), (TOML, "toml"), (JSON, "json"))
    )
    assert yaml == toml == json_ == json.loads(JSON)
    assert isinstance(yaml, MappingNode) and isinstance(toml["states"], MappingNode)
    assert isinstance(json_["states"]["A"]["transitions"], SequenceNode)


def test_toml_headers(read_text):
    root = read_text("[a.b]\nc.'d' = 1\n[[a.list]]\n[[a.list]]\nx = 1\n[a]\nz = 2\n", "toml").root
    assert root == {"a": {"b": {"c": {"d": 1}}, "list": [{}, {"x": 1}], "z": 2}}
    assert root.key_place("a") == (1, 2)
    assert root["a"].key_place("b") == (1, 4)
    assert root["a"].value_place("b") == root["a"]["b"].place == (1, 1)
    assert root["a"]["b"]["c"].key_place("d") == (2, 3)
    assert root["a"]["list"].value_place(1) == (4, 1)
    assert root["a"]["list"][1].key_place("x") == (5, 1)


def test_an_alias_has_its_own_place_and_shares_the_value(read_text):
    root = read_text("a: &x !!map {k: v}\nb: *x\n").root
    assert root["a"] is root["b"]
    assert root.value_place("b") == (2, 4)
    assert root["b"].place == root.value_place("a") == (1, 13)


def test_merged_entries_keep_the_place_of_their_origin(read_text):
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc:\n  <<: [*a, *b]\n  z: 3\n"
    document = read_text(text)
    assert document.problems == ()
    merged = document.root["c"]
    assert merged == {"x": 1, "y": 1, "z": 3}
    assert (merged.key_place("x"), merged.value_place("y")) == ((1, 8), (1, 17))
    assert merged.key_place("z") == (5, 3)
    assert read_text('"<<": {a: 1}').root == {"<<": {"a": 1}}
    assert read_text("a: <<").root == {"a": "<<"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("No", "No"),
        ("y", "y"),
        ("2026-01-01", "2026-01-01"),
        ("12:30:45", "12:30:45"),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("1e3", 1000.0),
        ("+.5", 0.5),
        ("1_000", "1_000"),
        ("-9223372036854775808", -(2**63)),
        ("~", None),
        ("", None),
        ("NULL", None),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
        ('!!int "5"', 5),
        ("! 5", "5"),
    ],
)
def test_yaml_core_schema(text, value, read_text):
    document = read_text(f"a: {text}\n")
    assert document.problems == ()
    assert document.root == {"a": value}
    assert type(document.root["a"]) is type(value)


@pytest.mark.parametrize("format", ["yaml", "toml", "json"])
def test_a_duplicate_key_shows_both_places(format, read_text):
    text = {
        "yaml": "a: 1\nb:\n  k: 1\n  k: 2\na: 3\n",
        "toml": "a=1\na=3\n[b]\nk=1\n'k'=2\n",
        "json": '{"a": 1, "b": {"k": 1,\n"k": 2},\n"a": 3}',
    }[format]
    document = read_text(text, format)
    assert [problem.code for problem in document.problems] == ["duplicate-key"] * 2
    for problem in document.problems:
        (first, _), second = problem.related[0], problem.place
        assert first < second
        for place in (first, second):
            assert document.line(place.line)[place.column - 1].strip("'\"") in ("a", "k", "")


@pytest.mark.parametrize(
    ("format", "text", "token"),
    [
        ("yaml", "a: some text here # why\n", "some text here"),
        ("yaml", "a: {b: one two, c: 3}\n", "{"),
        ("yaml", "a: 'it''s'\n", "'it''s'"),
        ("yaml", "a: |-\n  text\n", "|-"),
        ("yaml", "a: one,\n  two\n", "one,"),
        ("toml", 'a = "x \\" y" # no\n', '"x \\" y"'),
        ("toml", "a = 1.5\n", "1.5"),
        ("json", '{"a": [1]}', "["),
        ("json", '{"a": -1.5e3}', "-1.5e3"),
    ],
)
def test_token_length(format, text, token, read_text):
    document = read_text(text, format)
    place = document.root.value_place("a")
    start = place.column - 1
    assert document.line(1)[start : start + document.token_length(place)] == token


def test_token_length_inside_flow(read_text):
    document = read_text("a: [one two,\n  three, four: x]\n")
    assert [document.token_length(document.root["a"].value_place(i)) for i in (0, 1)] == [7, 5]
    assert document.token_length(Place(2, 10)) == 4
    assert document.token_length(Place(1, 13)) == 1  # the end of the line


@pytest.mark.parametrize(
    ("format", "text", "place"),
    [
        ("yaml", "g: a && b\n", (1, 6)),
        ("yaml", "g: 'a && b'\n", (1, 7)),
        ("yaml", 'g: "a \\u0026& b"\n', (1, 4)),
        ("yaml", "x: &x a && b\ng: *x\n", (2, 4)),
        ("toml", 'g = """a && b"""\n', (1, 10)),
        ("toml", "g = 'a && b'\n", (1, 8)),
        ("json", '{"g": "a && b"}', (1, 10)),
    ],
)
def test_place_in_scalar(format, text, place, read_text):
    document = read_text(text, format)
    value = document.root["g"]
    assert value == "a && b"
    assert document.place_in_scalar(document.root.value_place("g"), value, 2) == place


@pytest.mark.parametrize(("format", "text"), [("yaml", "é😀: {k: [1]}"), ("json", '{"é😀": {"k": [1]}}')])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_columns_count_characters_whatever_ends_a_line(format, text, line_end):
    before = f"# é{line_end}" if format == "yaml" else line_end
    data = b"\xef\xbb\xbf" + (before + text + line_end).encode()
    document = parse(data, f"x.{format}")
    assert document.problems == ()
    assert document.line(2) == text
    place = document.root["é😀"]["k"].value_place(0)
    assert place == (2, text.index("1") + 1)


def test_many_lookups_in_one_mapping_are_cheap(read_text):
    root = read_text("".join(f"k{n}: {n}\n" for n in range(20_000))).root
    assert all(root.key_place(f"k{n}").line == n + 1 for n in range(20_000))


def test_importing_the_package_imports_no_parser():
    code = (
        "import sys, fsmc.source as s; s.parse(b'{}', 'x.json');"
        "assert not {'yaml', 'tomli', 'dataclasses'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY)
