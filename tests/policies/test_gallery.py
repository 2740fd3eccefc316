"""The gallery: every policy lints clean, means the same in every format, and judges its traces as written down."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fsmc.api import table_of
from fsmc.cli import run
from fsmc.linter import lint
from fsmc.runtime.schemas import schema
from fsmc.source import parse, read
from tests.policies.gallery import GALLERY, TAU_BENCH, Example, examples, policies, table
from tests.support import data_folder

EXAMPLES = list(examples())
by_policy = pytest.mark.parametrize("policy", policies(), ids=lambda path: path.parent.name)
by_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.label)


def records(example: Example) -> list[dict[str, Any]]:
    return [json.loads(line) for line in example.trace.read_text(encoding="utf-8").splitlines()]


def test_every_folder_is_a_policy_and_in_the_readme() -> None:
    folders = sorted(path.name for path in GALLERY.iterdir() if path.is_dir())
    assert [policy.parent.name for policy in policies()] == folders
    text = (GALLERY / "README.md").read_text(encoding="utf-8")
    assert [name for name in folders if f"[{name}]" not in text] == []
    assert {policy.suffix for policy in policies()} == {".yaml", ".toml", ".json"}


@by_policy
def test_lints_clean(policy: Path) -> None:
    assert [finding for finding in lint(policy) if finding.level in ("error", "warning")] == []


@by_policy
def test_is_named_after_its_folder(policy: Path) -> None:
    assert table(policy).id == policy.parent.name
    assert table(policy).description


@by_policy
def test_means_the_same_as_json(policy: Path) -> None:
    text = json.dumps(read(policy).root)
    assert table_of(parse(text.encode(), "policy.json", None))["digest"] == table(policy).digest


@by_policy
def test_traces_cover_the_kinds_of_runs(policy: Path) -> None:
    """A run that finishes without a refusal, one with a refusal, one that a bound ends, one with calls in parallel."""
    traces = [example for example in EXAMPLES if example.policy == policy]
    runs = [run for example in traces for run in example.runs()]
    assert any(run.clean and run.finished for run in runs)
    assert any(step.verdict == "deny" for run in runs for step in run.steps)
    moves = [move for run in runs for step in run.steps for move in step.moves]
    assert any(move.kind in ("fallback", "exhausted") for move in moves)
    kinds = [["call" in record for record in records(example)] for example in traces]
    assert any(first and second for calls in kinds for first, second in pairwise(calls))


@by_example
def test_trace_is_well_formed(example: Example) -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema("trace-v1"))
    header, *rest = records(example)
    assert header["policy"] == example.policy.parent.name
    assert header["note"]
    for record in (header, *rest):
        validator.validate(record)


@by_example
def test_trace_gives_its_report(example: Example) -> None:
    assert example.report() == example.expected.read_text(encoding="utf-8")


def test_no_report_without_a_trace() -> None:
    expected = {example.expected for example in EXAMPLES}
    assert set(GALLERY.glob("*/traces/*.expected.txt")) == expected


@by_policy
def test_command_line_prints_the_report(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    example = next(example for example in EXAMPLES if example.policy == policy)
    expected = example.expected.read_text(encoding="utf-8")
    monkeypatch.chdir(policy.parent)
    assert run(["simulate", policy.name, f"traces/{example.trace.name}"]) == (0 if "  ok: " in expected else 1)
    assert capfd.readouterr().out == expected


def bare(value: Any) -> Any:
    """A schema without its texts."""
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items() if not (key == "description" and isinstance(item, str))}
    return [bare(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["airline", "retail"])
def test_tools_are_those_of_the_recorded_runs(name: str) -> None:
    path = data_folder(TAU_BENCH) / f"{name}_tools.openai.json"
    recorded = {
        tool["function"]["name"]: bare(tool["function"]["parameters"])
        for tool in json.loads(path.read_text(encoding="utf-8"))
    }
    tools = table(GALLERY / name / "policy.yaml").tools
    assert {tool: json.loads(info.input_schema or "null") for tool, info in tools.items()} == recorded
