"""Fingerprints know a finding again when the file around it has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from fsmc.findings import Finding
from fsmc.fingerprint import fingerprints
from fsmc.linter import lint_document, with_names
from fsmc.portable import portable_path
from fsmc.report.checked import Checked
from fsmc.source import parse
from tests.report.samples import POLICY, runs


def of(text: str, name: str = "p.yaml") -> list[str]:
    document = parse(text.encode(), name)
    return fingerprints(with_names(document, lint_document(document)))


def test_they_are_as_they_always_were() -> None:
    finding = Finding("FSM208", "dead-end", "error", "m", "a/p.yaml", 9, 3, where=("states", "WAITING"))
    assert fingerprints([finding]) == ["ca7e123e33f4136077a7d006f6c9d669"]


def test_moving_lines_changes_nothing() -> None:
    moved = "# a comment\n\n" + POLICY.replace("  WAITING: {}\n", "").replace("  OPEN:", "  WAITING: {}\n\n  OPEN:", 1)
    assert sorted(of(moved)) == sorted(of(POLICY))
    assert of(POLICY.replace("\n", "\r\n")) == of(POLICY)


def test_other_names_files_and_codes_are_other_findings() -> None:
    before = of(POLICY)
    assert len(set(before)) == len(before) == 2
    assert set(of(POLICY, "q.yaml")).isdisjoint(before)
    assert of(POLICY.replace("WAITING", "PAUSED"))[1] != before[1]


def test_findings_alike_are_numbered() -> None:
    finding = Finding("FSM101", "undefined-state", "error", "m", "p.yaml", 1, 1)
    same = finding._replace(line=9, message="another sentence")
    first, second = fingerprints([finding, same])
    assert first != second
    assert fingerprints([same]) == [first]


@given(runs)
@settings(deadline=None)
def test_no_two_are_alike_and_portable_findings_have_the_same(checked: Checked) -> None:
    made = fingerprints(checked.findings)
    assert len(set(made)) == len(made)
    assert fingerprints(checked.portable().findings) == made


def test_portable_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert portable_path("./a/p.yaml") == portable_path(str(tmp_path / "a" / "p.yaml")) == "a/p.yaml"
    assert portable_path(os.path.join("a", "..", "b.yaml")) == "b.yaml"
    assert portable_path("../p.yaml") == "../p.yaml"
    assert portable_path("/elsewhere/p.yaml") == "/elsewhere/p.yaml"
    assert portable_path("<stdin>") == "<stdin>"
    assert portable_path("") == ""
    assert portable_path("\ud800.yaml") == "\\ud800.yaml"
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert portable_path("p.yaml") == "p.yaml"
