"""What people do on their first day: each is answered with a sentence that says what to do, and grants nothing."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest

import fsmc
from fsmc.runtime.errors import BindingError, CallRefused, SessionError
from fsmc.runtime.hooks import Hooks
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from tests.support import table

DESK = """
    fsmc: 1
    id: desk
    initial: SERVE
    topology: cyclic
    long_running: true
    context: {type: object, properties: {id: {type: string}}}
    guards: {ledger: {external: true}, window: {external: true}}
    tools:
      pay:
        max_calls: 1
        failed_when: result.status != "paid"
        emits: [{event: PAID, set: {id: result.id}}]
        on_failure: DECLINED
      refund: {when: window, approval: true}
      look: {effect: read}
    states:
      SERVE:
        tools: [pay, refund, look]
        transitions: [{event: PAID, target: DONE, guard: ledger}, {event: PAID, target: SERVE}, {event: DECLINED, target: SERVE}]
      DONE: {tools: [look], transitions: [{event: AGAIN, target: SERVE}]}
"""


def yes(facts: Mapping[str, Any]) -> bool:
    return True


async def later(facts: Mapping[str, Any]) -> bool:
    return True


@pytest.fixture(scope="module")
def desk() -> Table:
    return table(DESK)


def session(desk: Table, **guards: Any) -> Session:
    return desk.session(guards={"ledger": yes, "window": yes, **guards})


@dataclasses.dataclass
class Receipt:
    status: str
    id: str
    at: Any = None


class TestResults:
    @pytest.mark.parametrize(
        "odd",
        [
            datetime.datetime(2026, 12, 1), decimal.Decimal("1.5"), b"x", float("nan"), {1, 2}, {1: 2}, object(), "\ud800",
        ],
        ids=lambda odd: type(odd).__name__,
    )  # fmt: skip
    def test_one_value_that_json_cannot_say_does_not_lose_the_others(self, desk: Table, odd: Any) -> None:
        for result in ({"status": "paid", "id": "p-1", "at": odd}, Receipt("paid", "p-1", odd)):
            one = session(desk)
            settled = one.commit(one.reserve("pay").call_id, result)
            assert (settled.failed, one.state, one.context["id"], one.calls["pay"]) == (False, "DONE", "p-1", 1)

    def test_the_notes_say_what_was_taken_as_text(self, desk: Table) -> None:
        one = session(desk)
        settled = one.commit(
            one.reserve("pay").call_id, {"status": "paid", "id": "p", "at": datetime.date(2026, 12, 1)}
        )
        assert settled.notes == ("`result.at` is date, which JSON cannot say: taken as its text",)

    def test_a_result_that_holds_itself_is_cut(self, desk: Table) -> None:
        result: dict[str, Any] = {"status": "paid", "id": "p"}
        result["self"] = result
        one = session(desk)
        assert one.commit(one.reserve("pay").call_id, result).failed is False


class TestAsynchronousGuards:
    def test_a_plain_call_is_refused_before_the_tool_runs(self, desk: Table) -> None:
        one = session(desk, ledger=later)
        ran = []
        with pytest.raises(CallRefused, match="asynchronous"), one.call("pay"):
            ran.append(1)
        guarded = one.guard_tool(lambda: ran.append(2), tool="pay", refusal="return")
        assert guarded().code == "needs_async"  # type: ignore[func-returns-value]
        assert (ran, one.in_flight, one.refusals) == ([], (), 2)
        with one.call("look") as call:  # its result asks nobody
            call.result = 1

    def test_offered_tools_are_not_left_out_without_a_word(self, desk: Table) -> None:
        with pytest.raises(SessionError, match="await session"):
            _ = session(desk, window=later).allowed_tools

    @pytest.mark.parametrize("answer", [1, None, ValueError("no db")])
    def test_a_broken_guard_is_in_the_log(self, desk: Table, answer: Any, caplog: pytest.LogCaptureFixture) -> None:
        def broken(facts: Mapping[str, Any]) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

        with caplog.at_level(logging.WARNING, "fsmc"):
            assert session(desk, window=broken).allowed_tools == ("pay", "look")
        assert "guard `window`" in caplog.text


class TestBlocks:
    def test_a_block_that_forgets_its_result_is_in_the_log(self, desk: Table, caplog: pytest.LogCaptureFixture) -> None:
        one = session(desk)
        with caplog.at_level(logging.WARNING, "fsmc"), one.call("look"):
            pass
        assert "its block set no result" in caplog.text
        caplog.clear()
        with one.call("look") as call:
            call.release()
        assert not caplog.records


class TestGuardedFunctions:
    def test_arguments_that_do_not_fit_are_a_refusal(self, desk: Table) -> None:
        one = session(desk)

        @one.guard_tool(refusal="return")
        def look(at: str) -> str:
            return at

        for arguments in ({}, {"at": "x", "more": 1}):
            refused: Any = look(**arguments)  # type: ignore[arg-type]
            assert (refused.code, "argument" in refused.reason) == ("invalid_arguments", True)
        assert (look("here"), one.refusals) == ("here", 2)

    @pytest.mark.parametrize(
        ("function", "said"),
        [("pay", "only a function"), (lambda: 1, "by `tool=`"), (3, "only a function")],
    )
    def test_what_cannot_be_guarded(self, desk: Table, function: Any, said: str) -> None:
        with pytest.raises(BindingError, match=said):
            session(desk).guard_tool(function)

    def test_a_misspelt_name(self, desk: Table) -> None:
        def lok() -> None: ...

        with pytest.raises(BindingError, match="did you mean `look`"):
            session(desk).guard_tool(lok)


class TestApprovals:
    def test_a_void_one_is_explained(self, desk: Table) -> None:
        now = 0.0
        one = desk.session(guards={"ledger": yes, "window": yes}, clock=lambda: now)
        one.approve("refund", {"n": 1})
        now = 10**9
        assert "has expired" in one.check("refund", {"n": 1}).reason
        one.approve("refund", {"n": 1})
        one.update({"id": "x"})
        assert "the session has changed since" in one.check("refund", {"n": 1}).reason
        assert one.check("refund", {"n": 2}).reason == "a person must approve `refund` with these arguments"


@pytest.mark.parametrize(
    ("misuse", "said"),
    [
        (lambda desk, one: desk.session(guards={"ledger": yes, "window": yes}, hooks={"after": print}), "fsmc.Hooks"),
        (lambda desk, one: desk.session(guards={"ledger": yes, "window": yes}, shadow=["pya"]), "did you mean `pay`"),
        (lambda desk, one: one.approve("refnd"), "did you mean `refund`"),
        (lambda desk, one: one.reserve_batch([("look", {})]), r"\(call id, tool, arguments\)"),
        (lambda desk, one: one.reserve_batch([{"id": 1, "tool": 2, "arguments": 3}]), r"\(call id, tool, arguments\)"),
        (lambda desk, one: one.commit(one.reserve("look")), "give its `call_id`"),
        (lambda desk, one: desk.restore(one.snapshot(), {"ledger": yes, "window": yes}, migrate=True), "`migrate` maps"),
    ],
)  # fmt: skip
def test_other_misuse(desk: Table, misuse: Any, said: str) -> None:
    with pytest.raises((BindingError, SessionError), match=said):
        misuse(desk, session(desk))


def test_a_snapshot_of_another_policy_is_refused_even_where_states_are_called_alike(desk: Table) -> None:
    other = table(DESK.replace("id: desk", "id: other"))
    with pytest.raises(SessionError, match="is of policy `desk`, and this one is `other`"):
        other.restore(session(desk).snapshot(), {"ledger": yes, "window": yes}, migrate={})


def test_a_misspelt_event_is_answered_with_the_nearest(desk: Table) -> None:
    assert session(desk).send("AGAN").reason.endswith("did you mean `AGAIN`?")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"at": "x"}', "ok"),
        ("", "ok"),
        (" ", "ok"),
        ("{oops", "invalid_arguments"),
        ('{"a":1,"a":2}', "invalid_arguments"),
        ("[]", "invalid_arguments"),
    ],
)
def test_arguments_as_a_text(desk: Table, arguments: str, code: str) -> None:
    decision = session(desk).reserve("look", arguments)
    assert decision.code == code
    if decision.allowed:
        assert json.loads(json.dumps(fsmc.thaw(decision.arguments))) == json.loads(
            arguments if arguments.strip() else "{}"
        )


def test_hooks_of_every_kind_make_a_session_that_is_watched() -> None:
    for name in ("before", "after", "refused", "loop", "finished"):
        assert Hooks(**{name: print}).watching
