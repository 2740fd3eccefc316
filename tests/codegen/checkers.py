"""The type checkers themselves, each run once over a folder; what they say as (file, line) with the message."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

Problems = dict[tuple[str, int], str]


def _run(command: Sequence[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT), **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def mypy(folder: Path) -> Problems:
    """What ``mypy --strict`` says about the Python files of *folder*, for the oldest Python."""
    if find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    options = ["--strict", "--python-version=3.10", "--config-file=", "--output=json", "--follow-imports=silent"]
    names = sorted(path.name for path in folder.glob("*.py"))
    done = _run([sys.executable, "-m", "mypy", *options, "--cache-dir=.mypy_cache", *names], folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {(item["file"], item["line"]): item["message"] for item in found if item["severity"] == "error"}


def pyright(folder: Path) -> Problems:
    """What pyright says about the Python files of *folder* in its strict mode, for the oldest Python."""
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    program = [sys.executable, "-m", "pyright"]
    quiet = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    probe = _run([*program, "--version"], folder, **quiet)
    if probe.returncode != 0:
        pytest.skip("pyright cannot run: it needs node, and its npm package when it is used for the first time")
    settings = {
        "include": ["*.py"],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.10",
        "extraPaths": [str(ROOT)],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = _run([*program, "--outputjson", "--pythonpath", sys.executable], folder, **quiet)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert not [item for item in found if item["severity"] == "error" and "range" not in item], found
    return {
        (Path(item["file"]).name, item["range"]["start"]["line"] + 1): item["message"]
        for item in found
        if item["severity"] == "error"
    }


def tsc(folder: Path) -> Problems:
    """What TypeScript says about the ``.ts`` files of *folder* in its strict mode."""
    program = os.environ.get("FSMC_TSC") or shutil.which("tsc")
    if program is None or shutil.which(program) is None:
        pytest.skip("FSMC_TSC names no tsc, and there is none on the PATH")
    options = {
        "strict": True,
        "noEmit": True,
        "target": "es2020",
        "module": "esnext",
        "moduleResolution": "bundler",
        "types": [],
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
    }
    settings = {"compilerOptions": options, "include": ["*.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = _run([program, "-p", ".", "--pretty", "false"], folder)
    found = re.findall(r"^(\S+\.ts)\((\d+),\d+\): error (.*)$", done.stdout, re.MULTILINE)
    assert bool(found) == bool(done.returncode), done.stdout + done.stderr
    return {(file, int(line)): text for file, line, text in found}


def ruff(*arguments: str, folder: Path) -> str:
    """What ruff has to say: nothing, when all is well."""
    if find_spec("ruff") is None:
        pytest.skip("ruff is not installed")
    done = _run([sys.executable, "-m", "ruff", *arguments, "--no-cache"], folder)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def marked(folder: Path, suffix: str) -> set[tuple[str, int]]:
    """The lines with a comment that begins with ``error``: a checker must complain about these and no others."""
    return {
        (path.name, number)
        for path in folder.glob(f"*{suffix}")
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if re.search("(#|//) error(:.*)?$", line)
    }


def agree(found: Problems, expected: set[tuple[str, int]]) -> None:
    """The checker complains about the marked lines, and about these only."""
    unwanted = {place: text for place, text in found.items() if place not in expected}
    assert not unwanted
    assert not expected - found.keys()
