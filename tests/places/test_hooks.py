"""Where people meet the linter: hooks of pre-commit, run by pre-commit itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
GOOD = (ROOT / "fsmc" / "data" / "starter.yaml").read_text(encoding="utf-8")


def test_each_hook_runs_a_command_that_there_is() -> None:
    hooks = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert {hook["id"] for hook in hooks} == {"fsmc-lint", "fsmc-codegen"}
    for hook in hooks:
        program, *arguments = hook["entry"].split()
        done = subprocess.run(
            [sys.executable, "-c", "from fsmc.cli import main; main()", *arguments[:1], "--help"],
            capture_output=True,
            text=True,
        )
        assert program == "fsmc" and done.returncode == 0
        assert all(option in done.stdout for option in arguments[1:])


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="needs pre-commit")
def test_the_manifest_is_one() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", HOOKS], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True, capture_output=True)

    git("init", "--quiet")
    (tmp_path / "refund.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "other.yaml").write_text("some: thing\n")
    (tmp_path / "notes.json").write_text("{")
    hook = {"id": "fsmc-lint", "name": "fsmc lint", "language": "system", "types_or": ["yaml", "toml", "json"]}
    hook["entry"] = f"{sys.executable} -c 'from fsmc.cli import main; main()' lint --policies-only"
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (tmp_path / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git("add", ".")
    return tmp_path


@pytest.mark.skipif(find_spec("pre_commit") is None or shutil.which("git") is None, reason="needs pre-commit and git")
def test_pre_commit_runs_it_on_the_policies_among_the_files(repository: Path) -> None:
    def run() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PRE_COMMIT_HOME": str(repository / ".home")}
        command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
        return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    (repository / "refund.yaml").write_text(GOOD.replace("initial: IDENTIFY", "initial: IDENTFY"), encoding="utf-8")
    done = run()
    assert done.returncode == 1
    assert (
        "refund.yaml:" in done.stdout and "did you mean `IDENTIFY`?" in done.stdout and "other.yaml" not in done.stdout
    )
