"""Other people's torture sets: verdicts, values, and the places of everything that was read."""

from __future__ import annotations

import json
import math
from itertools import islice

import pytest
import tomli
import yaml
from yaml._yaml import CParser

from fsmc.source import MappingNode, SequenceNode, parse
from fsmc.source.reading import Problems
from fsmc.source.tree import Lines
from fsmc.source.yaml_scalar import plain

VISIBLE = {"␣": " ", "»": "\t", "—": "", "←": "\r", "⇔": "\ufeff", "↵": "", "∎\n": ""}


# Where libyaml itself still reads YAML 1.1, or has a bug of its own.
LIBYAML_DIFFERS = {
    "652Z-0",  # {?foo: bar} has the key foo
    "HM87-1",  # [?x] is a mapping
    "L24T-1",  # white space at the end of a text block
    "Y2GN-0",  # a colon in the name of an anchor
}


def yaml_suite(folder):
    """Each case of yaml-test-suite: its name, text, whether it is an error, its data as JSON."""
    for file in sorted((folder / "yaml-test-suite" / "src").glob("*.yaml")):
        cases = yaml.load(file.read_text(), Loader=yaml.CSafeLoader)
        for number, case in enumerate(cases):
            text = case.get("yaml", cases[0].get("yaml"))
            for mark, character in VISIBLE.items():
                text = text.replace(mark, character)
            yield f"{file.stem}-{number}", text, case.get("fail", False), case.get("json")


def yaml_texts(folder):
    for _, text, _, _ in yaml_suite(folder):
        yield text.encode()
    for file in sorted((folder / "pyyaml-tests").rglob("*")):
        if file.is_file():
            yield file.read_bytes()


def test_yaml_test_suite_values(torture):
    agreed = 0
    for name, text, fails, expected in yaml_suite(torture):
        document = parse(text.encode(), "x.yaml")
        if document.problems or fails or expected is None:
            continue
        agrees = document.root == json.loads(expected)
        assert agrees != (name in LIBYAML_DIFFERS), name
        agreed += 1
    assert agreed > 150


def test_yaml_core_schema(torture):
    """Every scalar of the core schema, except numbers that JSON lacks."""
    cases = json.loads((torture / "yaml-test-schema" / "data" / "schema-core.json").read_text())
    for text, (kind, expected, _) in cases.items():
        document = parse(f"- {text}\n".encode(), "x.yaml")
        if kind == "inf" or kind == "nan":
            assert [problem.code for problem in document.problems] == ["unsupported-value"], text
            continue
        assert document.problems == (), text
        (value,) = document.root
        wanted = {
            "str": lambda shown: shown,
            "int": int,
            "float": float,
            "null": lambda shown: None,
            "bool": lambda shown: shown == "true()",
        }[kind](expected)
        assert value == wanted and type(value) is type(wanted), text


def yaml_scalars_at(place, lines):
    """What a scalar that starts at a place may be: in brackets, or under some indentation."""
    rest = lines.text[lines.offset(place) :]
    for before in ("[k, ", *(" " * indent + "k: " for indent in range(place.column))):
        try:
            events = iter(CParser(before + rest).get_event, None)
            scalars = (event for event in events if isinstance(event, yaml.ScalarEvent))
            event = next(islice(scalars, 1, None), None)
        except yaml.YAMLError:
            continue
        if event is not None:
            is_plain = event.implicit[0]
            yield plain(event.value, 0, Problems(lines)) if is_plain else event.value


def test_yaml_places(torture, places):
    checked = 0
    for data in yaml_texts(torture):
        document = parse(data, "x.yaml")
        if document.problems:
            continue
        for place, value in places(document.root):
            rest = document.line(place.line)[place.column - 1 :]
            if isinstance(value, MappingNode | SequenceNode) or rest.startswith("*"):
                continue
            # An empty value has no text of its own, and a tag is read from before the place.
            if value not in (None, "") and "!" not in document.text:
                assert value in yaml_scalars_at(place, document.lines), (data, place, value)
                checked += 1
    assert checked > 800


def test_toml_valid(torture, places):
    checked = 0
    for file in sorted((torture / "toml-test" / "tests" / "valid").rglob("*.toml")):
        document = parse(file.read_bytes(), "x.toml")
        codes = {problem.code for problem in document.problems}
        assert codes <= {"unsupported-value"}, (file, document.problems)
        if codes:
            continue
        assert document.root == tomli.loads(document.text), file
        for place, value in places(document.root):
            start = place.column - 1
            token = document.line(place.line)[start : start + document.token_length(place)]
            if isinstance(value, SequenceNode | MappingNode) or token.startswith(('"""', "'''")):
                continue
            read = [tomli.loads(f"{token} = 0").popitem()[0]] if isinstance(value, str) else []
            if token[0] in "\"'" or not read:
                read.append(tomli.loads(f"value = {token}")["value"])
            assert value in read, (file, place, token, value)
            checked += 1
    assert checked > 500


def test_toml_invalid(torture):
    files = sorted((torture / "toml-test" / "tests" / "invalid").rglob("*.toml"))
    assert len(files) > 100
    for file in files:
        document = parse(file.read_bytes(), "x.toml")
        if not document.problems:
            # Invalid only in TOML 1.0.
            assert document.root == tomli.loads(document.text)


def has_equal_keys(text):
    def pairs(items):
        seen.append(len(dict(items)) < len(items))

    seen = []
    json.loads(text, object_pairs_hook=pairs)
    return any(seen)


def test_json_verdicts(torture):
    files = sorted((torture / "JSONTestSuite" / "test_parsing").glob("*.json"))
    assert len(files) > 100
    for file in files:
        data = file.read_bytes()
        document = parse(data, file.name)
        codes = [problem.code for problem in document.problems]
        if file.name.startswith("n_"):
            assert codes, file.name
        elif file.name.startswith("y_"):
            if has_equal_keys(data):
                assert codes == ["duplicate-key"], file.name
            else:
                assert codes == [], file.name
                assert document.root == json.loads(data)


@pytest.mark.parametrize("name", ["JSONTestSuite", "blns"])
def test_json_places(name, torture, places):
    decoder = json.JSONDecoder()
    checked = 0
    for file in sorted((torture / name).rglob("*.json")):
        document = parse(file.read_bytes(), file.name)
        for place, value in places(document.root) if not document.problems else ():
            read, _ = decoder.raw_decode(document.text, document.lines.offset(place))
            assert read == value and math.isfinite(value if isinstance(value, float) else 0)
            checked += 1
    assert checked > 50


def test_no_text_raises_in_any_format(torture):
    files = [file for file in torture.rglob("*") if file.is_file()]
    assert len(files) > 1_000
    for file in files:
        data = file.read_bytes()
        for format in ("yaml", "toml", "json"):
            document = parse(data, "x", format)
            assert document.problems or document.root is not None or format == "json"


def test_lines_are_cut_as_editors_cut_them():
    lines = Lines("a\r\nb\rc\n\nd\u2028e\x0b")
    texts = [lines.text[lines.starts[n - 1] : lines.end(n)] for n in range(1, 6)]
    assert texts == ["a", "b", "c", "", "d\u2028e\x0b"]
