"""Calls that are made although they should not be, or refused although they may be made."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import fsmc
from fsmc import SessionError
from fsmc.runtime.errors import CallRefused
from tests.support import table
from tests.traps.support import Held, booking, clinic, clinic_table, made
from tests.vectors.offers import payload


def test_a_tool_that_nobody_declared_is_refused() -> None:
    """A tool that no rule mentions is allowed (csl-core, typed-rails).

    fsmc: what is not declared and offered is refused, always.
    """
    decision = clinic().reserve("drop_tables")
    assert (decision.verdict, decision.code) == ("deny", "unknown_tool")


def test_hiding_a_tool_is_also_refusing_it() -> None:
    """A tool is hidden from the model, but runs when the model names it all the same.

    fsmc: every call is decided again when it is made; a wrapped function does not run without a yes.
    """
    session = clinic()
    ran: list[str] = []

    @session.guard_tool
    def book() -> None:
        ran.append("booked")

    assert "book" not in session.allowed_tools
    with pytest.raises(CallRefused):
        book()
    assert ran == []


def test_offered_and_allowed_are_one_table() -> None:
    """What is offered comes from one list and what is allowed from another, and the two disagree.

    fsmc: both read the state's tools and `when` in the same table.
    """
    for session in (clinic(), booking()):
        allowed = {
            name for name in clinic_table.tools if session.check(name).code not in ("not_in_state", "unknown_tool")
        }
        assert set(session.allowed_tools) == allowed


def test_a_condition_is_asked_again_each_time() -> None:
    """A condition that changes while the state stays the same has no effect until the tools are set up anew.

    fsmc: `when` is decided whenever tools are listed and whenever one is called.
    """
    session = table(
        """
        fsmc: 1
        id: roles
        initial: A
        context: {type: object, properties: {role: {type: string}}}
        tools: {refund: {when: context.role == "boss"}}
        states: {A: {tools: [refund], transitions: [{event: END, target: Z}]}, Z: {type: terminal}}
        """
    ).session({"role": "guest"})
    seen = [(session.allowed_tools, session.check("refund").code)]
    for role in ("boss", "guest"):
        session.update({"role": role})
        seen.append((session.allowed_tools, session.check("refund").code))
    assert seen == [((), "condition_false"), (("refund",), "ok"), ((), "condition_false")]


def test_a_refusal_refuses_one_call() -> None:
    """After one refused call every later one is refused, legal ones too (acel-core).

    fsmc: a refusal changes nothing but a counter of refusals; the next legal call passes.
    """
    session = clinic()
    before = session.snapshot()
    assert not session.reserve("book").allowed
    after = session.snapshot()
    for counter in ("refusals", "changes"):  # how often calls were refused, and how often anything was counted
        before["calls"].pop(counter, None), after["calls"].pop(counter, None)
    assert (before, session.refusals) == (after, 1)
    assert session.reserve("classify").allowed


def test_refusals_are_counted_for_escalation() -> None:
    """A model repeats a refused call hundreds of times, and nothing notices.

    fsmc: refusals have a counter of their own, to escalate on; it spends no budget.
    """
    session = clinic()
    for _ in range(5):
        session.reserve("book")
    assert (session.refusals, session.looping) == (5, False)


def test_each_reason_to_refuse_has_its_own_code() -> None:
    """A tool that does not exist and one that is not allowed get the same refusal, so the model cannot do better.

    fsmc: unknown, not here, over a limit, wrong arguments and ended are different codes, with what would unlock the
    call.
    """
    session = booking()
    found = session.reserve("call_human")
    assert (found.code, found.unlock, found.allowed_tools) == (
        "not_in_state",
        "reachable by LOST",
        ("find_slot", "book"),
    )
    assert session.reserve("nope").code == "unknown_tool"
    assert session.reserve("find_slot", [1]).code == "invalid_arguments"
    held = session.reserve("book")
    assert session.reserve("book").code == "max_calls"
    assert held.call_id is not None
    session.commit(held.call_id)
    assert session.reserve("book").code == "session_ended"


def test_a_refusal_does_not_tell_hidden_names() -> None:
    """The refusal of a made-up tool lists the names of tools that the model was not meant to see.

    fsmc: only names that the state offers are suggested.
    """
    assert "call_human" not in booking().check("call_humn").reason


def test_the_order_of_calls_is_not_a_subsequence() -> None:
    """`book, classify, find_slot, book` passes a rule that wants `classify` before `book` (llm-canary).

    fsmc: every call is judged where it stands; the first `book` is refused, live and in a recorded run.
    """
    session = clinic()
    codes = []
    for tool in ("book", "classify", "find_slot", "book"):
        decision = session.reserve(tool)
        codes.append(decision.code)
        if decision.allowed:
            session.commit(decision.call_id, "ok")
    assert (codes, session.state) == (["not_in_state", "ok", "ok", "ok"], "DONE")


def test_a_live_run_and_its_replay_agree(tmp_path: Path) -> None:
    """The replay of a recorded run gives other verdicts than the run itself had (acel-core).

    fsmc: the simulator opens a session over the same table; verdicts, state and counts are equal.
    """
    session = clinic()
    lines: list[dict[str, Any]] = []
    codes = []
    calls = ["book", "classify", "find_slot", "find_slot", "nope", "find_slot", "find_slot", "call_human", "book"]
    for number, tool in enumerate(calls):
        decision = session.reserve(tool, {"n": number}, f"c{number}")
        codes.append(decision.code)
        lines.append({"call": tool, "args": {"n": number}, "id": f"c{number}"})
        if decision.allowed:
            session.commit(f"c{number}", "ok")
            lines.append({"result": "ok", "id": f"c{number}"})
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (report,) = fsmc.simulate(clinic_table, path)
    assert [step.code for step in report.steps if step.kind == "call"] == codes
    assert report.state == session.state == "HELP"


def test_two_calls_in_flight_are_two_calls() -> None:
    """Two parallel calls both pass a rule that allows one, because only results are counted (ltl-harness, agentltl,
    llm-agentspec).

    fsmc: checking reserves; a call counts from the yes to its result.
    """
    session = booking()
    decisions = session.reserve_batch([("a", "book", None), ("b", "book", None)])
    assert [decision.code for decision in decisions] == ["ok", "max_calls"]


def test_a_reservation_can_be_given_back() -> None:
    """What was reserved for a call that is then not made stays spent.

    fsmc: `release` gives a call back as never made, and a block without a result does so by itself.
    """
    session = booking()
    for _ in range(5):
        with session.call("book"):
            assert session.check("book").code == "max_calls"
    assert session.check("book").allowed and not session.looping


def test_a_call_counts_while_its_result_is_judged() -> None:
    """While the result of a once-only call waits for an asynchronous guard, the call is neither in flight nor made.

    fsmc: a call stays in flight until its result is counted.
    """

    async def run() -> None:
        bank = Held()
        session = once_only.session({}, {"bank": bank})
        session.reserve("pay", None, "a")
        settling = await bank.started(session.acommit("a", "ok"))
        assert session.reserve("pay").code == "max_calls"
        bank.asked[0].set_result(False)
        await settling

    asyncio.run(run())


def test_a_cancelled_settlement_loses_no_call() -> None:
    """A time-out while a result is settled loses the call: it is neither in flight nor counted, and may be made again.

    fsmc: what was not settled is still in flight, and can be settled again.
    """

    async def run() -> None:
        bank = Held()
        session = once_only.session({}, {"bank": bank})
        session.reserve("pay", None, "a")
        settling = await bank.started(session.acommit("a", "ok"))
        settling.cancel()
        await asyncio.gather(settling, return_exceptions=True)
        assert session.in_flight == ("a",)
        assert session.reserve("pay").code == "max_calls"

    asyncio.run(run())


once_only = table(
    """
    fsmc: 1
    id: once
    initial: A
    guards: {bank: {external: true}}
    tools: {pay: {max_calls: 1, failed_when: bank}}
    states: {A: {tools: [pay], transitions: [{event: END, target: Z}]}, Z: {type: terminal}}
    """
)


def test_every_call_of_a_batch_gets_an_answer() -> None:
    """One refused call of a batch leaves the others without an answer, and the provider rejects the next request.

    fsmc: one decision for each call, in order, each against what the earlier ones reserved.
    """
    session = booking()
    decisions = session.reserve_batch(
        [("a", "find_slot", {}), ("b", "nope", {}), ("c", "book", {}), ("d", "book", {})],
    )
    assert [decision.code for decision in decisions] == ["ok", "unknown_tool", "ok", "max_calls"]


def test_a_call_id_given_twice_in_a_batch_hides_no_reservation() -> None:
    """Two calls of one batch share an id, and the refusal of the second hides that the first is in flight.

    fsmc: both get their answer, and the second one says that its id is taken.
    """
    session = booking()
    decisions = session.reserve_batch([("a", "find_slot", {}), ("a", "find_slot", {})])
    assert [decision.code for decision in decisions] == ["ok", "duplicate_call_id"]
    assert session.in_flight == ("a",)


def test_the_answer_of_one_guard_is_not_that_of_another() -> None:
    """A decision that is taken up again after a pause takes the answer of one guard for that of another.

    fsmc: an answer counts for the guard that gave it, on the facts it was asked about.
    """
    mixed = table(
        """
        fsmc: 1
        id: mixed
        initial: A
        guards: {harmless: {external: true}, bank: {external: true}}
        tools:
          look: {effect: read}
          pay: {emits: [{event: PAID, when: calls.look > 0}, {event: NOTED, when: harmless}]}
        states:
          A: {tools: [look, pay], transitions: [{event: PAID, target: Z, guard: bank}, {event: NOTED, target: B}]}
          B: {transitions: [{event: END, target: Z}]}
          Z: {type: terminal}
        """
    )

    async def run() -> None:
        harmless = Held()
        session = mixed.session({}, {"harmless": harmless, "bank": lambda facts: False})
        session.reserve("pay", None, "pay")
        session.reserve("look", None, "look")
        settling = await harmless.started(session.acommit("pay", "ok"))
        session.commit("look", "ok")
        harmless.asked[0].set_result(True)
        await settling
        assert session.state != "Z", "the bank said no"

    asyncio.run(run())


def test_a_call_is_settled_once() -> None:
    """A result that is delivered twice is counted twice, and moves the machine twice.

    fsmc: settling a call that is not in flight raises; an id in flight cannot be taken again.
    """
    session = clinic()
    session.reserve("classify", {}, "a")
    assert session.reserve("classify", {}, "a").code == "duplicate_call_id"
    session.commit("a", "ok")
    with pytest.raises(SessionError, match="not in flight"):
        session.commit("a", "ok")
    with pytest.raises(SessionError, match="not in flight"):
        session.release("never")
    assert session.calls["classify"] == 1


def test_a_failed_call_is_no_success() -> None:
    """A call is counted the same whether it failed or not, so a failed booking ends the conversation as booked.

    fsmc: failures raise their own event, count against the budget, and leave `max_calls` unspent.
    """
    session = booking()
    session.reserve("book", {}, "a")
    settled = session.commit("a", "no line", failed=True)
    assert (settled.failed, settled.event, session.state, session.calls["book"]) == (True, "LOST", "HELP", 0)


def test_a_late_result_does_not_move_the_machine_back() -> None:
    """The result of a call that was made in an earlier state arrives late and is taken for one of the current state.

    fsmc: its event goes to the state the machine is in, which does not wait for it; it is noted and spends nothing
    there.
    """
    session = clinic()
    session.reserve("classify", {}, "late")
    for number in range(2):
        session.reserve("classify", {}, f"c{number}")
        session.commit(f"c{number}", "no line", failed=True)
    assert session.state == "TRIAGE", "a call of this state is still in flight"
    session.commit("late", "ok")
    assert session.state == "BOOKING"
    session.reserve("find_slot", {}, "later")
    session.reserve("book", {}, "b")
    session.commit("b", "no line", failed=True)
    settled = session.commit("later", "found")
    assert (session.state, settled.step, session.looping) == ("HELP", None, False)


SEND = """
    fsmc: 1
    id: send
    initial: A
    tools:
      send:
        approval: true
        input_schema:
          {type: object, properties: {to: {type: string}, n: {type: integer}}, required: [to], additionalProperties: false}
    states: {A: {tools: [send], transitions: [{event: END, target: Z}]}, Z: {type: terminal}}
"""
send_table = table(SEND)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"to": 5}, {"to": "x", "n": "1"}, {"to": "x", "cc": "y"}, {"to": "x", "n": True}, [], "to", 5],
    ids=repr,
)
def test_arguments_are_really_validated(arguments: Any) -> None:
    """A schema in an unknown form is taken for one that everything passes.

    fsmc: arguments are checked against the JSON Schema of the tool on every call.
    """
    assert send_table.session().reserve("send", arguments).code == "invalid_arguments"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")], ids=repr)
def test_nan_is_no_argument(number: float) -> None:
    """NaN compares false with every bound, so it passes rules that are written as "not above".

    fsmc: arguments, facts and payloads are JSON; NaN and infinities are refused.
    """
    session = booking()
    assert session.reserve("find_slot", {"cost": number}).code == "invalid_arguments"
    assert session.send("AGAIN", {"cost": number}).code == "invalid_payload"
    with pytest.raises(SessionError, match="not a JSON value"):
        session.update({"total": number})


def test_an_approval_is_for_these_arguments_and_once() -> None:
    """An approval of a tool approves every later call of it, whatever its arguments.

    fsmc: a yes is bound to the exact arguments and the revision, works once, and expires.
    """
    now = [0.0]
    session = send_table.session(clock=lambda: now[0])
    session.approve("send", {"to": "x", "n": 1})
    assert session.reserve("send", {"to": "x", "n": 2}).verdict == "ask"
    assert session.reserve("send", {"n": 1, "to": "x"}).verdict == "allow"
    assert session.reserve("send", {"to": "x", "n": 1}).verdict == "ask"
    session.approve("send", {"to": "x"})
    now[0] = 10_000.0
    assert session.reserve("send", {"to": "x"}).verdict == "ask"


def test_two_threads_share_no_approval() -> None:
    """Two parallel calls both use the one approval.

    fsmc: the reservation takes the approval away, under the lock that found it.
    """
    for _ in range(30):
        session = send_table.session()
        session.approve("send", {"to": "x"})
        allowed = in_threads(8, lambda session=session: [session.reserve("send", {"to": "x"}).allowed])
        assert allowed.count(True) == 1


def test_arguments_cannot_change_after_the_check() -> None:
    """The arguments are changed between the check and the call, so what runs is not what was allowed.

    fsmc: the decision carries a private, read-only copy, and a wrapped function runs on it.
    """
    session = booking()
    arguments = {"slots": [1]}
    decision = session.reserve("find_slot", arguments)
    arguments["slots"].append(2)
    assert decision.arguments == {"slots": (1,)}
    with pytest.raises(TypeError):
        decision.arguments["slots"] = ()  # type: ignore[index]


def test_a_refusal_is_not_true() -> None:
    """A decision is an object, and every object is true: `if check(tool): run(tool)` runs what was refused.

    fsmc: a decision and a step are as true as what they allow.
    """
    session = clinic()
    assert not session.check("book") and not session.send("NOPE")
    assert session.check("classify")


def test_a_result_that_nobody_awaited_is_no_success() -> None:
    """A tool gives a coroutine that nobody awaits, and the call counts as made before it has begun.

    fsmc: a result that can be awaited is refused, and the call stays in flight.
    """

    async def booked() -> str:
        return "booked"

    session = booking()
    session.reserve("book", {}, "a")
    coroutine = booked()
    try:
        with pytest.raises(SessionError):
            session.commit("a", coroutine)
    finally:
        coroutine.close()
    assert session.state == "BOOKING"


def test_shadow_mode_runs_the_call_that_was_made() -> None:
    """In shadow mode the call goes through, but not with its own arguments.

    fsmc: what is let through is the call as it was made.
    """
    session = clinic(shadow=True)
    decision = session.reserve("book", {"slot": 1})
    assert (decision.allowed, decision.shadow, decision.arguments) == (True, True, {"slot": 1})


def test_a_state_without_tools_offers_an_empty_tuple() -> None:
    """A state without tools sends an empty list, which some servers answer with an error.

    fsmc: what is offered is then empty, false and immutable, so the field is easily left out; and calls are refused.
    """
    session = booking()
    made(session, "book")
    assert session.allowed_tools == () and session.finished
    assert session.reserve("find_slot").code == "session_ended"


def test_one_definition_serves_two_providers() -> None:
    """Tools are defined in the words of one provider, and the same registry sends nonsense to another.

    fsmc: the table holds name, description and schema of each tool once; what is not given has one neutral value.
    """
    schema = json.loads(send_table.tools["send"].input_schema or "")
    assert schema["required"] == ["to"]
    assert payload("anthropic", send_table, ["send"]) == {
        "tools": [{"name": "send", "description": "", "input_schema": schema}]
    }
    assert payload("openai", send_table, ["send"]) == {
        "tools": [{"type": "function", "function": {"name": "send", "description": "", "parameters": schema}}]
    }


def in_threads(count: int, work: Any) -> list[bool]:
    """What *work* gives in each of *count* threads that start together."""
    barrier = threading.Barrier(count)
    found: list[bool] = []

    def run() -> None:
        barrier.wait()
        found.extend(work())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
