"""A page played in a folder of its own, from top to bottom, as a reader would who copies every block.

- a block with a file name after the language is kept as that file;
- a policy (its first line is ``fsmc: 1``) must lint clean, or have findings where it says ``bad``;
- ``console`` runs each ``$ fsmc ...`` and gives what it prints; ``< FILE`` and ``; echo $?`` work as in a shell;
- ``python`` runs in one namespace per page: a doctest where there are prompts, else as it stands;
- ``sh`` is for what happens before fsmc is there, and is not run.
"""

from __future__ import annotations

import doctest
import io
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fsmc.cli import run
from fsmc.linter import lint_text
from tests.docs.pages import ROOT, Block, blocks

_IS_POLICY = ("fsmc: 1\n", "fsmc = 1\n", '{"fsmc": 1', '{\n  "fsmc": 1')


@contextmanager
def desk(folder: Path) -> Iterator[None]:
    """A process that stands in *folder*, with nothing in its environment that changes what commands print."""
    before, environment = os.getcwd(), dict(os.environ)
    os.chdir(folder)
    for name in ("FORCE_COLOR", "NO_COLOR", "FSMC_DEBUG", "COLUMNS", "GITHUB_STEP_SUMMARY"):
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def play(text: str, folder: Path) -> Iterator[tuple[Block, str]]:
    """Each block of a page with the text that it should have. To be used inside ``desk``."""
    shutil.copytree(ROOT / "policies", folder / "policies", dirs_exist_ok=True)
    names: dict[str, Any] = {"__name__": "example"}
    for block in blocks(text):
        if block.filename is not None:
            (folder / block.filename).write_text(block.text, encoding="utf-8", newline="\n")
        if block.text.startswith(_IS_POLICY):
            _check_policy(block)
        elif block.language in ("json", "jsonl"):
            for part in block.text.splitlines() if block.language == "jsonl" else [block.text]:
                json.loads(part)
        if block.language == "python":
            _run_python(block, names)
        yield block, _run_console(block) if block.language == "console" else block.text


def _check_policy(block: Block) -> None:
    findings = lint_text(block.text, f"policy.{block.language}")
    if "bad" in block.words:
        assert findings, f"line {block.first}: lint finds nothing wrong with this"
    else:
        assert not findings, f"line {block.first}: {findings}"


def _run_python(block: Block, names: dict[str, Any]) -> None:
    if not block.text.startswith(">>>"):
        exec(compile(block.text, f"block at line {block.first}", "exec", dont_inherit=True), names)
        return
    example = doctest.DocTestParser().get_doctest(block.text, names, "example", None, block.first - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(example, out=report.append, clear_globs=False)
    names.update(example.globs)
    assert not runner.failures, "".join(report)


def _run_console(block: Block) -> str:
    commands = [line for line in block.text.splitlines() if line.startswith("$ ")]
    assert commands, f"line {block.first}: no command in this block"
    return "".join(f"{line}\n{_run(line[2:])}" for line in commands)


def _run(line: str) -> str:
    command, _, tail = line.partition("; echo $?")
    command, _, source = command.partition(" < ")
    program, *arguments = shlex.split(command)
    assert program == "fsmc" and not tail, f"only fsmc is run here: {line}"
    with _streams(Path(source.strip()).read_bytes() if source else b"") as printed:
        code = run(arguments)
        output = printed.getvalue().decode()
    return output + f"{code}\n" if "; echo $?" in line else output


@contextmanager
def _streams(given: bytes) -> Iterator[io.BytesIO]:
    """Standard input with what is given; standard output and error in one pipe, as on a terminal."""
    printed = io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    sys.stdout = sys.stderr = io.TextIOWrapper(printed, encoding="utf-8", newline="\n", write_through=True)
    try:
        yield printed
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
