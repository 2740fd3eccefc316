"""Loading a table from text against freezing its data: two ways, one outcome; and tables that are signed but make no sense."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fsmc
from fsmc.runtime import plain, verify
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.errors import FsmcError, TableError
from fsmc.runtime.schemas import quick_check
from fsmc.runtime.table import Table
from fsmc.runtime.verify import digest, parts_of_text
from tests.support import table

POLICY = """
    fsmc: 1
    id: loaded
    description: 'a "machine": {} and a \\ in a text'
    initial: A
    topology: cyclic
    context: {type: object, properties: {open: {type: boolean}, n: {type: integer}}}
    defaults: {tool_budget: {limit: 8, fallback: E}}
    guards:
      asked: {external: true}
      open: {expr: context.open, reason: "n is {context.n}"}
    tools:
      look: {effect: read, description: Looks., input_schema: {type: object, properties: {q: {type: string}}}}
      act: {when: context.open, require: context.n >= 1, max_calls: 2, approval: {expires: 1h}, emits: [{event: DONE}]}
    states:
      A:
        description: The start.
        tools: [look]
        transitions:
          - {event: GO, target: B, guard: open, set: {n: event.n + 1}}
          - {event: GO, target: C, guard: asked}
          - {event: STOP, target: D}
      B: {tools: [look, act], tool_budget: {limit: 3, repeated: 2, fallback: C}, transitions: [{event: DONE, target: D}]}
      C: {parallel_calls: 1, max_visits: 2, on_exhausted: D, transitions: [{event: GO, target: D}]}
      D: {type: terminal}
      E: {type: terminal}
"""
JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 99, 10**30, 0.0, 1.0, 1.5, -0.0, "", "x", "é", 'q"\\', [], {}, [[]], [0], [1.0], {"name": "x"},
)  # fmt: skip
CHARACTERS = '{}[]",:-0123456789eE.tfn \\\n\t\u00a0\u00e9x'


@pytest.fixture(scope="module")
def sound() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(table(POLICY).to_json())
    return data


@pytest.fixture(params=["patterns", "written again"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways to see that a text is canonical, whatever its size."""
    monkeypatch.setattr(verify, "_SMALL", 0 if request.param == "patterns" else 10**9)
    yield request.param


def signed(data: dict[str, Any], machine: str | None = None) -> str:
    """The text of a table whose digest is right for the text *machine*, by default the canonical one."""
    machine = machine or canonical_json(data["machine"])
    about = canonical_json(data["about"])
    return f'{{"about":{about},"digest":"{digest(machine)}","format":"fsmc-table/1","machine":{machine}}}'


def outcome(make: Any) -> tuple[str, str]:
    """The digest and text of a table that works, or the kind of its refusal."""
    try:
        made = make()
    except TableError:
        return "refused", ""
    except (FsmcError, ValueError, RecursionError) as error:
        assert not isinstance(error, UnicodeError)
        return "no table", ""
    use(made)
    return made.digest, made.to_json()


def use(made: Table) -> None:
    """Whatever was made late is made now."""
    assert all(hash(info) for info in (*made.states.values(), *made.tools.values()))
    assert isinstance(made.transitions, tuple)
    for state in made.states:
        for event in made.events:
            made.step(state, event)
        for tool in made.tools:
            made.way_to_offer(state, tool)


def same(path: Path, text: str) -> str:
    """The outcome of *text*, which is that of its data."""
    raw = text.encode(errors="surrogatepass")
    path.write_bytes(raw)
    loaded = outcome(lambda: fsmc.load(path))
    frozen = outcome(lambda: Table(json.loads(raw)))
    if loaded[0] == "no table":
        assert frozen[0] in ("no table", "refused"), text
    else:
        assert loaded == frozen, text
    return loaded[0]


def changed(value: Any, chance: random.Random) -> Any:
    """*value* with something else somewhere inside."""
    value = copy.deepcopy(value)
    inside: Any = value
    while True:
        keys = list(inside) if isinstance(inside, dict) else range(len(inside))
        key = chance.choice(keys)
        if chance.random() < 0.3 or not isinstance(inside[key], (dict, list)) or not inside[key]:
            break
        inside = inside[key]
    kind = chance.randrange(4)
    if kind == 0:
        del inside[key]
    elif kind == 1 and isinstance(inside, list):
        inside.append(copy.deepcopy(inside[key]))
    else:
        inside[key] = copy.deepcopy(chance.choice(JUNK))
    return value


def scratched(text: str, chance: random.Random) -> str:
    """*text* with some characters more, fewer or other."""
    at = chance.randrange(len(text))
    kept = chance.randrange(2)
    return text[:at] + chance.choice(("", chance.choice(CHARACTERS))) + text[at + kept :]


@pytest.mark.parametrize("seed", range(4))
def test_text_and_data_have_the_same_outcome(tmp_path: Path, sound: dict[str, Any], way: str, seed: int) -> None:
    chance = random.Random(seed)
    text, machine = signed(sound), canonical_json(sound["machine"])
    assert same(tmp_path / "t.json", text) == digest(machine)
    seen = set()
    for _ in range(60):
        seen.add(same(tmp_path / "t.json", scratched(text, chance)))
        seen.add(same(tmp_path / "t.json", signed(sound, scratched(machine, chance))))
        seen.add(same(tmp_path / "t.json", signed({**sound, "machine": changed(sound["machine"], chance)})))
        seen.add(same(tmp_path / "t.json", signed({**sound, "about": changed(sound["about"], chance)})))
        seen.add(same(tmp_path / "t.json", json.dumps(changed(sound, chance), indent=chance.choice((None, 1)))))
    assert {"refused", "no table", digest(machine)} < seen


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda text: text.replace(',"sets"', ', "sets"'),
        lambda text: text.replace('"sets":', '"sets":[[1]],"sets":'),
        lambda text: text.replace('"look"', '"l\\u006fok"'),
        lambda text: text.replace('"initial":0', '"initial":-0'),
        lambda text: text.replace('"name":"D","type":"terminal"', '"type":"terminal","name":"D"'),
        lambda text: text.replace('"name":"D"', '"name":"X","name":"D"'),
        lambda text: text.replace("[0,1,1,", "[0, 1,1,"),
        lambda text: text + " ",
        lambda text: text[:-1] + ',"zzz":0}',
    ],
)
def test_a_digest_of_text_that_is_not_canonical_is_wrong(
    tmp_path: Path, sound: dict[str, Any], way: str, rewritten: Any
) -> None:
    """A table has one digest, however it is written: everybody who computes it must find the same."""
    machine = rewritten(canonical_json(sound["machine"]))
    assert same(tmp_path / "t.json", signed(sound, machine)) == "refused"


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda text: f"\ufeff{text}\r\n",
        lambda text: json.dumps(json.loads(text), indent=2),
        lambda text: json.dumps(json.loads(text)).replace("\n", "\r\n"),
        lambda text: json.dumps(dict(reversed(json.loads(text).items()))),
        lambda text: '{"machine":1,' + text[1:],
        lambda text: text.replace('{"about":', '{"about":{},"about":', 1),
        lambda text: text[:-1] + ',"source_map":{"file":"x","states":[],"tools":[],"transitions":[]}}',
    ],
)
def test_a_table_written_otherwise_is_the_same_table(
    tmp_path: Path, sound: dict[str, Any], way: str, rewritten: Any
) -> None:
    assert same(tmp_path / "t.json", rewritten(signed(sound))) == digest(canonical_json(sound["machine"]))


@pytest.mark.parametrize("rewritten", [lambda text: text + "x", lambda text: text + "\u00a0", lambda text: text[:-1]])
def test_what_is_no_json_is_no_table(tmp_path: Path, sound: dict[str, Any], rewritten: Any) -> None:
    assert same(tmp_path / "t.json", rewritten(signed(sound))) == "no table"


@pytest.mark.parametrize(
    "about",
    [
        '{"id":"x","states":[[0,NaN]]}',
        '{"id":"x","states":[[0,1e999]]}',
        '{"id":"x","states":[[0,["text"]]]}',
        '{"id":"x","tools":[[[],"text"]]}',
        '{"id":"x","tools":[[0.0,"text"]]}',
        '{"id":"x","tools":[[99,"text"]]}',
        '{"id":"x","machine":{}}',
    ],
)
def test_texts_that_are_none_are_refused_when_the_table_is_loaded(
    tmp_path: Path, sound: dict[str, Any], about: str
) -> None:
    text = signed(sound).replace(canonical_json(sound["about"]), about)
    assert same(tmp_path / "t.json", text) == "refused"


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("part", "number", "key", "value"),
    [
        ("states", 2, "on_exhausted", 3.0),
        ("states", 2, "max_visits", 2.0),
        ("states", 2, "parallel_calls", 1.0),
        ("states", 1, "budget", [3.0, 2, -1]),
        ("states", 1, "budget", [3, 2, 0.0]),
        ("states", 1, "tools", [0.0]),
        ("tools", 0, "when", 0.0),
        ("tools", 0, "require", [0.0]),
        ("tools", 0, "max_calls", 2.0),
        ("tools", 0, "approval", 2.0),
        ("tools", 0, "on_failure", 0.0),
        ("tools", 0, "emits", [[0, 0.0, -1]]),
        ("tools", 0, "input_schema", DEEP),
        ("tools", 0, "output_schema", "7"),
    ],
)
def test_a_signed_table_that_makes_no_sense_is_refused(
    tmp_path: Path, sound: dict[str, Any], way: str, part: str, number: int, key: str, value: Any
) -> None:
    data = copy.deepcopy(sound)
    data["machine"][part][number][key] = value
    assert same(tmp_path / "t.json", signed(data)) == "refused"


@pytest.mark.parametrize(
    ("key", "value"),
    [("context", DEEP), ("context", "[]"), ("initial", 0.0), ("transition_guard", 0.0), ("transition_guard", 99)],
)
def test_a_signed_machine_that_makes_no_sense_is_refused(
    tmp_path: Path, sound: dict[str, Any], way: str, key: str, value: Any
) -> None:
    assert same(tmp_path / "t.json", signed({**sound, "machine": {**sound["machine"], key: value}})) == "refused"


@pytest.mark.parametrize(
    "row",
    [[0, 0], [0, 0, 0, 0], [[0, 0, 0], 0, 0], [0, 0, True], [0, 0, 1.0], [0, 0, -1], [0, 0, 10**30], [0, 0, 99], [99, 0, 0],
     [0, 99, 0], [0, 0, 0, 99, -1, 0], [0, 0, 0, -1, 99, 0], [0, 0, 0, -1, -1, 2], [0, 0, 0, -2, -1, 0], "abc", {}, None, 0],
)  # fmt: skip
def test_a_transition_that_makes_no_sense_is_refused(
    tmp_path: Path, sound: dict[str, Any], way: str, row: object
) -> None:
    for rows in ([*sound["machine"]["transitions"], row], [row]):
        machine = {**sound["machine"], "transitions": rows}
        assert same(tmp_path / "t.json", signed({**sound, "machine": machine})) == "refused"


def test_the_patterns_take_what_the_compiler_writes(sound: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "_SMALL", 0)
    parts = parts_of_text(signed(sound))
    assert parts is not None and parts.plain
    keys = {key for state in sound["machine"]["states"] for key in state}
    assert keys == {"name", "type", "tools", "budget", "parallel_calls", "max_visits", "on_exhausted"}


@pytest.mark.parametrize("seed", range(4))
def test_what_the_patterns_take_is_canonical_and_allowed_by_the_schema(
    sound: dict[str, Any], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(verify, "_SMALL", 0)
    chance = random.Random(seed)
    text = canonical_json(sound["machine"])
    taken = 0
    for _ in range(1_500):
        candidate = scratched(text, chance)
        try:
            machine = json.loads(candidate)
            if not plain.is_plain(candidate, machine):
                continue
        except ValueError:
            continue
        taken += 1
        assert canonical_json(machine) == candidate
        parts = {"states": machine["states"], "transitions": machine["transitions"]}
        body = {**sound, "machine": {**sound["machine"], **parts}}
        assert quick_check("table-v1")(body), candidate
    assert taken > 50
