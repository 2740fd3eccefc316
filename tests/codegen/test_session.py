"""The module at work: it loads its table and no other, and its session is one of ours."""

from __future__ import annotations

import importlib
import inspect
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fsmc
from tests.codegen.corpus import DESK, HERE, tables, write_page
from tests.codegen.test_names import loaded

GOLDEN, USERS = HERE / "golden", HERE / "users"
BOOKING = HERE.parents[1] / "policies" / "booking" / "policy.yaml"
# What the typed view leaves out: making a session is done by the functions of the module.
NOT_TYPED = {"restored"}


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules of the two policies and the files that use them, ready to be imported."""
    for name in ("booking", "desk"):
        for file in (GOLDEN / f"{name}.py", USERS / f"{name}_user.py"):
            shutil.copy(file, tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(("name", "policy", "last"), [("booking", BOOKING, "BOOKING"), ("desk", DESK, 'OPEN:"WORK"')])
def test_what_passes_the_checkers_runs(modules: None, name: str, policy: Path, last: str) -> None:
    user: Any = importlib.import_module(f"{name}_user")
    assert user.run(str(policy)) == last


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_page(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, Any] = {}
    exec((tmp_path / "app.py").read_text(encoding="utf-8"), names)
    del sys.modules["refund_policy"]
    assert names["run"](str(tmp_path / "refund.yaml"), True) == "DONE"
    assert names["run"](str(tmp_path / "refund.yaml"), False) == "HANDOFF"


def test_another_table_is_stale(tmp_path: Path) -> None:
    module = loaded(tables()["booking"])
    changed = tmp_path / "booking.yaml"
    changed.write_text(BOOKING.read_text(encoding="utf-8").replace("limit: 8", "limit: 9"), encoding="utf-8")
    with pytest.raises(module.StaleModule, match=f"is for {module.DIGEST}, not sha256:.*: generate it again"):
        module.load(changed)
    assert issubclass(module.StaleModule, fsmc.TableError)
    other = fsmc.load(changed)
    guards = {"calendar_agrees": lambda facts: True}
    with pytest.raises(module.StaleModule):
        module.session(other, guards=guards)
    with pytest.raises(module.StaleModule):
        module.typed(other.session(guards=guards))
    assert module.load(BOOKING).digest == module.DIGEST


def test_the_typed_session_says_what_the_session_does() -> None:
    """Every member is there, and none that does not exist."""
    typed = {**_members(loaded(tables()["desk"]).Session), **_members(loaded(tables()["booking"]).Session)}
    real = _members(fsmc.Session)
    assert set(typed) == set(real) - NOT_TYPED
    for name, member in typed.items():
        assert isinstance(member, property) == isinstance(real[name], property), name


@pytest.mark.parametrize("name", ["booking", "single"])
def test_parameters_are_those_of_the_session(name: str) -> None:
    """Where a policy has one tool there are no overloads, and the one signature can be compared."""
    for method, member in _members(loaded(tables()[name]).Session).items():
        found = [] if isinstance(member, property) else _parameters(member)
        if found and found[-1][0] != "kwds":  # what stands for overloads at run time
            real = _members(fsmc.Session)[method]
            assert found == _parameters(real), method
            assert inspect.iscoroutinefunction(member) == inspect.iscoroutinefunction(real), method


def _members(cls: Any) -> dict[str, Any]:
    bases = reversed(cls.__mro__[:-1])
    return {name: member for base in bases for name, member in vars(base).items() if name[0] != "_"}


def _parameters(function: Any) -> list[tuple[str, Any]]:
    return [(p.name, p.kind) for p in inspect.signature(function).parameters.values()]
