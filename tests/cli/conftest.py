"""Running the command line inside the test's own process."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from fsmc.cli import run

GOOD = """\
fsmc: 1
id: good
initial: A
tools: {look: {effect: read, emits: [{event: SEEN}]}}
states:
  A:
    tools: [look]
    transitions: [{event: SEEN, target: B}]
  B: {type: terminal}
"""
BAD = GOOD.replace("initial: A", "intial: A")


class Done(NamedTuple):
    code: int
    out: str
    err: str


Fsmc = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "FSMC_DEBUG", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def fsmc(folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Fsmc:
    """``fsmc(*arguments, stdin="")``: exit code, standard output, standard error."""

    def call(*arguments: str | os.PathLike[str], stdin: str | bytes = "") -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capfd.readouterr()
        code = run([os.fspath(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call
