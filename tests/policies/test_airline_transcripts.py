"""The airline policy over recorded conversations; the figures are those of ``policies/airline/README.md``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fsmc.simulation import RunReport, simulate
from fsmc.trace import read_file
from tests.policies.gallery import GALLERY, TAU_BENCH, table
from tests.support import data_folder

CONTEXT = GALLERY / "airline" / "recorded-day.json"


@pytest.fixture(scope="module")
def transcripts() -> Path:
    return data_folder(TAU_BENCH) / "gpt-4o-airline.even-tasks.json"


@pytest.fixture(scope="module")
def reports(transcripts: Path) -> list[RunReport]:
    context = json.loads(CONTEXT.read_text(encoding="utf-8"))
    airline = table(GALLERY / "airline" / "policy.yaml")
    return [simulate(airline, run, context=context) for run in read_file(transcripts)]


@pytest.fixture(scope="module")
def recorded(transcripts: Path) -> list[dict[str, Any]]:
    runs = json.loads(transcripts.read_text(encoding="utf-8"))
    assert isinstance(runs, list)
    return runs


def refusals(report: RunReport) -> list[tuple[str, str, str]]:
    return [(step.subject, step.state, step.code) for step in report.steps if step.verdict == "deny"]


def test_counts(reports: list[RunReport]) -> None:
    total = Counter[str]()
    for report in reports:
        total.update(report.counts)
    assert len(reports) == 100
    assert total["calls"] == 577
    assert total["allow"] == 520
    assert total["deny"] == 57
    assert total["deny: not_in_state"] == 25
    assert total["deny: requirement_failed"] == 32
    assert total["ask"] == 0
    assert Counter(report.state for report in reports) == {
        "SERVING": 45, "HANDOFF": 29, "UNIDENTIFIED": 22, "IDENTIFIED": 4,
    }  # fmt: skip
    assert sum(report.finished for report in reports) == 29
    assert sum(bool(refusals(report)) for report in reports) == 33


def test_reads_are_never_refused(reports: list[RunReport]) -> None:
    effects = {name: tool.effect for name, tool in table(GALLERY / "airline" / "policy.yaml").tools.items()}
    assert [refused for report in reports for refused in refusals(report) if effects[refused[0]] == "read"] == []


def test_writes_before_identity(reports: list[RunReport], recorded: list[dict[str, Any]]) -> None:
    """Every run that writes before it looked the customer up is stopped at that write, and no other is stopped there."""
    early = [any(state == "UNIDENTIFIED" for _, state, _ in refusals(report)) for report in reports]
    assert sum(early) == 14
    assert early == [writes_before_identity(run["traj"]) for run in recorded]
    assert sum(state == "UNIDENTIFIED" for report in reports for _, state, _ in refusals(report)) == 24
    assert sum(run["reward"] == 1 for run, refused in zip(recorded, early, strict=True) if refused) == 7


def writes_before_identity(messages: list[dict[str, Any]]) -> bool:
    writes = {name for name, tool in table(GALLERY / "airline" / "policy.yaml").tools.items() if tool.effect == "write"}
    for message in messages:
        for call in message.get("tool_calls") or ():
            if call["function"]["name"] == "get_user_details":
                return False
            if call["function"]["name"] in writes:
                return True
    return False


def test_refusals_by_reason(reports: list[RunReport]) -> None:
    """The table of the README; a reason is known here by a word of it."""
    words = ["UNIDENTIFIED", "in IDENTIFIED", "nonfree_baggages", "certificate, one", "begun", "24 hours", "basic economy",
             "gift card or", "fits no reservation"]  # fmt: skip
    denied = [step for report in reports for step in report.steps if step.verdict == "deny"]
    counted = Counter(next((word for word in words if word in step.reason), step.reason) for step in denied)
    assert [counted[word] for word in words] == [24, 1, 11, 6, 5, 2, 3, 1, 4]
    assert sum(counted.values()) == len(denied) == 57
    counted = Counter(step.subject for step in denied)
    assert counted == {
        "book_reservation": 17,
        "cancel_reservation": 16,
        "send_certificate": 4,
        "update_reservation_baggages": 3,
        "update_reservation_flights": 17,
    }
