"""A small file cannot stand for a huge table: what defaults and globs are multiplied by is bounded."""

from __future__ import annotations

import time

import pytest

from fsmc.linter import lint_text

STATES = (
    "".join(f"  S{i}: {{transitions: [{{event: E, target: S{i + 1}}}]}}\n" for i in range(3000))
    + "  S3000: {type: terminal}\n"
)
TOOLS = "tools:\n" + "".join(f"  t{i}: {{effect: read}}\n" for i in range(3000))
EVENTS = "".join(f"    - {{event: D{i}, target: S3000}}\n" for i in range(3000))


@pytest.mark.parametrize(
    ("defaults", "said"),
    [
        ("defaults:\n  tools: ['*']\n", "tools offered, over all states"),
        ("defaults:\n  transitions:\n" + EVENTS, "transitions that the defaults add to states"),
        ("defaults:\n  tools: [" + ", ".join(f'"t{i}*"' for i in range(3000)) + "]\n", "tools compared with globs"),
    ],
)
def test_defaults_and_globs_are_bounded(defaults: str, said: str) -> None:
    text = f"fsmc: 1\nid: large\ninitial: S0\n{defaults}{TOOLS}states:\n{STATES}"
    started = time.process_time()
    findings = lint_text(text)
    assert time.process_time() - started < 5
    (finding,) = findings
    assert (finding.code, said in finding.message) == ("FSM004", True), finding


def test_what_is_within_bounds_is_read() -> None:
    text = (
        f"fsmc: 1\nid: fine\ninitial: S0\ndefaults: {{transitions: [{{event: OUT, target: S3000}}]}}\nstates:\n{STATES}"
    )
    assert not [finding for finding in lint_text(text) if finding.level == "error"]
