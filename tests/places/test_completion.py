"""Completion of the command line, asked for by the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fsmc.cli.completion import SHELLS

RUN = "from fsmc.cli import main; main()"


@pytest.fixture
def program(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``fsmc`` is this checkout's, and the folder has a policy."""
    script = tmp_path / "bin" / "fsmc"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n{RUN}\n")
    script.chmod(0o755)
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": root}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_that_its_shell_reads(shell: str, program: dict[str, str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(["fsmc", "completion", shell], env=program, capture_output=True, text=True, check=True)
    assert "_FSMC_COMPLETE" in done.stdout
    checked = subprocess.run([shell, "-n"], input=done.stdout, env=program, capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")


def complete(program: dict[str, str], *words: str) -> set[str]:
    """What bash offers for the last of *words*."""
    line = " ".join(f'"{word}"' for word in words)
    script = f"""
        eval "$(fsmc completion bash)"
        COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}
        _fsmc_completion fsmc
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], env=program, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("fsmc", "li"), {"lint"}),
        (("fsmc", "lint", "--fail"), {"--fail-on"}),
        (("fsmc", "lint", "--fail-on", "w"), {"warning"}),
        (("fsmc", "explain", "FSM20"), {f"FSM{number}" for number in (*range(201, 210),)}),
        (("fsmc", "explain", "cyc"), {"cycle"}),
        (("fsmc", "codegen", "p"), {"python"}),
    ],
)
def test_bash_offers(program: dict[str, str], words: tuple[str, ...], offered: set[str]) -> None:
    assert complete(program, *words) == offered
