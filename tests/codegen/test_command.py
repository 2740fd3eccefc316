"""``fsmc codegen``: what it writes, what it refuses, and ``--check``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import fsmc
from fsmc.cli import run
from fsmc.codegen import LANGUAGES, generate
from tests.codegen.corpus import DESK, HERE, POLICIES, tables

GOLDEN = HERE / "golden"
SUFFIXES = {"python": ".py", "typescript": ".ts"}
BOOKING = next(path for path in POLICIES if path.parent.name == "booking")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["booking", "desk"])
def test_golden(name: str, language: str) -> None:
    """Files to be read; ``FSMC_UPDATE_GOLDEN=1`` writes them anew."""
    golden = GOLDEN / (name + SUFFIXES[language])
    text = generate(tables()[name], language)
    if os.environ.get("FSMC_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8", newline="\n")
    assert golden.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_policy_and_its_table_give_the_same(tmp_path: Path, language: str) -> None:
    table, first, second = tmp_path / "t.json", tmp_path / "a", tmp_path / "b"
    assert run(["compile", str(DESK), "-o", str(table), "--source-map"]) == 0
    assert run(["codegen", language, str(DESK), "-o", str(first)]) == 0
    assert run(["codegen", language, str(table), "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes() == generate(fsmc.load(DESK), language).encode()


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["codegen", "python", str(BOOKING)]) == 0
    assert capsysbinary.readouterr().out == generate(tables()["booking"], "python").encode()


class TestCheck:
    def test_fresh(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        module = tmp_path / "booking.py"
        assert run(["codegen", "python", str(BOOKING), "-o", str(module)]) == 0
        module.write_bytes(module.read_bytes().replace(b"\n", b"\r\n"))  # as git may check it out
        before = module.read_bytes()
        assert run(["codegen", "python", str(BOOKING), "-o", str(module), "--check"]) == 0
        assert capsys.readouterr() == ("", "")
        assert module.read_bytes() == before

    def test_stale(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        policy, module = tmp_path / "my policy.yaml", tmp_path / "booking.py"
        shutil.copy(BOOKING, policy)
        assert run(["codegen", "python", str(policy), "-o", str(module)]) == 0
        before = module.read_bytes()
        policy.write_text(policy.read_text(encoding="utf-8").replace("UNAVAILABLE", "GONE"), encoding="utf-8")
        assert run(["codegen", "python", str(policy), "-o", str(module), "--check"]) == 1
        assert capsys.readouterr().err == (
            f"{module} is stale: it is not what this fsmc makes of this policy; "
            f"run `fsmc codegen python '{policy}' -o {module}`\n"
        )
        assert module.read_bytes() == before

    def test_missing(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        module = tmp_path / "booking.ts"
        assert run(["codegen", "typescript", str(BOOKING), "-o", str(module), "--check"]) == 1
        assert capsys.readouterr().err == (
            f"{module} does not exist; run `fsmc codegen typescript {BOOKING} -o {module}`\n"
        )
        assert not module.exists()

    def test_against_nothing(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["codegen", "python", str(BOOKING), "--check"]) == 2
        assert "--check compares with a file; name it with -o" in capsys.readouterr().err

    def test_against_a_folder(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["codegen", "python", str(BOOKING), "-o", str(tmp_path), "--check"]) == 2
        assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--check"]])
def test_never_over_the_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    policy = tmp_path / "policy.yaml"
    shutil.copy(BOOKING, policy)
    os.link(policy, tmp_path / "other.py")
    for target in (policy, tmp_path / "other.py"):
        assert run(["codegen", "python", str(policy), "-o", str(target), *options]) == 2
        assert "is the input itself" in capsys.readouterr().err
    assert policy.read_bytes() == BOOKING.read_bytes()


def test_a_policy_with_errors_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, module = tmp_path / "policy.yaml", tmp_path / "policy.py"
    policy.write_text(BOOKING.read_text(encoding="utf-8").replace("target: DONE", "target: DNOE"), encoding="utf-8")
    assert run(["codegen", "python", str(policy), "-o", str(module)]) == 1
    assert "DNOE" in capsys.readouterr().err
    assert not module.exists()


def test_an_unknown_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["codegen", "cobol", str(BOOKING)]) == 2
    assert "python" in capsys.readouterr().err
