"""Baselines: what is listed is not reported, wherever it moves to."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmc.baseline import Row, baseline_text, compare, read_baseline, rows, updated
from fsmc.findings import Finding
from fsmc.linter import lint_text, with_names
from fsmc.runtime.schemas import schema
from fsmc.source import parse
from tests.cli.conftest import BAD, Fsmc
from tests.cli.test_settings import POLICY


def write(folder: Path, text: str, name: str = "p.yaml") -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)


def test_what_is_listed_is_not_reported(fsmc: Fsmc, folder: Path) -> None:
    write(folder, POLICY)
    done = fsmc("lint", ".", "--baseline", "base.json", "--update")
    assert (done.code, done.err) == (0, "base.json lists 2 findings: 2 new, 0 dropped\n")
    written = (folder / "base.json").read_bytes()
    jsonschema.validate(json.loads(written), schema("baseline-v1"))
    done = fsmc("lint", ".", "--baseline", "base.json")
    assert (done.code, done.out, done.err) == (0, "1 file checked, no findings\n", "base.json hides 2 findings\n")
    assert (
        fsmc("lint", ".", "--baseline", "base.json", "--update").err == "base.json lists 2 findings: 0 new, 0 dropped\n"
    )
    assert (folder / "base.json").read_bytes() == written


def test_lines_may_move_and_a_new_finding_is_reported(fsmc: Fsmc, folder: Path) -> None:
    write(folder, POLICY)
    fsmc("lint", ".", "--baseline", "base.json", "--update")
    moved = POLICY.replace("  WAITING: {}\n", "").replace(
        "states:\n", "# a remark\n\nstates:\n  PARKED: {}\n  WAITING: {}\n"
    )
    write(folder, moved.replace("      - {event: DONE", "      - {event: PARK, target: PARKED}\n      - {event: DONE"))
    done = fsmc("lint", ".", "--baseline", "base.json", "--format", "concise")
    assert done.code == 1
    assert [line.split(": ", 1)[0] for line in done.out.splitlines()] == ["./p.yaml:7:3"]


def test_what_no_longer_occurs_is_said_and_dropped(fsmc: Fsmc, folder: Path) -> None:
    write(folder, POLICY)
    write(folder, POLICY, "q.yaml")
    fsmc("lint", ".", "--baseline", "base.json", "--update")
    write(folder, POLICY.replace("  LOST: {type: terminal}\n", ""))
    said = "base.json hides 1 finding and lists 1 finding that no longer occurs; `--update` drops them\n"
    assert fsmc("lint", "p.yaml", "--baseline", "base.json").err == said
    assert "no longer" not in fsmc("lint", "q.yaml", "--baseline", "base.json").err
    (folder / "q.yaml").unlink()
    assert (
        fsmc("lint", "p.yaml", "--baseline", "base.json", "--update").err
        == "base.json lists 1 finding: 0 new, 3 dropped\n"
    )


def test_an_update_keeps_what_it_knows_of_other_files(fsmc: Fsmc, folder: Path) -> None:
    write(folder, POLICY)
    write(folder, POLICY, "q.yaml")
    fsmc("lint", ".", "--baseline", "base.json", "--update")
    fsmc("lint", "p.yaml", "--baseline", "base.json", "--update")
    assert fsmc("lint", ".", "--baseline", "base.json").code == 0


def test_it_does_not_matter_where_lint_is_started(fsmc: Fsmc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, POLICY, "sub/p.yaml")
    write(folder, "[lint]\nbaseline = 'base.json'\n", "fsmc.toml")
    assert fsmc("lint", "sub", "--update").code == 0
    assert fsmc("lint", folder / "sub").code == 0
    for place in ("sub", "other"):
        (folder / place).mkdir(exist_ok=True)
        monkeypatch.chdir(folder / place)
        done = fsmc("lint", "../sub")
        assert (done.code, done.err) == (0, "../base.json hides 2 findings\n")
    monkeypatch.chdir(folder / "sub")
    assert fsmc("lint", "p.yaml").code == 0


def test_an_option_wins_over_the_settings(fsmc: Fsmc, folder: Path) -> None:
    write(folder, POLICY)
    write(folder, "[lint]\nbaseline = 'missing.json'\n", "fsmc.toml")
    assert "missing.json does not exist; `--update` writes it" in fsmc("lint", "p.yaml").err
    assert fsmc("lint", "p.yaml", "--baseline", "base.json", "--update").code == 0
    assert fsmc("lint", "p.yaml", "--baseline", "base.json").code == 0
    assert fsmc("lint", "p.yaml", "--isolated").code == 1


def test_what_keeps_a_policy_from_being_read_is_not_listed(fsmc: Fsmc, folder: Path) -> None:
    write(folder, BAD)
    done = fsmc("lint", ".", "--baseline", "base.json", "--update")
    assert done.code == 1
    assert "FSM010 cannot be hidden or lowered" in done.err
    assert fsmc("lint", ".", "--baseline", "base.json").code == 1


def test_an_update_needs_a_file(fsmc: Fsmc, folder: Path) -> None:
    write(folder, POLICY)
    assert "--update writes a baseline; name one" in fsmc("lint", ".", "--update").err


GOOD_ROW = '{"path": "p", "code": "FSM208", "where": [], "fingerprint": "' + "0" * 32 + '"}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "base.json:1:1: this is not JSON"),
        ("{,", "base.json:1:2: this is not JSON"),
        ("[" * 100_000, "base.json is not JSON that can be read"),
        ("\udcff", "base.json is not JSON that can be read"),
        ("[]", "base.json is not a baseline: it does not match `fsmc schema baseline`"),
        (
            '{"format": "fsmc-baseline/2"}',
            "base.json is a baseline of another version: this fsmc reads fsmc-baseline/1",
        ),
        ('{"format": "fsmc-baseline/1"}', "base.json is not a baseline"),
        ('{"format": "fsmc-baseline/1", "findings": [1]}', "base.json is not a baseline"),
        (
            '{"format": "fsmc-baseline/1", "findings": [' + GOOD_ROW.replace("p", "x", 1) + "]}",
            "base.json is not a baseline",
        ),
    ],
)
def test_a_baseline_that_is_none(fsmc: Fsmc, folder: Path, text: str, said: str) -> None:
    write(folder, POLICY)
    (folder / "base.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    for update in ((), ("--update",)):
        done = fsmc("lint", "p.yaml", "--baseline", "base.json", *update)
        assert done.code == 2
        assert done.err.startswith(f"fsmc: {said}")
    assert (folder / "base.json").read_bytes() == text.encode("utf-8", "surrogateescape")


def test_a_folder_is_no_baseline(fsmc: Fsmc, folder: Path) -> None:
    write(folder, POLICY)
    (folder / "base.json").mkdir()
    assert fsmc("lint", "p.yaml", "--baseline", "base.json").code == 2
    assert fsmc("lint", "p.yaml", "--baseline", "base.json", "--update").code == 2


def named(text: str) -> list[Finding]:
    return with_names(parse(text.encode(), "p.yaml"), lint_text(text, "p.yaml"))


LINES = POLICY.splitlines()


@given(
    st.lists(st.tuples(st.integers(0, len(LINES)), st.sampled_from(["", "# a remark", "   # another"])), max_size=20)
)
def test_moving_lines_changes_nothing(added: list[tuple[int, str]]) -> None:
    lines = list(LINES)
    for number, line in sorted(added, reverse=True):
        lines.insert(number, line)
    assert rows(named("\n".join(lines) + "\n"), "") == rows(named(POLICY), "")


@given(st.permutations(range(5)), st.sets(st.integers(0, 4)))
def test_only_what_was_mended_goes_and_only_what_is_new_comes(order: list[int], mended: set[int]) -> None:
    def policy(numbers: list[int], mended: set[int]) -> str:
        moves = "".join(f"      - {{event: GO_{n}, target: S{n}}}\n" for n in range(5))
        states = "".join(f"  S{n}: {{{'type: terminal' if n in mended else ''}}}\n" for n in numbers)
        return f"fsmc: 1\nid: t\ninitial: A\nstates:\n{states}  A:\n    transitions:\n      - {{event: END, target: Z}}\n{moves}  Z: {{type: terminal}}\n"

    before = rows(named(policy(list(range(5)), set())), "")
    new, known, gone = compare(named(policy(order, mended)), before, ["p.yaml"], "")
    assert (new, known, len(gone)) == ([], 5 - len(mended), len(mended))
    assert {row.where for row in gone} == {("states", f"S{number}") for number in mended}
    new, known, gone = compare(named(policy(order, set())), [row for row in before if row not in gone], ["p.yaml"], "")
    assert (len(new), known, gone) == (len(mended), 5 - len(mended), [])


ROWS = st.builds(
    Row, st.text(max_size=5), st.just("FSM208"), st.lists(st.text(max_size=3), max_size=3).map(tuple),
    st.text("0123456789abcdef", min_size=32, max_size=32),
)  # fmt: skip


@given(st.lists(ROWS, max_size=8))
def test_the_same_rows_give_the_same_bytes_and_come_back(listed: list[Row]) -> None:
    text = baseline_text(listed)
    shuffled = sorted(listed, key=lambda row: row.fingerprint)
    assert baseline_text(shuffled + listed[:1]) == text
    jsonschema.validate(json.loads(text), schema("baseline-v1"))
    with tempfile.TemporaryDirectory() as place:
        Path(place, "b.json").write_text(text)
        assert read_baseline(f"{place}/b.json") == sorted(set(listed))


def test_nothing_is_listed_of_a_file_that_has_gone(folder: Path) -> None:
    write(folder, POLICY, "there.yaml")
    listed = [Row(name, "FSM208", (), "0" * 32) for name in ("there.yaml", "gone.yaml")]
    assert updated([], listed, [], str(folder)) == listed[:1]
