"""What other writers write, or what chance makes of it."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmc.source import parse
from fsmc.source.reading import Problems
from fsmc.source.tree import Lines
from fsmc.source.yaml_scalar import plain

settings.register_profile("source", max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("source")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["on", "1e3", "0o7", "~", "<<", "a: b", "- x", "# no", "'", '"', "{}", "a\nb", " x ", "é😀"]
)
SCALARS = TEXT | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()


def data(scalars: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
        max_leaves=15,
    )
    return st.dictionaries(TEXT, values, max_size=5)


class Dumper(yaml.SafeDumper):
    """Quotes what YAML 1.2 reads as something else than text; PyYAML knows only 1.1."""


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    is_text = plain(text, 0, Problems(Lines(""))) == text and text != "<<"
    is_text = is_text and not re.search("[\x85\u2028\u2029]", text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, None if is_text else '"')


Dumper.add_representer(str, _represent)


def toml_string(text: str) -> str:
    def escape(match: re.Match[str]) -> str:
        return f"\\U{ord(match.group()):08x}"

    return '"' + re.sub(r'[^ -~é😀]|["\\]', escape, text) + '"'


def toml_value(value: Any) -> str:
    if isinstance(value, dict):
        entries = (f"{toml_string(key)} = {toml_value(item)}" for key, item in value.items())
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, str):
        return toml_string(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def toml_text(value: dict[str, Any], path: tuple[str, ...] = ()) -> str:
    """TOML with a header for each table below a table, and for each table of a list."""
    lines = []
    tables = []
    for key, item in value.items():
        if isinstance(item, dict):
            tables.append((f"[{'.'.join(map(toml_string, (*path, key)))}]", item, key))
        elif isinstance(item, list) and item and all(isinstance(part, dict) for part in item):
            head = f"[[{'.'.join(map(toml_string, (*path, key)))}]]"
            tables += [(head, part, key) for part in item]
        else:
            lines.append(f"{toml_string(key)} = {toml_value(item)}")
    for head, item, key in tables:
        lines.append(f"{head}  # table\n{toml_text(item, (*path, key))}")
    return "\n".join(lines)


def check(text: str, format: str, expected: Any) -> None:
    document = parse(text.encode(), f"x.{format}")
    assert document.problems == ()
    assert document.root == expected
    assert json.dumps(document.root, sort_keys=True) == json.dumps(expected, sort_keys=True)


@given(data(SCALARS | st.none()), st.booleans(), st.sampled_from([None, True, False]))
def test_yaml(value, unicode, flow):
    text = yaml.dump(value, Dumper=Dumper, allow_unicode=unicode, default_flow_style=flow)
    check(text, "yaml", value)


@given(data(SCALARS | st.none()), st.booleans(), st.sampled_from([None, 1]))
def test_json(value, ascii, indent):
    check(json.dumps(value, ensure_ascii=ascii, indent=indent), "json", value)


@given(data(SCALARS))
def test_toml(value):
    check(toml_text(value), "toml", value)


@given(data(SCALARS))
def test_every_format_gives_the_same_tree(value):
    trees = [
        parse(text.encode(), name).root
        for text, name in (
            (yaml.dump(value, Dumper=Dumper), "x.yaml"),
            (json.dumps(value), "x.json"),
            (toml_text(value), "x.toml"),
        )
    ]
    assert trees[0] == trees[1] == trees[2]


SAMPLE = {
    "fsmc": 1,
    "initial": "A",
    "states": {
        "A": {"tools": ["x", "y"], "transitions": [{"event": "GO", "target": "B", "n": 1.5}]},
        "B": {"type": "terminal", "description": 'it\'s "é😀" \\ here'},
    },
}
TEXTS = {
    "yaml": "m: &m {a: 1}\nn: {<<: *m, b: *m}\nt: |\n  x\n" + yaml.dump(SAMPLE, allow_unicode=True),
    "json": json.dumps(SAMPLE, ensure_ascii=False, indent=1),
    "toml": toml_text(SAMPLE) + "\ns = '''\nx'''\nu.v.'w' = [1, 2] # c\r\n",
}
PIECES = [bytes([n]) for n in range(256)] + [
    *(b"\n\t", b": ", b"- ", b"\r\n", b"<<: *m", b"&m ", b"*m", b"!!int ", b"---\n", b"[[a]]"),
    *(
        b"[states.A]",
        b'"""',
        b"'''",
        b"2020-01-01",
        b"inf",
        b"\\ud800",
        b"\xef\xbb\xbf",
        b"{",
        b"[",
    ),
    *(b"]", b"}", b'"', b"'", b"=", b".", b",", b"#", b"\\", b"\xc2\x85", b"\xe2\x80\xa8"),
]


@pytest.mark.parametrize("format", TEXTS)
def test_random_edits_never_raise(format):
    chance = random.Random(format)
    original = TEXTS[format].encode()
    for _ in range(3_000):
        edited = bytearray(original)
        for _ in range(chance.randint(1, 4)):
            start = chance.randrange(len(edited) + 1)
            end = start + chance.choice((0, 0, 1, 3, 20))
            edited[start:end] = chance.choice(PIECES) * chance.randint(0, 2)
        document = parse(bytes(edited), f"x.{format}")
        assert document.problems or document.root is not None
        for problem in document.problems:
            assert 1 <= problem.place.column <= len(document.line(problem.place.line)) + 1
            assert document.token_length(problem.place) >= 1
