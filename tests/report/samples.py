"""Findings to report: one policy that a person can read, and any findings at all."""

from __future__ import annotations

from hypothesis import strategies as st

from fsmc.findings import LEVELS, Edit, Finding, Fix, Related
from fsmc.linter import lint_document, with_names
from fsmc.report.checked import Checked
from fsmc.source import parse

POLICY = """\
fsmc: 1
id: broken
initial: OPEN
states:
  OPEN:
    transitions:
      - {event: SOLVED, target: DNOE}
      - {event: PARKED, target: WAITING}
  WAITING: {}
  DONE: {type: terminal}
"""
CLEAN = "fsmc: 1\nid: clean\ninitial: A\nstates: {A: {type: terminal}}\n"


def example() -> Checked:
    """Two files, one clean; two findings, the first with a fix; an input that cannot be read."""
    documents = {name: parse(text.encode(), name) for name, text in (("a/b c.yaml", POLICY), ("clean.yaml", CLEAN))}
    document = documents["a/b c.yaml"]
    first, *others = with_names(document, lint_document(document))
    start = document.text.index("DNOE")
    fixed = first._replace(
        fix=Fix("write `DONE`", (Edit(start, start + 4, "DONE"),), safe=False),
        related=(Related("defined here", 10, 3),),
    )
    return Checked([fixed, *others], documents, ["gone.yaml does not exist"])


def many(number: int, level: str = "warning", message: str = "m") -> Checked:
    """So many findings of one file."""
    findings = [Finding("FSM204", "cycle", level, message, "p.yaml", line, 1) for line in range(1, number + 1)]
    return Checked(findings, {"p.yaml": None})


texts = st.text(st.characters(), max_size=40)
"""Any characters, lone surrogates and controls among them."""

numbers = st.integers(1, 10**6)
findings = st.builds(
    Finding,
    code=st.sampled_from(["FSM101", "FSM204", "FSM999"]),
    rule=st.sampled_from(["cycle", "undefined-state"]),
    level=st.sampled_from(LEVELS),
    message=texts,
    path=texts.filter(bool),
    line=numbers,
    column=numbers,
    length=st.integers(1, 100),
    hint=st.none() | texts,
    related=st.lists(st.builds(Related, texts, numbers, numbers), max_size=2).map(tuple),
    trace=st.lists(texts, max_size=3).map(tuple),
    where=st.lists(texts, max_size=3).map(tuple),
    fix=st.none()
    | st.builds(
        Fix, texts, st.lists(st.builds(Edit, numbers, numbers, texts), min_size=1, max_size=2).map(tuple), st.booleans()
    ),
)
runs = st.builds(
    lambda found, others, reasons: Checked(found, dict.fromkeys([*(f.path for f in found), *others]), reasons),
    st.lists(findings, max_size=5),
    st.lists(texts, max_size=2),
    st.lists(texts, max_size=2),
)
