"""Exactly the states and edges of the table, in every notation, with what is painted on them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fsmc
from fsmc.findings import Finding
from fsmc.rendering import FORMATS, RenderError, picture, render
from fsmc.rendering.diagram import Diagram, extract
from fsmc.rendering.paint import paint_findings, paint_trace
from fsmc.rendering.show import columns, show
from fsmc.runtime.infos import Step
from fsmc.runtime.table import Table
from tests.render.readers import MermaidReader, Picture, read_dot
from tests.render.tables import booking, make_table

GOLDEN = Path(__file__).with_name("golden")
POLICIES = Path(__file__).parents[2] / "policies"
RUN = [("TRIAGE", "BOOKING:SEARCH"), ("BOOKING:SEARCH", "BOOKING:HELD"), ("BOOKING:HELD", "DONE")]
quick = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def finding(code: str, message: str, level: str = "warning", trace: tuple[str, ...] = ()) -> Finding:
    return Finding(code, "rule", level, message, "policy.yaml", 1, 1, trace=trace)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    names = [f"{draw(st.sampled_from(['', 'A:', 'B:']))}S{i}" for i in range(draw(st.integers(2, 12)))]
    some = st.sampled_from(names)
    states = []
    for i, name in enumerate(names):
        state: dict[str, object] = {"name": name}
        if i and draw(st.integers(0, 3)) == 0:
            state["type"] = "terminal"
        else:
            if draw(st.booleans()):
                state["budget"] = (3, 0, draw(some))
            if draw(st.booleans()):
                state |= {"max_visits": 2, "on_exhausted": draw(some)}
            state["tools"] = draw(st.sampled_from([[], ["read_it"], ["read_it", "write_it"]]))
        states.append(state)
    alive = [state["name"] for state in states if state.get("type") != "terminal"]
    guard = st.sampled_from([None, ["guard", 0], ["==", ["var", "state"], ["string", 'a "b" <c>']]])
    candidates = st.tuples(st.sampled_from(alive), st.sampled_from(["GO", "STOP", "x y"]), some, guard, st.booleans())
    transitions = draw(st.lists(candidates, max_size=25))
    tools = ["read_it", {"name": "write_it", "effect": "write"}]
    return make_table(states, transitions, tools=tools, guards=[{"name": "asked", "external": True}])


def check(found: Picture, diagram: Diagram) -> None:
    expected = sorted((edge.source, edge.target, edge.text) for edge in diagram.edges)
    assert sorted(edge for edge in found.edges if edge[0][1:].isdigit() and edge[1][1:].isdigit()) == expected
    assert {i: texts[0] for i, texts in found.states.items()} == {node.id: node.label for node in diagram.nodes}
    groups = {g.label: frozenset(node.id for node in diagram.members(g)) for g in diagram.groups}
    assert dict(found.groups.values()) == groups


@quick
@given(table=tables(), tools=st.booleans())
def test_random_tables_in_mermaid(mermaid: MermaidReader, table: Table, tools: bool) -> None:
    check(mermaid.read(str(render(table, tools=tools))), extract(table, tools))


@quick
@given(table=tables(), tools=st.booleans())
def test_random_tables_in_dot(dot: None, table: Table, tools: bool) -> None:
    check(read_dot(str(render(table, "dot", tools=tools))), extract(table, tools))


@given(table=tables())
@settings(deadline=None, derandomize=True)
def test_the_diagram_is_the_table(table: Table) -> None:
    diagram = extract(table, tools=True)
    names = {node.id: node.name for node in diagram.nodes}
    assert list(names.values()) == list(table.states)
    moves = [(names[e.source], e.label, names[e.target], e.guard, e.kind) for e in diagram.edges]
    own = [(t.source, t.event, t.target, t.guard, "default" if t.default else "transition") for t in table.transitions]
    assert moves[: len(own)] == own
    states = table.states.values()
    assert [m for m in moves if m[4] == "fallback"] == [
        (s.name, "budget spent", s.budget.fallback, None, "fallback") for s in states if s.budget and s.budget.fallback
    ]
    assert [m for m in moves if m[4] == "exhausted"] == [
        (s.name, "after 2 visits", s.on_exhausted, None, "exhausted") for s in states if s.on_exhausted
    ]
    assert all([tool.name for tool in node.tools] == list(table.states[node.name].tools) for node in diagram.nodes)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("booking.mmd", lambda: render(booking())),
        ("booking-tools.mmd", lambda: render(booking(), tools=True, trace=RUN)),
        ("booking.dot", lambda: render(booking(), "dot", tools=True)),
        ("booking.txt", lambda: show(booking())),
        ("booking-narrow.txt", lambda: show(booking(), width=90)),
    ],
)  # fmt: skip
def test_golden(name: str, text: object) -> None:
    """FSMC_GOLDEN=write writes the files anew."""
    written = text()  # type: ignore[operator]
    if os.environ.get("FSMC_GOLDEN") == "write":
        (GOLDEN / name).write_text(written, encoding="utf-8", newline="\n")
    assert written == (GOLDEN / name).read_text(encoding="utf-8")


def test_an_open_machine_has_a_note_and_no_invented_edges(mermaid: MermaidReader, dot: None) -> None:
    guard = ["!=", ["var", "target"], ["string", "A:x"]]
    states = ["A:x", {"name": "A:y", "budget": (3, 0, "END")}, {"name": "END", "type": "terminal"}]
    table = make_table(states, topology="open", conditions=[guard], transition_guard=0)
    note = 'open: any state may be asked for by name [target != "A:x"]'
    assert [edge.kind for edge in extract(table).edges] == ["fallback"]
    found = mermaid.raw(str(render(table)))
    assert [node["label"] for node in found["nodes"] if node["shape"] == "note"] == [note]
    assert note in read_dot(str(render(table, "dot"))).title
    run = paint_trace(extract(table), [("A:x", "A:y"), ("A:y", "END"), ("END", "A:x"), ("A:x", "A:y")], True)
    assert [(edge.kind, edge.steps) for edge in run.edges] == [
        ("fallback", (2,)),
        ("request", (1, 4)),
        ("request", (3,)),
    ]


def test_a_run_is_painted() -> None:
    diagram = paint_trace(extract(booking()), RUN)
    assert [edge.text for edge in diagram.edges if edge.steps] == [
        "1 · IDENTIFIED", "2 · SLOT_HELD [slot_free]", "3 · CONFIRMED [calendar_agrees]",
    ]  # fmt: skip
    assert [node.name for node in diagram.nodes if node.visited] == ["TRIAGE", "BOOKING:SEARCH", "BOOKING:HELD", "DONE"]
    assert [node.name for node in diagram.nodes if node.last] == ["DONE"]
    assert "class s0,s1,s2 visited\n    class s4 last" in str(render(booking(), trace=RUN))
    assert str(render(booking(), "dot", trace=RUN)).count('penwidth="2.2"') == 3


def test_steps_tell_parallel_edges_apart() -> None:
    asked = Step("moved", "TRIAGE", "HUMAN_ASKED", "HANDOFF", "default")
    refused = Step("no_transition", "TRIAGE", "CANCELLED")
    spent = Step("moved", "TRIAGE", "", "HANDOFF", "fallback")

    def painted(*steps: object) -> list[str]:
        return [edge.text for edge in paint_trace(extract(booking()), steps).edges if edge.steps]

    assert painted(refused, asked) == ["1 · HUMAN_ASKED"]
    assert painted(spent) == ["1 · budget spent"]
    either = ["1 · UNKNOWN_PATIENT", "1 · HUMAN_ASKED", "1 · budget spent"]
    assert painted(("TRIAGE", "HANDOFF")) == either
    detour = Step("moved", "BOOKING:HELD", "SLOT_LOST", "HANDOFF", "exhausted")
    assert painted(detour) == ["1 · SLOT_LOST", "1 · after 5 visits"]
    back_and_forth = [("BOOKING:SEARCH", "BOOKING:HELD"), ("BOOKING:HELD", "BOOKING:SEARCH")] * 6
    assert painted(*back_and_forth) == ["1, 3, …, 11 · SLOT_HELD [slot_free]", "2, 4, …, 12 · SLOT_LOST"]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (("TRIAGE", "NOWHERE"), "step 1 of the trace names `NOWHERE`, which is not a state of this policy"),
        (("TRIAGE", "DONE"), "step 1 of the trace, TRIAGE -> DONE, is not a move of this policy"),
        (
            Step("moved", "TRIAGE", "SLOT_LOST", "HANDOFF", "transition"),
            "step 1 of the trace, TRIAGE -> HANDOFF on SLOT_LOST, is not a move of this policy",
        ),
    ],
)
def test_a_run_of_another_policy_is_refused(step: object, message: str) -> None:
    with pytest.raises(RenderError, match=f"^{message}$"):
        render(booking(), trace=[step])


def test_findings_are_painted(mermaid: MermaidReader, dot: None) -> None:
    findings = [
        finding("FSM401", "`DONE` is near `BOOKING:SEARCH`", "info"),
        finding("FSM310", "the machine is caught", "error", ("TRIAGE --IDENTIFIED--> BOOKING:SEARCH",)),
        finding("FSM900", "tool `x` is never used"),
    ]
    diagram = paint_findings(extract(booking()), findings)
    marks = {node.name: [mark.code for mark in node.marks] for node in diagram.nodes if node.marks}
    assert marks == {"BOOKING:SEARCH": ["FSM310", "FSM401"], "DONE": ["FSM401"]}
    assert diagram.notes == ("not about one state: FSM900",)
    found = mermaid.raw(str(render(booking(), findings=findings)))
    search = next(node for node in found["nodes"] if node["id"] == "s1")
    assert search["lines"] == ["FSM310 error", "FSM401 info"]
    assert "error" in search["classes"].split()
    drawn = read_dot(str(render(booking(), "dot", findings=findings)))
    assert drawn.states["s1"] == ("SEARCH", "FSM310", "FSM401")
    assert drawn.title.endswith("not about one state: FSM900")


def test_images(dot: None) -> None:
    svg, png = render(booking(), "svg", tools=True), render(booking(), "png")
    assert isinstance(svg, str) and svg.startswith("<?xml") and "verify_identity" in svg
    assert isinstance(png, bytes) and png.startswith(b"\x89PNG")


def test_what_is_missing_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RenderError, match=r"^svg needs the program `dot` of Graphviz: install it"):
        render(booking(), "svg")
    monkeypatch.setitem(sys.modules, "graphviz", None)
    monkeypatch.delitem(sys.modules, "graphviz.backend.dot_command", raising=False)
    monkeypatch.delitem(sys.modules, "graphviz.backend", raising=False)
    with pytest.raises(RenderError, match=r"^png needs the Python package graphviz: pip install graphviz$"):
        render(booking(), "png")
    with pytest.raises(RenderError, match=f"^unknown format `gif`: the formats are {', '.join(FORMATS)}$"):
        render(booking(), "gif")


@pytest.mark.skipif(os.name == "nt", reason="a program made of a shell script")
def test_a_dot_that_hangs_or_fails_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "dot"
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    program.write_text("#!/bin/sh\nexec sleep 30\n")
    program.chmod(0o755)
    with pytest.raises(RenderError, match=r"^`dot` was stopped after 0.2 seconds: the graph is too large"):
        picture.draw("digraph {}", "svg", timeout=0.2)
    program.write_text("#!/bin/sh\necho 'Error: out of ink' >&2\nexit 3\n")
    with pytest.raises(RenderError, match=r"^`dot` failed: Error: out of ink$"):
        picture.draw("digraph {}", "svg")


@pytest.mark.parametrize(("states", "engine"), [(40, "dot"), (100, "dot"), (300, "sfdp")])
def test_large_graphs_are_laid_out_quickly(dot: None, states: int, engine: str) -> None:
    names = [f"{'AB'[i % 2]}:S{i}" for i in range(states)]
    jumps = [(name, f"e{k}", names[(i * k + 7) % states]) for i, name in enumerate(names[:-1]) for k in (1, 3, 11)]
    table = make_table([*names[:-1], {"name": names[-1], "type": "terminal"}], jumps)
    source = str(render(table, "dot"))
    assert ('layout="sfdp"' in source) == (engine == "sfdp")
    picture.draw(source, "svg", timeout=20)
    if engine == "sfdp":
        assert read_dot(source).states["s0"] == ("A:S0",)


def test_images_of_pixels_are_fine_or_small(dot: None) -> None:
    def drawn(states: int) -> tuple[bytes, int, int]:
        names = [f"S{i}" for i in range(states)]
        chain = make_table(
            names, [*((a, "next", b) for a, b in pairwise(names)), *((a, "skip", names[-1]) for a in names[:-1])]
        )
        image = render(chain, "png")
        assert isinstance(image, bytes)
        return image, int.from_bytes(image[16:20], "big"), int.from_bytes(image[20:24], "big")

    _, width, height = drawn(2)
    assert min(width, height) > 100 and max(width, height) < 1_000
    image, width, height = drawn(1_000)
    assert 1_000 < max(width, height) <= 48 * 72 + 1
    assert len(image) < 8_000_000


def test_a_long_machine_runs_down_the_page() -> None:
    names = [f"S{i}" for i in range(12)]
    chain = make_table(names, [(a, "next", b) for a, b in pairwise(names)])
    assert 'rankdir="TB"' in str(render(chain, "dot")) and "direction TB" in str(render(chain))
    assert 'rankdir="LR"' in str(render(booking(), "dot")) and "direction LR" in str(render(booking()))


def test_mermaid_says_when_a_source_is_too_long_for_its_reader() -> None:
    names = [f"a rather long name of a state, number {i}" for i in range(900)]
    assert str(render(make_table(names))).endswith("unless maxTextSize says so\n")


def test_wide_names_are_aligned() -> None:
    table = make_table(
        ["日本語", {"name": "e\u0301t\u0301", "type": "terminal"}, "\u202eabc"], [("日本語", "GO", "e\u0301t\u0301")]
    )
    lines = show(table).splitlines()
    starts = [
        columns(line[: line.index(kind)]) for line in lines for kind in ("initial", "terminal", "TYPE") if kind in line
    ]
    assert len(set(starts)) == 1 and len(starts) == 3
    assert any(line.startswith("\\u202eabc") for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_a_narrow_table_keeps_its_words() -> None:
    lines = show(booking(), width=90).splitlines()
    assert max(map(columns, lines)) <= 90
    assert sorted(" ".join(lines).split()) == sorted(show(booking()).split())


@pytest.mark.parametrize("terminal", [False, True])
def test_eighty_columns_are_enough(terminal: bool) -> None:
    for policy in sorted(POLICIES.glob("*/policy.yaml")):
        text = show(fsmc.compile(policy), terminal=terminal, width=80)
        lines = re.sub("\x1b\\[[0-9;]*m", "", text).splitlines()
        assert max(map(columns, lines)) <= 80
        assert "TYPE" not in text and "initial" in text  # under the name of the state


def test_a_terminal_gets_colours_and_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = show(booking(), terminal=True, width=160)
    assert "\x1b[" in shown and "IDENTIFIED -> BOOKING:SEARCH" in shown
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in show(booking(), terminal=True, width=160)
    assert "\x1b" not in show(booking())


def test_importing_loads_neither_graphviz_nor_rich() -> None:
    code = "import sys, fsmc.rendering; print(sorted({'graphviz', 'rich', 'subprocess', 'yaml', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
