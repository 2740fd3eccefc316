"""Recorded runs through a policy: verdicts, what goes on after a refusal, and what is wrong with traces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fsmc.runtime.errors import BindingError
from fsmc.runtime.table import Table
from fsmc.simulation import RunReport, simulate
from fsmc.trace import read
from tests.support import table

CLINIC = """
    fsmc: 1
    id: clinic
    initial: TRIAGE
    context: {type: object, properties: {role: {enum: [patient, staff]}, patient: {type: string}}}
    guards: {calendar_agrees: {external: true}}
    defaults:
      tools: [look]
      tool_budget: {limit: 4, fallback: HANDOFF}
      transitions: [{event: CANCELLED, target: HANDOFF}]
    tools:
      look: {effect: read}
      verify:
        effect: read
        input_schema: {type: object, properties: {document: {type: string}}, required: [document]}
        emits: [{event: IDENTIFIED, set: {patient: result.id}}]
      confirm: {approval: true, emits: [{event: CONFIRMED}]}
    states:
      TRIAGE: {tools: [verify], parallel_calls: 2, transitions: [{event: IDENTIFIED, target: BOOKING}]}
      BOOKING: {tools: [confirm], transitions: [{event: CONFIRMED, target: DONE, guard: calendar_agrees}]}
      DONE: {type: terminal}
      HANDOFF: {type: terminal}
"""


@pytest.fixture(scope="module")
def clinic() -> Table:
    return table(CLINIC)


def play(clinic: Table, *records: dict[str, Any], **options: Any) -> RunReport:
    data = "\n".join(json.dumps(record) for record in records).encode()
    (run,) = read(data, "run.jsonl")
    return simulate(clinic, run, **options)


def chat(clinic: Table, *messages: dict[str, Any], **options: Any) -> RunReport:
    (run,) = read(json.dumps({"messages": messages}).encode(), "chat.json")
    return simulate(clinic, run, **options)


def says(*calls: tuple[str, str, Any]) -> dict[str, Any]:
    tool_calls = [
        {
            "id": i,
            "type": "function",
            "function": {"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)},
        }
        for i, name, arguments in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": tool_calls}


def returns(call_id: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


IDENTIFY = ({"call": "verify", "args": {"document": "X"}}, {"id": "#1", "result": {"id": "p1"}})


class TestNative:
    def test_a_run_that_follows_the_policy(self, clinic: Table) -> None:
        report = play(
            clinic,
            {"trace": 1, "policy": "clinic", "context": {"role": "patient"}},
            *IDENTIFY,
            {"guards": {"calendar_agrees": True}},
            {"approve": "confirm", "args": {"price": 1}},
            {"call": "confirm", "id": "c", "args": {"price": 1}},
            {"result": "ok", "id": "c"},
        )
        assert report.clean and report.finished and report.state == "DONE"
        assert [(move.source, move.event, move.target) for step in report.steps for move in step.moves] == [
            ("TRIAGE", "IDENTIFIED", "BOOKING"),
            ("BOOKING", "CONFIRMED", "DONE"),
        ]
        assert report.counts == {"allow": 2, "calls": 2, "moves": 2}

    def test_a_refused_call_moves_nothing_and_its_result_is_passed_over(self, clinic: Table) -> None:
        report = play(
            clinic,
            {"call": "confirm", "id": "c"},
            {"id": "c", "result": "confirmed!"},
            *IDENTIFY[:1],
            {"id": "#2", "result": {"id": "p"}},
        )
        refused, passed, allowed, moved = report.steps
        assert (refused.verdict, refused.code, refused.state) == ("deny", "not_in_state", "TRIAGE")
        assert (refused.allowed_tools, refused.unlock) == (("verify", "look"), "reachable by IDENTIFIED")
        assert passed.reason == "of the refused call, passed over"
        assert (allowed.verdict, moved.state) == ("allow", "BOOKING")
        assert not report.clean and report.violations == (refused,)

    def test_what_needs_a_person_is_held_unless_told_otherwise(self, clinic: Table) -> None:
        records = (*IDENTIFY, {"call": "confirm", "id": "c"}, {"id": "c", "result": "ok"})
        held = play(clinic, *records, guards={"calendar_agrees": True})
        assert ([step.verdict for step in held.violations], held.state) == (["ask"], "BOOKING")
        approved = play(clinic, *records, guards={"calendar_agrees": True}, approve=True)
        assert (approved.clean, approved.state) == (True, "DONE")

    def test_a_guard_whose_outcome_is_not_recorded_grants_nothing(self, clinic: Table) -> None:
        report = play(clinic, *IDENTIFY, {"call": "confirm", "id": "c"}, {"id": "c", "result": "ok"}, approve=True)
        assert report.state == "BOOKING"
        assert any("its outcome is not recorded" in note for note in report.steps[-1].notes)

    def test_events_that_are_not_handled_or_reserved_are_violations(self, clinic: Table) -> None:
        report = play(clinic, {"event": "IDENTIFIED"}, {"event": "NOPE"}, {"event": "CANCELLED"}, {"goto": "DONE"})
        assert [(step.verdict, step.code) for step in report.steps] == [
            ("refused", "reserved"),
            ("refused", "unknown_event"),
            ("moved", "moved"),
            ("refused", "no_transition"),
        ]

    def test_a_spent_budget_is_shown_with_its_fallback(self, clinic: Table) -> None:
        records = [r for i in range(4) for r in ({"call": "look", "id": f"c{i}"}, {"id": f"c{i}", "result": 1})]
        report = play(clinic, *records)
        (move,) = report.steps[-1].moves
        assert (move.source, move.kind, move.target) == ("TRIAGE", "fallback", "HANDOFF")
        assert "budget of TRIAGE spent: 4 of 4 calls" in report.steps[-1].reason
        assert report.clean

    def test_released_calls_are_given_back(self, clinic: Table) -> None:
        report = play(clinic, {"call": "look", "id": "a"}, {"id": "a", "release": True})
        assert report.clean and report.open_calls == ()

    @pytest.mark.parametrize(
        ("record", "code", "said"),
        [
            ({"evnt": "X"}, "broken_record", "did you mean `event`"),
            ({"event": 5}, "broken_record", "record.event: 5 is not of type 'string'"),
            ({"event": "X", "call": "look"}, "broken_record", "says one thing"),
            ({"id": "x"}, "broken_record", "needs one of"),
            ({"trace": 1}, "broken_record", "belongs on the first line"),
            ({"result": 1, "id": "zz"}, "orphan_result", "no call has the id zz"),
            ({"release": True, "id": "zz"}, "orphan_result", "zz"),
            ({"context": {"role": "robot"}}, "bad_context", "context.role"),
            ({"guards": {"calendar": True}}, "unknown_guard", "calendar"),
            ({"approve": "look"}, "bad_approval", "look"),
        ],
    )
    def test_what_is_wrong_with_a_record_is_a_finding(
        self, clinic: Table, record: dict[str, Any], code: str, said: str
    ) -> None:
        report = play(clinic, *IDENTIFY, record)
        (finding,) = report.findings
        assert (finding.at, finding.code, said in finding.message) == ("line 3", code, True), finding
        assert report.state == "BOOKING"

    def test_missing_and_duplicate_results(self, clinic: Table) -> None:
        report = play(
            clinic,
            {"call": "look", "id": "a"},
            {"call": "look", "id": "b"},
            {"id": "a", "result": 1},
            {"id": "a", "result": 2},
        )
        assert {(finding.at, finding.code) for finding in report.findings} == {
            ("line 4", "duplicate_result"),
            ("line 2", "missing_result"),
        }
        assert report.open_calls == ("b",)

    def test_an_id_may_be_used_again_once_its_call_has_a_result(self, clinic: Table) -> None:
        report = play(
            clinic,
            {"call": "look", "id": "a"},
            {"id": "a", "result": 1},
            {"call": "confirm", "id": "a"},
            {"id": "a", "result": 2},
            {"call": "look", "id": "a", "args": {"x": 1}},
            {"id": "a", "result": 3},
        )
        assert not report.findings
        assert [step.verdict for step in report.steps] == ["allow", "stayed", "deny", "noted", "allow", "stayed"]

    def test_an_id_that_is_open_is_refused(self, clinic: Table) -> None:
        report = play(clinic, {"call": "look", "id": "a"}, {"call": "look", "id": "a"}, {"id": "a", "result": 1})
        assert [finding.code for finding in report.findings] == ["duplicate_call"]
        assert [step.verdict for step in report.steps] == ["allow", "deny", "stayed"]

    def test_a_trace_of_another_table_says_so(self, clinic: Table) -> None:
        assert play(clinic, {"trace": 1, "digest": clinic.digest}, *IDENTIFY).clean
        report = play(clinic, {"trace": 1, "digest": "sha256:0"}, *IDENTIFY)
        assert report.findings[0].code == "other_digest"

    def test_a_context_that_does_not_fit_is_an_error(self, clinic: Table) -> None:
        with pytest.raises(BindingError, match=r"context\.role"):
            play(clinic, {"event": "CANCELLED"}, context={"role": "robot"})
        with pytest.raises(BindingError, match="calendar"):
            play(clinic, {"event": "CANCELLED"}, guards={"calendar": True})


class TestOpenAI:
    def test_parallel_calls_each_get_a_verdict_in_order(self, clinic: Table) -> None:
        report = chat(
            clinic,
            {"role": "user", "content": "hi"},
            says(("a", "look", "{}"), ("b", "verify", {"document": "X"}), ("c", "look", {"x": 1})),
            returns("a", "nothing"),
            returns("b", '{"id": "p1"}'),
            returns("c", "nothing"),
        )
        calls = [step for step in report.steps if step.kind == "call"]
        assert [(step.at, step.subject, step.verdict) for step in calls] == [
            ("message 1", "look", "allow"),
            ("message 1", "verify", "allow"),
            ("message 1", "look", "deny"),
        ]
        assert calls[2].code == "parallel_calls"
        assert report.state == "BOOKING"

    @pytest.mark.parametrize("arguments", ["", None])
    def test_no_arguments_means_none(self, clinic: Table, arguments: Any) -> None:
        message = says(("a", "look", "{}"))
        message["tool_calls"][0]["function"]["arguments"] = arguments
        assert chat(clinic, message, returns("a", "ok")).clean

    @pytest.mark.parametrize(
        "arguments", ['{"document": ', "[1]", "null", '{"document": NaN}', '{"document": "a", "document": "b"}']
    )
    def test_broken_arguments_are_refused_and_the_run_goes_on(self, clinic: Table, arguments: str) -> None:
        report = chat(
            clinic, says(("a", "verify", arguments)), returns("a", "{}"), says(("b", "look", "{}")), returns("b", "x")
        )
        first = report.steps[0]
        assert (first.verdict, first.code) == ("deny", "invalid_arguments")
        assert [step.verdict for step in report.steps if step.kind == "call"] == ["deny", "allow"]

    @pytest.mark.parametrize(
        "message",
        [
            {"role": "assistant", "tool_calls": "x"},
            {"role": "assistant", "tool_calls": {}},
            {"role": ["a"]},
            {"role": "assistant", "function_call": {"name": 7}},
            {
                "role": "assistant",
                "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "look", "input": "x"}}],
            },
            {"role": "function", "name": "look", "content": "x"},
            {"role": "assistant", "tool_calls": [None]},
            {"role": "assistant", "tool_calls": [{"id": 1, "function": {"name": 3}}]},
            {"role": "tool", "content": "x"},
            {"role": "tool", "tool_call_id": "q", "content": [{"type": "text", "text": 5}]},
            "text",
            None,
        ],
    )
    def test_a_broken_message_is_a_finding_with_its_index(self, clinic: Table, message: Any) -> None:
        report = chat(clinic, {"role": "user", "content": "hi"}, message)
        assert [finding.at for finding in report.findings] == ["message 1"]

    def test_calls_of_the_older_form_are_judged_too(self, clinic: Table) -> None:
        def asks(name: str, arguments: str) -> dict[str, Any]:
            return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": arguments}}

        report = chat(
            clinic,
            asks("confirm", "{}"),
            {"role": "function", "name": "confirm", "content": "done"},
            asks("verify", '{"document": "X"}'),
            {"role": "function", "name": "verify", "content": '{"id": "p"}'},
        )
        assert not report.findings
        assert [step.verdict for step in report.steps] == ["deny", "noted", "allow", "moved"]

    def test_the_containers_of_conversations(self, clinic: Table) -> None:
        talk = [says(("a", "look", "{}")), returns("a", "x")]
        lines = "\n".join(json.dumps(message) for message in talk)
        for text, runs in [
            (json.dumps(talk), 1),
            (json.dumps({"messages": talk}), 1),
            (json.dumps([{"task_id": 1, "traj": talk}, {"task_id": 2, "traj": talk}]), 2),
            (json.dumps({"messages": talk}) + "\n" + json.dumps({"messages": talk}), 2),
            (lines, 1),
        ]:
            reports = [simulate(clinic, run) for run in read(text.encode(), "t")]
            assert [report.counts.get("allow") for report in reports] == [1] * runs, text
