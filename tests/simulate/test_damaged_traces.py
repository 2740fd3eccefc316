"""Traces with something wrong in them: the rest is used, each flaw is one finding, and nothing is lost in silence."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from fsmc.report.simulation import run_text, simulation_json
from fsmc.runtime.errors import BindingError
from fsmc.runtime.table import Table
from fsmc.simulation import RunReport, simulate
from fsmc.trace import Run, TraceError, read
from fsmc.trace.load import MAX_DEPTH, decode, deeper_than
from fsmc.trace.records import Call, Result
from tests.support import table

CLINIC = """
    fsmc: 1
    id: clinic
    initial: TRIAGE
    context: {type: object, properties: {role: {enum: [patient, staff]}, patient: {type: string}}}
    tools:
      look: {effect: read}
      verify: {effect: read, emits: [{event: IDENTIFIED, set: {patient: result.id}}]}
      confirm: {effect: read, emits: [{event: CONFIRMED}]}
    states:
      TRIAGE: {tools: [look, verify], transitions: [{event: IDENTIFIED, target: BOOKING}]}
      BOOKING: {tools: [look, confirm], transitions: [{event: CONFIRMED, target: DONE}]}
      DONE: {type: terminal}
"""
CALL = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}}]}
RESULT = {"role": "tool", "tool_call_id": "a", "content": "x"}
TALK: list[Any] = [{"role": "user", "content": "hi"}, CALL, RESULT]
NATIVE = ({"call": "look", "id": "a"}, {"result": 1, "id": "a"})


@pytest.fixture(scope="module")
def clinic() -> Table:
    return table(CLINIC)


def reports(clinic: Table, *lines: Any, **options: Any) -> list[RunReport]:
    """A text stands for itself, anything else for its JSON."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    found = [simulate(clinic, run, **options) for run in read(text.encode(), "t")]
    json.loads(simulation_json(found, clinic.digest), parse_constant=pytest.fail)
    for report in found:
        assert run_text(report, color=False)
    return found


def report(clinic: Table, *lines: Any, **options: Any) -> RunReport:
    (found,) = reports(clinic, *lines, **options)
    return found


def codes(found: RunReport) -> list[tuple[str, str]]:
    return [(finding.at, finding.code) for finding in found.findings]


@pytest.mark.parametrize("role", [["tool"], {"a": 1}, None, 7, True])
@pytest.mark.parametrize("first", [True, False])
def test_a_role_that_is_no_text(clinic: Table, role: Any, first: bool) -> None:
    for message in ({"role": role}, {**CALL, "role": role}):
        talk = [message, *TALK] if first else [*TALK, message]
        for lines in ([talk], [{"messages": talk}], talk):
            found = report(clinic, *lines)
            assert codes(found) == [(f"message {0 if first else 3}", "broken_record")]
            assert found.counts["allow"] == 1
    with pytest.raises(TraceError):
        read(json.dumps({"role": role}).encode(), "t")


@pytest.mark.parametrize("context", [{"role": "robot"}, {"unknown": 1}, {"patient": "p", "role": 5}])
def test_a_header_whose_facts_do_not_fit_is_a_finding(clinic: Table, context: Any) -> None:
    found = report(clinic, {"trace": 1, "context": context}, *NATIVE, context={"patient": "q"})
    assert codes(found) == [("header", "bad_context")]
    assert found.counts["allow"] == 1
    with pytest.raises(BindingError):
        report(clinic, *NATIVE, context=context)


def test_facts_that_the_policy_requires() -> None:
    strict = table(CLINIC.replace("type: object,", "type: object, required: [role],"))
    good = {"trace": 1, "context": {"role": "staff"}}
    assert report(strict, good, *NATIVE).clean
    assert report(strict, *NATIVE, context={"role": "staff"}).clean
    for lines in (NATIVE, ({"trace": 1, "context": {"role": 1}}, *NATIVE), ("{oops", *NATIVE)):
        found = report(strict, *lines)
        assert not found.clean and ("header", "bad_context") in codes(found)
        assert (found.state, found.steps) == ("TRIAGE", ())
        assert (("line 1", "broken_record") in codes(found)) == (lines[0] == "{oops")


def test_what_the_header_says_goes_before_the_option(clinic: Table) -> None:
    header = {"trace": 1, "context": {"role": "staff"}}
    assert report(clinic, header, *NATIVE, context={"role": "robot", "patient": "p"}).clean


@pytest.mark.parametrize(
    "element",
    [{"conversation": TALK}, {"messages": "oops"}, {"messages": {}}, {"messages": []}, {"traj": None}, 42, "text", None,
     True, [], [42], {}, {"role": "user", "content": "alone"}],
)  # fmt: skip
def test_what_is_no_conversation_is_a_finding_among_conversations(clinic: Table, element: Any) -> None:
    for lines in (
        [{"messages": TALK}, element, {"messages": TALK}],
        [[{"messages": TALK}, element, {"messages": TALK}]],
    ):
        first, flawed, last = reports(clinic, *lines)
        assert first.clean and last.clean and first.counts["allow"] == 1
        assert [finding.code for finding in flawed.findings] == ["broken_record"]


@pytest.mark.parametrize("first", [None, 42, "text", {"role": "ipython"}, {"role": None}, {"content": "x"}])
def test_a_conversation_whose_first_message_is_broken(clinic: Table, first: Any) -> None:
    for lines in ([[first, *TALK]], [{"messages": [first, *TALK]}], [{"traj": [first, *TALK]}, {"messages": TALK}]):
        found = reports(clinic, *lines)[0]
        assert codes(found) == [("message 0", "broken_record")]
        assert found.counts["allow"] == 1


@pytest.mark.parametrize("key", ["tool_calls", "function_call"])
@pytest.mark.parametrize("role", ["assitant", "model", "Assistant", "user", "tool"])
def test_calls_of_another_role_are_not_dropped_in_silence(clinic: Table, role: str, key: str) -> None:
    message = {"role": role, "tool_call_id": "a", "content": "x", key: {"name": "look"}}
    found = report(clinic, [*TALK[:2], message] if role == "tool" else [*TALK, message])
    (finding,) = found.findings
    assert finding.code == "broken_record"
    assert f"`{role}`" in finding.message and f"`{key}`" in finding.message and "not judged" in finding.message


@pytest.mark.parametrize(
    "line", ["{oops", "7", "null", '"text"', "[1]", '{"foo": 1}', '{"role": "ipython"}', '{"a": 1, "a": 2}']
)
@pytest.mark.parametrize("place", range(4))
def test_one_bad_line_among_messages(clinic: Table, line: str, place: int) -> None:
    lines = [*TALK[:place], line, *TALK[place:]]
    found = report(clinic, *lines)
    assert [finding.code for finding in found.findings] == ["broken_record"]
    assert found.counts["allow"] == 1 and not found.open_calls
    assert found.findings[0].at in (f"message {place}", f"line {place + 1}")


@pytest.mark.parametrize(
    "line",
    ["{oops", "7", "null", "[1]", '{"foo": 1}', '{"call": "look", "role": "x"}', '{"evnt": "X"}', '{"event": NaN}'],
)
@pytest.mark.parametrize("place", range(4))
def test_one_bad_line_in_a_native_trace(clinic: Table, line: str, place: int) -> None:
    records: list[Any] = [{"trace": 1, "context": {"role": "staff"}, "digest": clinic.digest}, *NATIVE]
    found = report(clinic, *records[:place], line, *records[place:])
    assert codes(found) == [(f"line {place + 1}", "broken_record")]
    assert found.counts["allow"] == 1


def test_a_header_stands_first_among_what_can_be_read(clinic: Table) -> None:
    assert codes(report(clinic, NATIVE[0], {"trace": 1}, NATIVE[1])) == [("line 2", "broken_record")]
    assert codes(report(clinic, {"trace": 1}, {"trace": 1}, *NATIVE)) == [("line 2", "broken_record")]


def test_more_bad_lines_than_good_ones_are_still_lines(clinic: Table) -> None:
    found = report(clinic, "{oops", "{oops", "{oops", *NATIVE)
    assert len(found.findings) == 3 and found.counts["allow"] == 1


def test_a_broken_value_over_several_lines_is_not_taken_for_lines() -> None:
    for text in (json.dumps(TALK, indent=1), "[\n" + ",\n".join(map(json.dumps, TALK)) + "\n]"):
        with pytest.raises(TraceError, match="not JSON and not JSON Lines"):
            read(text.replace('"hi"', "NaN").encode(), "t")


@pytest.mark.parametrize(
    "flawed",
    [
        '{"call": 5}',
        '{"call": "look", "x": 1}',
        '{"call": "look", "args": {',
        '{"cal": "look"}',
        '{"call": "look", "id": ""}',
    ],
)
@pytest.mark.parametrize("settles", [{"result": {"id": "p"}}, {"release": True}])
def test_a_result_after_a_flawed_call_is_nobodys(clinic: Table, flawed: str, settles: Any) -> None:
    found = report(clinic, {"call": "verify"}, flawed, settles, {"call": "look"}, {"result": 1})
    assert codes(found) == [("line 2", "broken_record"), ("line 3", "orphan_result"), ("line 1", "missing_result")]
    assert found.state == "TRIAGE" and len(found.open_calls) == 1


def test_an_older_function_call_that_is_flawed_gets_no_result_of_another(clinic: Table) -> None:
    def asks(name: Any, role: str = "assistant") -> dict[str, Any]:
        return {"role": role, "function_call": {"name": name, "arguments": "{}"}}

    answer = {"role": "function", "name": "look", "content": "x"}
    for flawed in (asks(7), asks("look", "bot"), {"role": "assistant", "function_call": "look"}):
        found = report(clinic, [asks("look"), flawed, answer])
        assert [code for _, code in codes(found)] == ["broken_record", "broken_record", "missing_result"]


def nested(levels: int) -> str:
    return "[" * levels + "1" + "]" * levels


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 1_000, 5_000, 200_000])
def test_what_is_nested_too_deep_is_refused(clinic: Table, levels: int) -> None:
    found = report(clinic, f'{{"call": "look", "args": {nested(levels)}}}', *NATIVE)
    assert codes(found) == [("line 1", "broken_record")]
    call = {"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "look", "arguments": nested(levels)}}]}
    found = report(clinic, [*TALK, call])
    assert codes(found) == [("message 3", "broken_arguments")]
    assert report(clinic, [*TALK[:2], {**RESULT, "content": nested(levels)}]).clean
    for text in (nested(levels), json.dumps(TALK).replace('"hi"', nested(levels))):
        with pytest.raises(TraceError, match="levels deep"):
            read(text.encode(), "t")


def test_what_is_just_not_too_deep_is_shown(clinic: Table) -> None:
    decode(nested(MAX_DEPTH))
    found = report(clinic, f'{{"call": "look", "args": {{"a": {nested(MAX_DEPTH - 2)}}}}}', '{"result": 1}')
    assert found.clean
    assert not deeper_than(found.steps[0].arguments, MAX_DEPTH)


def test_arguments_of_a_program_may_be_deeper(clinic: Table) -> None:
    deep: Any = {}
    for _ in range(50_000):
        deep = {"a": deep}
    found = simulate(clinic, Run("r", (Call("1", "a", "look", deep), Call("2", "b", "look", {"x": 1}))))
    assert found.steps[0].code == "invalid_arguments"
    assert json.loads(simulation_json([found], clinic.digest))["runs"][0]["steps"][0]["arguments"]
    assert run_text(found, color=False)
    while deep:  # taking it apart at once would go as deep
        deep = deep.pop("a")


@pytest.mark.parametrize(
    "value",
    ["1e400", "-1e400", "NaN", "Infinity", "-Infinity", "9" * 5_000, '"\\ud800"', '{"\\uDFFF": 1}', '{"a": 1, "a": 1}'],
)
def test_what_json_cannot_say_is_refused(clinic: Table, value: str) -> None:
    found = report(clinic, f'{{"call": "look", "args": {{"a": {value}}}}}', *NATIVE)
    assert codes(found) == [("line 1", "broken_record")]
    function = {"name": "look", "arguments": f'{{"a": {value}}}'}
    found = report(clinic, [*TALK, {"role": "assistant", "tool_calls": [{"id": "b", "function": function}]}])
    assert codes(found) == [("message 3", "broken_arguments")]
    assert len(found.findings[0].message) < 200


def test_a_pair_of_halves_is_a_character() -> None:
    assert decode('"\\ud83d\\ude00 \\\\ud800"') == "\U0001f600 \\ud800"


def test_equal_keys_are_found_in_linear_time() -> None:
    text = "{" + ", ".join(f'"k{number}": 1' for number in range(200_000)) + ', "k199999": 2}'
    started = time.process_time()
    with pytest.raises(ValueError, match="'k199999' is given twice"):
        decode(text)
    assert time.process_time() - started < 2


def test_a_made_id_is_none_that_the_trace_gives(clinic: Table) -> None:
    lines = ({"call": "look", "id": "#2"}, {"call": "verify"}, {"result": {"id": "p"}}, {"result": 1, "id": "#2"})
    found = report(clinic, *lines)
    assert found.clean and found.state == "BOOKING"
    calls = [
        {"id": "message 0/1", "function": {"name": "look", "arguments": "{}"}},
        {"function": {"name": "look", "arguments": "{}"}},
    ]
    messages = [
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "message 0/1", "content": "x"},
    ]
    found = report(clinic, messages)
    assert [code for _, code in codes(found)] == ["missing_result"]
    assert found.counts["allow"] == 2


class TestIdsThatAreUsedAgain:
    def test_each_of_two_results_is_of_its_own_call(self, clinic: Table) -> None:
        # The refused call was made when the trace was recorded, and its result came first.
        found = report(
            clinic,
            {"call": "confirm", "id": "a"},
            {"call": "verify", "id": "a"},
            {"result": "confirmed", "id": "a"},
            {"result": {"id": "p"}, "id": "a"},
        )
        assert codes(found) == [("line 2", "duplicate_call")]
        assert [step.verdict for step in found.steps] == ["deny", "allow", "noted", "moved"]

    def test_a_refused_call_without_a_result_may_be_asked_again(self, clinic: Table) -> None:
        found = report(
            clinic, {"call": "confirm", "id": "a"}, {"call": "verify", "id": "a"}, {"result": {"id": "p"}, "id": "a"}
        )
        assert codes(found) == []
        assert [step.verdict for step in found.steps] == ["deny", "allow", "moved"]

    def test_a_call_that_is_in_flight_keeps_its_result(self, clinic: Table) -> None:
        lines = ({"call": "verify", "id": "a"}, {"call": "look", "id": "a"}, {"result": {"id": "p"}, "id": "a"})
        found = report(clinic, *lines)
        assert codes(found) == [("line 2", "duplicate_call")]
        assert [step.verdict for step in found.steps] == ["allow", "deny", "moved"]
        found = report(clinic, *lines, {"result": 1, "id": "a"})
        assert [step.verdict for step in found.steps] == ["allow", "deny", "moved", "noted"]
        found = report(clinic, *lines, {"result": 1, "id": "a"}, {"result": 1, "id": "a"})
        assert codes(found)[1:] == [("line 5", "duplicate_result")]

    def test_what_has_no_result_is_told_by_the_place_of_its_own_call(self, clinic: Table) -> None:
        found = report(clinic, {"call": "look", "id": "a"}, {"call": "look", "id": "a"})
        assert codes(found) == [("line 2", "duplicate_call"), ("line 1", "missing_result")]

    def test_a_refused_call_that_is_released_is_noted(self, clinic: Table) -> None:
        found = report(
            clinic, {"call": "confirm", "id": "a"}, {"release": True, "id": "a"}, {"release": True, "id": "a"}
        )
        assert [step.verdict for step in found.steps] == ["deny", "noted"]
        assert codes(found) == [("line 3", "orphan_result")]

    def test_many_calls_of_one_id_take_linear_time(self, clinic: Table) -> None:
        records = [Call("1", "a", "confirm", {}) for _ in range(20_000)] + [Result("2", "a", 1, False)] * 20_000
        started = time.process_time()
        simulate(clinic, Run("r", tuple(records)))
        assert time.process_time() - started < 20
