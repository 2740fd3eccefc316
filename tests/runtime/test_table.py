"""The frozen table: what a step answers, what cannot be changed, what a file must be to be loaded."""

from __future__ import annotations

import copy
import hashlib
import json
import sys

import pytest

from fsmc.compiler import compile_policy
from fsmc.runtime.canonical import canonical_json, text_digest
from fsmc.runtime.errors import TableError
from fsmc.runtime.table import Table
from fsmc.runtime.verify import digest
from tests.support import policy, table

GATE = """
    fsmc: 1
    id: gate
    initial: A
    topology: cyclic
    context:
      type: object
      properties: {open: {type: boolean}, n: {type: integer}}
    guards:
      asked: {external: true}
      open: {expr: context.open, reason: "n is {context.n}"}
    states:
      A:
        transitions:
          - {event: GO, target: B, guard: open, set: {n: event.n + 1}}
          - {event: GO, target: C, guard: asked}
          - {event: STOP, target: D}
          - {event: AGAIN, target: LIMITED}
      B: {transitions: [{event: GO, target: D}]}
      C: {transitions: [{event: GO, target: D}]}
      LIMITED: {max_visits: 2, on_exhausted: D, transitions: [{event: BACK, target: A}]}
      D: {type: terminal}
"""


@pytest.fixture(scope="module")
def gate() -> Table:
    return table(GATE)


class TestStep:
    def test_the_first_candidate_whose_guard_holds_wins_and_writes(self, gate: Table) -> None:
        step = gate.step("A", "GO", {"context": {"open": True}, "event": {"n": 4}})
        assert (step.code, step.target, step.kind, dict(step.writes)) == ("moved", "B", "transition", {"n": 5})

    def test_a_guard_that_does_not_hold_leaves_it_to_the_next(self, gate: Table) -> None:
        step = gate.step("A", "GO", {"context": {"open": False}}, {"asked": True})
        assert (step.code, step.target) == ("moved", "C")

    def test_an_external_guard_must_be_answered(self, gate: Table) -> None:
        step = gate.step("A", "GO", {"context": {"open": False}})
        assert (step.code, step.guard, step.target) == ("guard_needed", "asked", None)

    @pytest.mark.parametrize("answer", [False, None, 1, "yes", ValueError("no calendar")])
    def test_only_true_lets_a_guard_hold(self, gate: Table, answer: object) -> None:
        step = gate.step("A", "GO", {"context": {"open": False, "n": 3}}, {"asked": answer})
        assert step.code == "guard_rejected"
        assert "n is 3" in step.reason and "asked" in step.reason

    def test_a_set_that_fails_moves_nothing(self, gate: Table) -> None:
        step = gate.step("A", "GO", {"context": {"open": True}, "event": {}})
        assert (step.code, step.target) == ("set_failed", None)
        assert "n" in step.reason

    @pytest.mark.parametrize(
        ("state", "event", "code"),
        [
            ("A", "BACK", "no_transition"),
            ("D", "GO", "no_transition"),
            ("A", "NOPE", "unknown_event"),
            ("NOPE", "GO", "unknown_state"),
        ],
    )
    def test_what_does_not_move_says_why(self, gate: Table, state: str, event: str, code: str) -> None:
        step = gate.step(state, event)
        assert (step.code, step.moved) == (code, False)
        assert step.reason

    def test_a_state_that_may_not_be_entered_again_sends_elsewhere(self, gate: Table) -> None:
        first = gate.step("A", "AGAIN", {"visits": {"LIMITED": 1}})
        assert (first.target, first.kind) == ("LIMITED", "transition")
        third = gate.step("A", "AGAIN", {"visits": {"LIMITED": 2}})
        assert (third.target, third.kind) == ("D", "exhausted")

    def test_without_facts_an_expression_is_undecided_not_an_error(self, gate: Table) -> None:
        assert gate.step("A", "GO", None, {"asked": False}).code == "guard_rejected"


class TestFrozen:
    def test_no_public_path_changes_a_table(self, gate: Table) -> None:
        with pytest.raises(AttributeError):
            gate.initial = "B"  # type: ignore[misc]
        with pytest.raises(AttributeError):
            del gate.states
        with pytest.raises(TypeError):
            gate.states["A"] = gate.states["B"]  # type: ignore[index]
        with pytest.raises(AttributeError):
            gate.states["A"].tools.append("x")  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            gate.states["A"].tools = ()  # type: ignore[misc]
        step = gate.step("A", "GO", {"context": {"open": True}, "event": {"n": 1}})
        with pytest.raises(TypeError):
            step.writes["n"] = 9  # type: ignore[index]

    def test_changing_the_data_it_was_made_from_changes_nothing(self) -> None:
        data = compile_policy(policy(GATE))
        made = Table(data)
        before = made.to_json()
        data["machine"]["transitions"].clear()
        data["machine"]["states"][0]["name"] = "X"
        assert made.to_json() == before
        assert made.step("A", "STOP").target == "D"


class TestFile:
    def test_text_survives_the_round_trip(self, gate: Table) -> None:
        assert Table(json.loads(gate.to_json())).to_json() == gate.to_json()

    def test_descriptions_and_versions_do_not_change_the_digest(self, gate: Table) -> None:
        texts = GATE.replace("id: gate", 'id: other\n    version: "9"\n    description: words')
        assert table(texts).digest == gate.digest

    def test_a_guard_changes_the_digest(self, gate: Table) -> None:
        assert table(GATE.replace("expr: context.open", "expr: '!context.open'")).digest != gate.digest

    @pytest.mark.parametrize(
        ("damage", "said"),
        [
            (lambda data: data.pop("format"), "not a compiled table"),
            (lambda data: data.update(format="fsmc-table/2"), "compile the policy again"),
            (lambda data: data.pop("digest"), "changed after it was compiled"),
            (lambda data: data.pop("about"), "damaged"),
            (lambda data: data["machine"]["states"][1].update(type="terminal"), "changed after it was compiled"),
            (lambda data: data["machine"].update(extra=1.5), "changed after it was compiled"),
        ],
    )
    def test_a_changed_file_is_refused(self, gate: Table, damage: object, said: str) -> None:
        data = json.loads(gate.to_json())
        damage(data)  # type: ignore[operator]
        with pytest.raises(TableError, match=said):
            Table(data)

    @pytest.mark.parametrize("value", [None, [], "x", 3, {}, {"format": []}])
    def test_what_is_no_table_is_refused(self, value: object) -> None:
        with pytest.raises(TableError):
            Table(value)  # type: ignore[arg-type]

    def test_every_way_to_break_a_signed_machine_is_one_clear_error(self, gate: Table) -> None:
        """A digest only proves that nobody changed the file by accident; a machine that makes no sense is still refused."""
        sound = json.loads(gate.to_json())
        for key in sound["machine"]:
            for bad in (None, [], {}, 7, "x", [[1]], [{}], [[99, 99, 99, 99, 99, 0]]):
                data = copy.deepcopy(sound)
                data["machine"][key] = bad
                data["digest"] = digest(canonical_json(data["machine"]))
                try:
                    Table(data)
                except TableError:
                    continue

    @pytest.mark.parametrize("part", ["states", "events", "tools", "guards"])
    def test_names_are_texts(self, gate: Table, part: str) -> None:
        data = json.loads(gate.to_json())
        data["machine"][part] = data["machine"][part] or [{"name": "x", "effect": "read"}]
        data["machine"][part][0]["name"] = 7
        data["digest"] = digest(canonical_json(data["machine"]))
        with pytest.raises(TableError, match="7 is not of type 'string'"):
            Table(data)

    def test_canonical_bytes_are_those_of_rfc_8785(self, gate: Table) -> None:
        rfc8785 = pytest.importorskip("rfc8785")
        data = json.loads(gate.to_json())
        assert rfc8785.dumps(data) == canonical_json(data).encode()


@pytest.mark.parametrize("size", [0, 64, 1_000_000])
def test_digests_do_not_depend_on_who_computes_them(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ä" * size
    expected = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert text_digest(text) == expected
    for name in ("_sha2", "_sha256"):
        monkeypatch.setitem(sys.modules, name, None)  # an import of it fails
    assert text_digest(text) == expected
