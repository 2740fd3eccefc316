"""The real checkers over what is generated, and over files that use it rightly and wrongly."""

from __future__ import annotations

from pathlib import Path

from tests.codegen.checkers import ROOT, agree, marked, mypy, pyright, ruff, tsc
from tests.codegen.corpus import tables, write_python, write_typescript


def test_mypy(tmp_path: Path) -> None:
    write_python(tmp_path)
    agree(mypy(tmp_path), marked(tmp_path, ".py"))


def test_pyright(tmp_path: Path) -> None:
    write_python(tmp_path)
    agree(pyright(tmp_path), marked(tmp_path, ".py"))


def test_tsc(tmp_path: Path) -> None:
    write_typescript(tmp_path)
    agree(tsc(tmp_path), marked(tmp_path, ".ts"))


def test_ruff_would_leave_a_module_as_it_is(tmp_path: Path) -> None:
    write_python(tmp_path)
    modules = [f"{name}.py" for name in tables()]
    for length in ("88", "120"):
        names = [name for name in modules if length == "88" or name != "single.py"]
        assert not ruff("format", "--isolated", "--check", "--diff", "--line-length", length, *names, folder=tmp_path)


def test_ruff_finds_nothing_in_a_module(tmp_path: Path) -> None:
    """Also where the comment that tells it to look away is not heeded."""
    write_python(tmp_path)
    modules = [f"{name}.py" for name in tables()]
    assert not ruff("check", "--isolated", *modules, folder=tmp_path)
    plain = ["booking.py", "airline.py", "retail.py", "desk.py", "nothing.py"]
    settings = ["--config", str(ROOT / "pyproject.toml"), "--ignore", "RUF001"]
    assert not ruff("check", "--ignore-noqa", *settings, *plain, folder=tmp_path)
