"""Tables from their text: the quick way, which splits it, against the careful one, which parses all of it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import fsmc
from fsmc.runtime import verify
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.errors import TableError
from fsmc.runtime.table import Table
from tests.support import table

TEXT = table(
    """
    fsmc: 1
    id: desk
    description: 'has a ,"machine":{ in its text, and \\ too'
    initial: A
    topology: cyclic
    context: {type: object, properties: {n: {type: integer}}}
    guards: {few: {expr: context.n < 3, reason: "n is {context.n}"}, asked: {external: true}}
    tools:
      look: {effect: read, when: few}
      pay: {require: [few, asked], emits: [{event: PAID, set: {n: "1"}}], on_failure: LOST, approval: true}
    states:
      A: {tools: [look, pay], transitions: [{event: PAID, target: B}, {event: LOST, target: A, guard: few}, {event: LOST, target: B}]}
      B: {tools: [pay], tool_budget: {limit: 3, fallback: C}, max_visits: 2, on_exhausted: C, transitions: [{event: LOST, target: A}]}
      C: {type: terminal}
    """
).to_json()


def outcome(text: str) -> tuple[str, str] | str:
    """What loading gives: the digest and the text of the table, or the kind of the refusal."""
    try:
        loaded = Table.from_json(text)
    except TableError as error:
        return "changed" if "was changed" in str(error) else "refused"
    return loaded.digest, loaded.to_json()


def careful(text: str) -> tuple[str, str] | str:
    """The same from the data."""
    try:
        data = json.loads(text)
        loaded = Table(data)
    except TableError as error:
        return "changed" if "was changed" in str(error) else "refused"
    except (ValueError, RecursionError):
        return "refused"
    return loaded.digest, loaded.to_json()


def test_the_text_that_was_written_takes_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "parts_of_data", None)
    assert Table.from_json(TEXT + "\n").to_json() == TEXT


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(json.loads(TEXT), indent=2),
        json.dumps(dict(reversed(json.loads(TEXT).items()))),
        json.dumps(json.loads(TEXT), indent=1).replace("\n", "\r\n"),
        f" \n{TEXT}\r\n\n",
    ],
    ids=["indented", "in another order", "with line ends", "with blanks around"],
)
def test_a_text_that_was_laid_out_anew_is_the_same_table(text: str) -> None:
    assert outcome(text) == outcome(TEXT)


def test_a_source_map_behind_the_machine_changes_nothing() -> None:
    data = {**json.loads(TEXT), "source_map": {"file": "x.yaml", "states": []}}
    assert outcome(canonical_json(data)) == careful(canonical_json(data))


MACHINE = TEXT.index(',"machine":')


@pytest.mark.parametrize(
    "text",
    [
        TEXT[:-1],
        TEXT + "}",
        TEXT + "x",
        TEXT[:-1] + ',"machine":{}}',
        TEXT[:MACHINE] + "}",
        TEXT.replace('"about":{', '"about":{"machine":{},'),
        TEXT.replace('"about"', '"abuot"'),
        TEXT.replace('"fsmc-table/1"', '"fsmc-table/2"'),
        TEXT.replace('"format"', '"fromat"'),
        '{"format":"fsmc-table/1","machine":{}}',
        '{"about":{},"digest":"","format":"fsmc-table/1","machine":' + "[" * 100_000,
        "[]",
        "null",
        "",
        "\ud800",
    ],
)
def test_other_texts_are_refused_either_way(text: str) -> None:
    assert outcome(text) == careful(text)
    assert isinstance(outcome(text), str)


def test_whatever_is_changed_both_ways_say_the_same() -> None:
    """Characters changed, doubled, left out, and pieces moved: the same table, or a refusal, whichever way it is read."""
    chance = random.Random(7)
    for _ in range(1500):
        text = TEXT
        for _ in range(chance.randint(1, 2)):
            at, to = sorted(chance.sample(range(len(text)), 2))
            piece = text[at : min(to, at + 40)]
            text = chance.choice([
                text[:at] + chance.choice('{}[]",:0a\\ \ud800') + text[at + 1 :],
                text[:at] + text[at + 1 :],
                text[:at] + piece + text[at:],
                text[:at] + text[at + len(piece) :],
                text[: at + len(piece)] + piece + text[at + len(piece) :],
            ])  # fmt: skip
        assert outcome(text) == careful(text), text


def signed(machine: Any) -> str:
    """The text of a table with a digest that matches."""
    text = canonical_json(machine)
    head = {**json.loads(TEXT), "digest": verify.digest(text)}
    del head["machine"]
    return canonical_json(head)[:-1] + f',"machine":{text}}}'


def changed(path: tuple[Any, ...], value: Any) -> str:
    machine = json.loads(TEXT)["machine"]
    inner = machine
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return signed(machine)


@pytest.mark.parametrize("value", [-1, 3, 10**30, True, 1.0, "0", None, [0], {}])
@pytest.mark.parametrize(
    "path",
    [
        *[("transitions", row, place) for row in (0, 1) for place in range(3)],
        ("states", 0, "tools", 0),
        ("states", 1, "on_exhausted"),
        ("states", 1, "budget", 2),
        ("tools", 0, "when"),
        ("tools", 1, "require", 1),
        ("tools", 1, "on_failure"),
        ("tools", 1, "emits", 0, 0),
        ("tools", 1, "emits", 0, 1),
        ("initial",),
    ],
)
def test_a_number_of_what_is_not_there_is_found_when_the_table_is_loaded(path: tuple[Any, ...], value: Any) -> None:
    text = changed(path, value)
    assert outcome(text) == careful(text)
    none = value == -1 and ("budget" in path or "emits" in path)
    assert (outcome(text) == "refused") is not none


@pytest.mark.parametrize(
    "row", [[], [0, 0], [0, 0, 1, 0], [0, 0, 1, -1, -1, 0, 0], [0, 0, 1, -2, -1, 0], [0, 0, 1, -1, 9, 0], 7, {}, "abc"]
)
def test_a_transition_of_another_shape_is_refused(row: Any) -> None:
    assert outcome(changed(("transitions", 0), row)) == "refused"


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"tools": [0]},
        {"name": 1},
        {"name": "A", "tools": 1},
        {"name": "A", "tools": [0], "extra": 1},
        {"name": "B"},
        7,
        [],
        None,
    ],
)
def test_a_state_of_another_shape_is_refused(state: Any) -> None:
    assert outcome(changed(("states", 0), state)) == "refused"


def test_states_and_candidates_are_made_in_any_order_of_rows_and_questions() -> None:
    machine = json.loads(TEXT)["machine"]
    machine["transitions"].sort(key=lambda row: -row[0])
    shuffled = Table.from_json(signed(machine))
    sound = Table.from_json(TEXT)
    assert shuffled.transitions == sound.transitions
    assert [shuffled.states[name] for name in reversed(list(shuffled.states))] == list(
        reversed(list(sound.states.values()))
    )
    assert (
        shuffled.states == sound.states and len(sound.states) == 3 and "A" in sound.states and "X" not in sound.states
    )
    with pytest.raises(KeyError):
        sound.states["X"]


def test_bytes_with_a_mark_before_them_are_a_table_too(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_bytes(TEXT.encode(encoding))
        if encoding == "utf-16":
            with pytest.raises(fsmc.FsmcError):
                fsmc.load(path)
        else:
            assert fsmc.load(path).to_json() == TEXT
