"""Any legal name comes out as the very same text, and makes no state or edge of its own."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmc.rendering import render
from fsmc.runtime.table import Table
from tests.render.conftest import AWKWARD, legal, naughty
from tests.render.readers import MermaidReader, Picture, read_dot
from tests.render.tables import make_table

NAMES = naughty()
CHUNKS = [NAMES[i : i + 45] for i in range(0, len(NAMES), 45)]
SPECIAL = st.sampled_from([*AWKWARD, *'"\\#;:<>&%{}[]()*_`~$|-= '])
names = st.one_of(
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12),
    st.lists(SPECIAL, min_size=1, max_size=4).map("".join),
).filter(legal)
quick = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def machine(chosen: list[str]) -> Table:
    """A ring of states whose names, events, guards and tools are the chosen names."""
    last = len(chosen) - 1
    tools = [{"name": name, "effect": "write" if i % 2 else "read"} for i, name in enumerate(chosen)]
    states = [{"name": name, "tools": [name]} for name in chosen[:-1]] + [{"name": chosen[last], "type": "terminal"}]
    transitions = [
        (name, chosen[(i + 3) % (last + 1)], chosen[i + 1], ["guard", i] if i % 2 else None)
        for i, name in enumerate(chosen[:-1])
    ]
    guards = [{"name": name, "external": True} for name in chosen]
    return make_table(states, transitions, tools=tools, guards=guards, about={"id": chosen[0]})


def split(name: str) -> tuple[str | None, str]:
    prefix, _, member = name.partition(":")
    return (prefix, member) if prefix and member else (None, name)


def check(picture: Picture, table: Table, tools: bool, drawn: bool) -> None:
    """The picture holds the table; where texts are as *drawn*, an XML picture cannot hold two characters."""
    see = (lambda text: text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")) if drawn else str
    expected = {}
    for i, state in enumerate(table.states.values()):
        marks = {"write": "●", "read": "○"}
        lines = [f"{marks[table.tools[name].effect]} {name}" for name in state.tools] if tools else []
        expected[f"s{i}"] = tuple(see(text) for text in (split(state.name)[1], *lines))
    assert picture.states == expected
    ids = {name: f"s{i}" for i, name in enumerate(table.states)}
    edges = [
        (ids[t.source], ids[t.target], see(t.event if t.guard is None else f"{t.event} [{t.guard}]"))
        for t in table.transitions
    ]
    found = [edge for edge in picture.edges if edge[0] in expected and edge[1] in expected]
    assert sorted(found) == sorted(edges)
    assert len(picture.edges) == len(edges) + (1 if drawn else 1 + sum(s.terminal for s in table.states.values()))
    groups: dict[str, set[str]] = {}
    for name, i in ids.items():
        if split(name)[0] is not None:
            groups.setdefault(see(str(split(name)[0])), set()).add(i)
    assert dict(picture.groups.values()) == groups


@pytest.mark.parametrize("tools", [False, True])
@pytest.mark.parametrize("chunk", range(len(CHUNKS)))
def test_naughty_names_in_mermaid(mermaid: MermaidReader, chunk: int, tools: bool) -> None:
    table = machine(CHUNKS[chunk])
    check(mermaid.read(str(render(table, tools=tools))), table, tools, drawn=False)


@pytest.mark.parametrize("tools", [False, True])
@pytest.mark.parametrize("chunk", range(len(CHUNKS)))
def test_naughty_names_in_dot(dot: None, chunk: int, tools: bool) -> None:
    table = machine(CHUNKS[chunk])
    check(read_dot(str(render(table, "dot", tools=tools))), table, tools, drawn=True)


# Drawing costs a second or two: both ways for our own names, which come first, and a sample of the big list.
DRAWN = [(0, False), (0, True), (1, False), (1, True), *((i, i % 2 == 0) for i in range(2, len(CHUNKS), 3))]


@pytest.mark.parametrize(("chunk", "tools"), DRAWN)
def test_naughty_names_as_mermaid_draws_them(mermaid: MermaidReader, chunk: int, tools: bool) -> None:
    table = machine(CHUNKS[chunk])
    found = mermaid.raw(str(render(table, tools=tools)), draw=True)
    labels = found["drawn"]["nodes"]
    missing = [name for name in table.states if split(name)[1] not in labels]
    assert missing == []
    texts = found["drawn"]["edges"]
    assert [
        t for t in table.transitions if (t.event if t.guard is None else f"{t.event} [{t.guard}]") not in texts
    ] == []


@quick
@given(chosen=st.lists(names, min_size=2, max_size=6, unique=True), tools=st.booleans())
def test_generated_names_in_mermaid(mermaid: MermaidReader, chosen: list[str], tools: bool) -> None:
    table = machine(chosen)
    check(mermaid.read(str(render(table, tools=tools))), table, tools, drawn=False)


@quick
@given(chosen=st.lists(names, min_size=2, max_size=6, unique=True), tools=st.booleans())
def test_generated_names_in_dot(dot: None, chosen: list[str], tools: bool) -> None:
    table = machine(chosen)
    check(read_dot(str(render(table, "dot", tools=tools))), table, tools, drawn=True)


def test_the_title_is_a_name_too(mermaid: MermaidReader, dot: None) -> None:
    for name in (
        "end",
        "<br/>",
        "<script>alert(1)</script>",
        "a & b",
        '"q" \\n',
        "%%{x}%%",
        "ﬂ°°59¶ß",
        "#59;",
        "日本語",
        "]",
    ):
        table = make_table(["A", {"name": "B", "type": "terminal"}], [("A", "e", "B")], about={"id": name})
        assert mermaid.raw(str(render(table)), draw=True)["title"].split() == name.split()
        assert read_dot(str(render(table, "dot"))).title == name
