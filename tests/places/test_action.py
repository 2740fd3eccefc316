"""The action for GitHub and what docs/ci.md tells people to write: valid, and doing what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GOOD = (ROOT / "fsmc" / "data" / "starter.yaml").read_text(encoding="utf-8")
BAD = GOOD.replace("initial: IDENTIFY", "initial: IDENTFY")
SCHEMAS = {"github": "vendor.github-workflows", "gitlab": "vendor.gitlab-ci", "pre-commit": None}


def check(schema: str, path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def snippet(kind: str) -> str:
    return next(block.text for block in blocks(PAGE) if kind in block.words)


@pytest.mark.parametrize("kind", SCHEMAS)
def test_what_the_page_tells_people_to_write_is_valid(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "written.yml"
    path.write_text(snippet(kind))
    schema = SCHEMAS[kind]
    if schema is not None:
        check(schema, path)
    else:
        pytest.importorskip("pre_commit")
        done = subprocess.run(
            [sys.executable, "-m", "pre_commit", "validate-config", path], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout


def test_the_page_names_hooks_and_inputs_that_there_are() -> None:
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    (named,) = yaml.safe_load(snippet("pre-commit"))["repos"]
    assert {hook["id"] for hook in named["hooks"]} <= hooks
    steps = yaml.safe_load(snippet("github"))["jobs"]["lint"]["steps"]
    (used,) = [step for step in steps if step["uses"].startswith("fsmc/")]
    assert used["with"].keys() <= ACTION["inputs"].keys()


def test_the_action_is_one() -> None:
    check("vendor.github-actions", ROOT / "action.yml")


def test_no_input_is_pasted_into_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A checkout with two policies, and the program where the action would have installed it."""
    work = tmp_path / "my work"
    (work / "policies").mkdir(parents=True)
    (work / "policies" / "good.yaml").write_text(GOOD, encoding="utf-8")
    (work / "policies" / "bad.yaml").write_text(BAD, encoding="utf-8")
    program = tmp_path / "fsmc"
    program.write_text(
        f"#!{sys.executable}\nimport sys; sys.path.insert(0, {str(ROOT)!r})\nfrom fsmc.cli import main; main()\n"
    )
    program.chmod(0o755)
    return work


def lint(work: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The lint step of the action, run as a runner runs it."""
    step = next(step for step in ACTION["runs"]["steps"] if step["name"] == "Lint")
    values = {name: given.get("default", "") for name, given in ACTION["inputs"].items()} | inputs
    environment = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: values[match[1]], text)
        for name, text in step["env"].items()
    }
    environment |= {"FSMC": str(work.parent / "fsmc"), "GITHUB_STEP_SUMMARY": str(work.parent / "summary.md")}
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(script, cwd=work, env={**os.environ, **environment}, capture_output=True, text=True)


def test_it_annotates_the_line_and_writes_what_is_uploaded(runner: Path) -> None:
    done = lint(runner, sarif="fsmc.sarif", paths="policies\n")
    assert done.returncode == 1, done.stderr
    line = next(number for number, text in enumerate(BAD.split("\n"), 1) if "IDENTFY" in text)
    assert re.search(rf"^::error file=policies/bad\.yaml,line={line},.*FSM101", done.stdout, re.MULTILINE)
    report = json.loads((runner / "fsmc.sarif").read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in report["runs"][0]["results"]] == ["FSM101"]
    assert "FSM101" in (runner.parent / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"paths": "policies/good.yaml"}, 0),
        ({"paths": "policies/good.yaml\n\npolicies/bad.yaml\n", "args": "--fail-on never"}, 0),
        ({"paths": "$(touch hacked)"}, 2),
        ({"paths": "--help"}, 2),
        ({"paths": "policies/good.yaml", "args": "; touch hacked"}, 2),
    ],
)
def test_its_inputs_are_arguments_and_nothing_else(runner: Path, inputs: dict[str, str], code: int) -> None:
    assert lint(runner, **inputs).returncode == code
    assert not (runner / "hacked").exists()
