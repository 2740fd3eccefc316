"""Any legal name comes out as the very same text, and as nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import typing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsmc.codegen import generate
from fsmc.codegen.names import Identifiers
from fsmc.runtime.table import Table
from tests.codegen.corpus import DESK, NAMES, OURS, hostile, tables
from tests.render.conftest import naughty


def loaded(table: Table) -> Any:
    """The generated Python module, imported."""
    module = ModuleType("generated")
    exec(compile(generate(table, "python"), "generated.py", "exec", dont_inherit=True), module.__dict__)
    return module


def check(table: Table) -> None:
    module = loaded(table)
    assert table.id == module.POLICY
    assert table.digest == module.DIGEST
    assert typing.get_args(module.State) == tuple(table.states)
    assert typing.get_args(module.Event) == tuple(table.events)
    assert typing.get_args(module.Tool) == tuple(table.tools)
    external = [guard.name for guard in table.guards.values() if guard.external]
    assert typing.get_args(module.ExternalGuard) == tuple(external)
    if any(name.startswith("__") and name.endswith("__") for name in table.tools):
        return  # objects with such a name are not typed
    assert list(module.Guards.__annotations__) == external
    assert module.Guards.__required_keys__ == set(external)
    fields = json.loads(table.context_schema or "{}")["properties"]
    assert set(module.Context.__annotations__) == set(fields)
    assert module.Context.__optional_keys__ == set(fields)
    arguments = {
        key: kind
        for name, kind in vars(module).items()
        if "Arguments" in name and getattr(kind, "__required_keys__", None) and name[0] != "_"
        for key in kind.__required_keys__
    }
    with_schema = [tool for tool in table.tools.values() if tool.input_schema is not None]
    assert {name for name in arguments if name in table.tools} == {tool.name for tool in with_schema}


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(NAMES, min_size=2, max_size=8, unique=True))
def test_generated_names(names: list[str]) -> None:
    check(hostile(names))


@pytest.mark.parametrize("names", [OURS, *(naughty()[i : i + 60] for i in range(0, len(naughty()), 60))])
def test_hostile_names(names: list[str]) -> None:
    check(hostile([name for name in names if not (name.startswith("__") and name.endswith("__"))]))


@given(st.lists(NAMES, min_size=1, max_size=30))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_identifiers_are_unique_and_legal(names: list[str]) -> None:
    identifiers = Identifiers({"Session", "StateArguments"})
    made = [identifiers.make(name, "Tool", ending) for name in [*names, *names] for ending in ("", "Arguments")]
    assert len({*made, "Session", "StateArguments"}) == len(made) + 2
    assert all(re.fullmatch("[A-Z][A-Za-z0-9]*", name) for name in made)


def test_the_constant_is_the_table(tmp_path: Path) -> None:
    """What node makes of the constant, without the types, is the data of the table file."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    parts = []
    for name, table in tables().items():
        literal = generate(table, "typescript").partition("export const table = ")[2].removesuffix(" as const;\n")
        parts.append(f"{json.dumps(name)}: {literal}")
    program = tmp_path / "all.js"
    program.write_text("console.log(JSON.stringify({" + ",\n".join(parts) + "}))", encoding="utf-8")
    done = subprocess.run(["node", str(program)], capture_output=True, encoding="utf-8", check=True)
    found = json.loads(done.stdout)
    assert {name: Table(data).digest for name, data in found.items()} == {
        name: table.digest for name, table in tables().items()
    }
    for name, table in tables().items():
        data = json.loads(table.to_json())
        data.pop("source_map", None)
        assert found[name] == data


def test_no_name_gives_an_order_to_a_tool() -> None:
    """The one comment with a text of the policy in it can be no encoding, no directive and no second line."""
    for name in ("coding: latin-1", "x # type: ignore", "x # pyright: basic", "\u2028import os", "# ruff: noqa"):
        source = generate(hostile([name]), "python")
        head = source.partition('"""')[0].split("\n")
        assert len(head) == 5
        assert [line.count("#") for line in head] == [1, 1, 1, 1, 0]
        assert "coding" not in head[0] + head[1]
        assert "\u2028" not in source


def test_output_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import fsmc, hashlib; from fsmc.codegen import generate, LANGUAGES; table = fsmc.load('{}')\n"
        "print([hashlib.sha256(generate(table, language).encode()).hexdigest() for language in LANGUAGES])"
    )
    root = Path(__file__).resolve().parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program.format(DESK)],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root), "HOME": str(Path.home())},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "7")
    }
    assert len(outputs) == 1
