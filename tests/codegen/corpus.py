"""What the checkers get to see: modules for the gallery and for hostile names, and people's files that use them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import fsmc
from fsmc.codegen import generate
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.table import Table
from tests.docs.pages import ROOT, blocks
from tests.render.conftest import AWKWARD, legal
from tests.render.tables import make_table

HERE = Path(__file__).resolve().parent
POLICIES = sorted(
    path
    for path in (ROOT / "policies").glob("*/policy.*")
    if path.suffix in (".yaml", ".toml", ".json")
)  # fmt: skip
PAGE = ROOT / "docs" / "codegen.md"
DESK = HERE / "policies" / "desk.yaml"
# What breaks out of a literal, a comment or a line; what hides a name that the module needs.
OURS = [
    *AWKWARD, "'''", '"""', "\\'", "a\\", "*/", "/*", "${x}", "`", "coding: latin-1", "# type: ignore", "# fmt: off", "None",
    "str", "int", "list", "Any", "Literal", "fsmc", "State", "Session", "Context", "self", "__proto__", "constructor", "__x",
    "class", "import", "_", "1", "0x1", "-1", "true", "null", "\ufeff", "\u2029", "\U000e0001", "a" * 200, "語" * 200, "x " * 45,
]  # fmt: skip
SPECIAL = st.sampled_from([*OURS, *"\"'\\#`$*/{}"])
NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12),
    st.text("abcXYZ_09", min_size=1, max_size=200),
    st.lists(SPECIAL, min_size=1, max_size=3).map("".join),
).filter(lambda name: legal(name) and len(name) <= 200)


@cache
def generated_names() -> tuple[str, ...]:
    """Names as hypothesis makes them up."""
    found: dict[str, None] = {}

    @settings(
        max_examples=70,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(NAMES)
    def collect(name: str) -> None:
        found[name] = None

    collect()
    return tuple(found)


@cache
def tables() -> dict[str, Table]:
    """Every table by the name of its module."""
    found = {path.parent.name.replace("-", "_"): fsmc.load(path) for path in POLICIES}
    found["desk"] = fsmc.load(DESK)
    found["ours"] = hostile(OURS)
    found["generated"] = hostile(generated_names())
    found["nothing"] = make_table(["A", {"name": "B", "type": "terminal"}])
    found["single"] = hostile(["s" * 70])
    return found


def hostile(names: Sequence[str]) -> Table:
    """A table in which all that has a name has one of *names*: states, events, tools, guards, fields and values."""
    names = list(dict.fromkeys(names))
    texts = {"type": "string"}
    inner = {"type": "object", "properties": {name: {"enum": names[:3]} for name in names}, "required": names[::2]}
    context = {"type": "object", "properties": {name: inner if i == 1 else texts for i, name in enumerate(names)}}
    tools = []
    for i, name in enumerate(names):
        schema = {
            "type": "object",
            "properties": {name: {"type": "string"}, "x": {"enum": names[-20:]}},
            "required": [name],
        }
        tools.append(
            {"name": name, "effect": "read", "approval": 1000}
            | ({"input_schema": canonical_json(schema)} if i % 3 == 1 else {})
        )
    return make_table(
        [{"name": name, "tools": [name]} for name in names],
        [(name, names[i - 1], name) for i, name in enumerate(names)],
        tools=tools,
        guards=[{"name": name, "external": True} for name in names],
        about={"id": names[0]},
        context=canonical_json(context),
    )


def write_python(folder: Path) -> None:
    """The modules of all tables, the files of ``users``, and a file for each table that uses all its names."""
    for name, table in tables().items():
        (folder / f"{name}.py").write_text(generate(table, "python"), encoding="utf-8", newline="\n")
        (folder / f"use_{name}.py").write_text(_python_user(name, table), encoding="utf-8", newline="\n")
    for path in (HERE / "users").glob("*.py"):
        shutil.copy(path, folder)
    write_page(folder)


def write_page(folder: Path) -> None:
    """The Python files of the page of the documentation, with the module that they use."""
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.filename is not None:
            (folder / block.filename).write_text(block.text, encoding="utf-8", newline="\n")
    module = generate(fsmc.load(folder / "refund.yaml"), "python")
    (folder / "refund_policy.py").write_text(module, encoding="utf-8", newline="\n")


def write_typescript(folder: Path) -> None:
    """The same in TypeScript."""
    for name, table in tables().items():
        (folder / f"{name}.ts").write_text(generate(table, "typescript"), encoding="utf-8", newline="\n")
        (folder / f"use_{name}.ts").write_text(_typescript_user(name, table), encoding="utf-8", newline="\n")
    for path in (HERE / "users").glob("*.ts"):
        shutil.copy(path, folder)
    write_page(folder)
    module = generate(fsmc.load(folder / "refund.yaml"), "typescript")
    (folder / "refund.ts").write_text(module, encoding="utf-8", newline="\n")


def _groups(table: Table) -> dict[str, list[str]]:
    return {
        "State": list(table.states),
        "Event": list(table.events),
        "SendableEvent": [event.name for event in table.events.values() if not event.reserved],
        "Tool": list(table.tools),
        "ExternalGuard": [guard.name for guard in table.guards.values() if guard.external],
    }


def _python_user(name: str, table: Table) -> str:
    lines = [f"import {name}", ""]
    for kind, names in _groups(table).items():
        lines += [f"{kind}_{i}: {name}.{kind} = {spelled(text)}" for i, text in enumerate(names)]
        lines.append(f"{kind}_wrong: {name}.{kind} = {spelled(missing(names))}  # error")
    lines += ["", "", f"def use(session: {name}.Session) -> None:"]
    for kind, names in _groups(table).items():
        if kind == "SendableEvent":
            lines += [f"    session.send({spelled(text)})" for text in names]
            lines.append(f"    session.send({spelled(missing(names))})  # error")
        elif kind == "Tool" and names:
            lines += [f"    session.check({spelled(text)}, {spelled(_arguments(table, text))})" for text in names]
            lines.append(f"    session.check({spelled(missing(names))}, {{}})  # error")
            lines.append(f"    session.reserve({spelled(names[-1])}, {{'no such name at all': 0}}, 5)  # error")
    return "\n".join(lines) + "\n"


def _typescript_user(name: str, table: Table) -> str:
    lines = [
        f'import * as p from "./{name}";',
        "type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;",
    ]
    for kind, names in _groups(table).items():
        kind = "EventName" if kind == "Event" else kind
        union = " | ".join(json.dumps(text) for text in names) or "never"
        lines.append(f"export const {kind}: Same<p.{kind}, {union}> = true;")
        lines.append(f"export const {kind}_wrong: p.{kind} = {json.dumps(missing(names))}; // error")
    for i, text in enumerate(table.tools):
        arguments = json.dumps(_arguments(table, text))
        lines.append(f"export const arguments_{i}: p.Arguments<{json.dumps(text)}> = {arguments};")
    return "\n".join(lines) + "\n"


def _arguments(table: Table, tool: str) -> dict[str, object]:
    """Arguments that the schema of the tool accepts."""
    schema = json.loads(table.tools[tool].input_schema or "{}")
    found = {key: _sample(schema["properties"][key], schema) for key in schema.get("required", ())}
    return found


def _sample(schema: dict[str, object], root: dict[str, object]) -> object:
    if "enum" in schema:
        values = schema["enum"]
        assert isinstance(values, list)
        return values[0]
    if "oneOf" in schema:
        return {"email": "a@b.c"}
    samples = {"string": "x", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None}
    return samples[str(schema["type"])]


def spelled(value: object) -> str:
    """A Python literal that has as little as possible in common with those of the module."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spelled(key)}: {spelled(item)}" for key, item in value.items()) + "}"
    if not isinstance(value, str):
        return repr(value)
    return '"' + "".join(c if c.isalnum() or c > "\uffff" else f"\\u{ord(c):04x}" for c in value) + '"'


def missing(names: Sequence[str]) -> str:
    """A text that is none of *names*, but like one."""
    found = (names[0] if names else "x") + "!"
    while found in names:
        found += "!"
    return found
