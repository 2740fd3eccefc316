"""The vectors of the project that fsmc grew from, every one of the profile ``v2``, played as they are written.

They are looked for where ``FSMC_VECTORS`` says. Where fsmc deliberately answers otherwise, the vector is in ``DEVIATIONS`` with the reason, and what is asserted is what fsmc does.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

import fsmc
from tests.vectors.player import Player
from tests.vectors.policies import policy_of

Data = dict[str, Any]

FILE = Path(os.environ.get("FSMC_VECTORS", ""))


class Deviation(NamedTuple):
    """Why fsmc answers otherwise, and what it answers: number of the step -> keys of its ``expect`` to replace."""

    reason: str
    expect: dict[int, Data]


DEVIATIONS = {
    "SNAP-05": Deviation(
        "a snapshot holds all of a session, counters too: saving and restoring is no way out of a spent budget",
        {2: {"looping": True}},
    ),
    "VALID-05": Deviation(
        "a refusal is a sentence for the model: it names the tool and the guard around the validator's own words",
        {
            0: {
                "result": {
                    "ok": False,
                    "error": "`probe` is refused: guard `validator` failed: ValueError: name missing, age not a number",
                }
            }
        },
    ),
    "VALID-08": Deviation(
        "the same sentence, when the validator has no words of its own",
        {
            0: {
                "result": {
                    "ok": False,
                    "error": "`probe` is refused: guard `validator` failed: ValueError: Validation failed",
                }
            }
        },
    ),
}

# What the findings of lint are called in the vectors: a rule, a part of its message.
_FINDINGS = [
    ("undefined-state", "initial", "bad_initial"),
    ("undefined-state", "fallback", "bad_fallback"),
]


def vectors() -> list[Data]:
    """The vectors of profile v2, with machines and registries that they share filled in."""
    if not FILE.is_file():
        return []
    data: Data = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    assert (data["format"], data["format_version"]) == ("fsm-conformance-vectors", 1)
    chosen: list[Data] = [vector for vector in data["vectors"] if "v2" in vector["profiles"]]
    for vector in chosen:
        machine: Data = vector["machine"]
        vector["machine"] = {**data["machines"].get(machine.get("use"), {}), **machine}
        if isinstance(vector.get("registry"), str):
            vector["registry"] = data["registries"][vector["registry"]]
    return chosen


VECTORS = vectors()
needed = pytest.mark.skipif(not VECTORS, reason="optional data: set FSMC_VECTORS")


@needed
@pytest.mark.parametrize("vector", VECTORS, ids=[f"{vector['id']}: {vector['title']}" for vector in VECTORS])
def test_vector(vector: Data, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(policy_of(vector), indent=1), encoding="utf-8")
    if "create_error" in vector:
        assert creation_error(vector, path) == vector["create_error"]
    else:
        asyncio.run(play(vector, Player(vector, fsmc.compile(path))))


@needed
def test_deviations_are_of_vectors_that_there_are_and_still_deviate(tmp_path: Path) -> None:
    by_id = {vector["id"]: vector for vector in VECTORS}
    for name, deviation in DEVIATIONS.items():
        for number, keys in deviation.expect.items():
            written = by_id[name]["steps"][number]["expect"]
            assert keys.keys() <= written.keys()
            assert all(written[key] != value for key, value in keys.items())


def creation_error(vector: Data, path: Path) -> str | None:
    """The vectors' word for what keeps the machine from being made."""
    try:
        table = fsmc.compile(path)
    except fsmc.PolicyError as error:
        (finding,) = [finding for finding in error.findings if finding.level == "error"]
        if finding.rule == "unreachable-state":
            return "bad_gate" if "registry" in vector else "bad_tools_key"
        return next(word for rule, part, word in _FINDINGS if rule == finding.rule and part in finding.message)
    try:
        Player(vector, table)
    except fsmc.SessionError:
        return "bad_restore"
    return None


async def play(vector: Data, player: Player) -> None:
    deviating = DEVIATIONS.get(vector["id"], Deviation("", {})).expect
    for number, step in enumerate(vector["steps"]):
        expected = {**step.get("expect", {}), **deviating.get(number, {})}
        seen = await player.play(step)
        assert seen.get("error") == expected.pop("error", None), f"step {number}"
        for key, value in expected.items():
            assert_seen(key, player.look_at(key, seen) if key != "text_has" else seen["text"], value, f"step {number}")


def assert_seen(key: str, seen: Any, expected: Any, where: str) -> None:
    match key:
        case "text_has":
            assert all(part in seen for part in expected), where
        case "saved" | "result":  # the keys listed must match: a snapshot holds more than its state
            assert {name: seen[name] for name in expected} == expected, where
        case "guard_log":  # with or without the context
            assert [list(entry[: len(wanted)]) for entry, wanted in zip(seen, expected, strict=True)] == expected, where
        case "names_set":
            assert seen == sorted(expected), where
        case _:
            assert seen == expected, f"{where}: {key}"
