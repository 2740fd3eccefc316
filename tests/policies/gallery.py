"""The gallery as data: where its policies, traces and expected reports are, and how a report is made."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fsmc.api import compile
from fsmc.report.simulation import run_text
from fsmc.runtime.table import Table
from fsmc.simulation import RunReport, simulate
from fsmc.trace import read

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "policies"
TAU_BENCH = "transcripts/tau-bench"
"""Recorded runs, in the folder of optional data."""


class Example(NamedTuple):
    """One trace of a policy and the file that holds what ``fsmc simulate`` says about it."""

    policy: Path
    trace: Path

    @property
    def expected(self) -> Path:
        return self.trace.with_name(f"{self.trace.stem}.expected.txt")

    @property
    def label(self) -> str:
        return f"{self.policy.parent.name}/{self.trace.stem}"

    def runs(self) -> list[RunReport]:
        """What the simulator makes of the trace, named as seen from the folder of the policy."""
        recorded = read(self.trace.read_bytes(), f"traces/{self.trace.name}")
        return [simulate(table(self.policy), run) for run in recorded]

    def report(self) -> str:
        """What ``fsmc simulate POLICY traces/NAME.jsonl`` prints in the folder of the policy."""
        return "".join(run_text(run, False) for run in self.runs())


def policies() -> list[Path]:
    """The policy of each folder."""
    return sorted(GALLERY.glob("*/policy.*"))


def examples() -> Iterator[Example]:
    """Every trace of every policy."""
    for policy in policies():
        for trace in sorted(policy.parent.glob("traces/*.jsonl")):
            yield Example(policy, trace)


@cache
def table(policy: Path) -> Table:
    """The frozen table of a policy, made once."""
    return compile(policy)
