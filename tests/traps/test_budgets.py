"""Budgets that stop what is fine, or do not stop what is not."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator

import pytest

from fsmc import Loop
from fsmc.runtime.hooks import Hooks
from tests.support import table
from tests.traps.support import booking, clinic, clinic_table, made

CAP = """
    fsmc: 1
    id: cap
    initial: A
    tools: {look: {effect: read}, pay: {max_calls: 50}}
    states:
      A: {tools: [look, pay], tool_budget: {limit: 300}, transitions: [{event: END, target: Z}]}
      Z: {type: terminal}
"""
ENDLESS = """
    fsmc: 1
    id: endless
    initial: A
    tools: {look: {effect: read}}
    states: {A: {tools: [look], transitions: [{event: END, target: Z}]}, Z: {type: terminal}}
"""
REPEATED = """
    fsmc: 1
    id: repeated
    initial: A
    tools: {look: {effect: read}, see: {effect: read}}
    states:
      A: {tools: [look, see], tool_budget: {repeated: 2}, transitions: [{event: END, target: Z}]}
      Z: {type: terminal}
"""
cap_table, endless_table, repeated_table = table(CAP), table(ENDLESS), table(REPEATED)


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_do_not_overrun_a_cap(impatient_threads: None) -> None:
    """Eight threads make 2,007 calls under a cap of 2,000 (statepilot).

    fsmc: deciding and reserving are one step under one lock: exactly the cap.
    """
    assert calls_of_threads("look") == 300


def test_threads_do_not_overrun_the_maximum_of_a_tool(impatient_threads: None) -> None:
    """A call is taken for neither in flight nor made in the moment in which its result is counted.

    fsmc: settling a call is one step too: exactly the tool's `max_calls`.
    """
    assert {calls_of_threads("pay") for _ in range(15)} == {50}


def calls_of_threads(tool: str) -> int:
    """How many calls eight threads are allowed to make and settle."""
    session = cap_table.session()
    allowed: list[bool] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        for _ in range(50):
            decision = session.reserve(tool)
            if decision.allowed and decision.call_id is not None:
                allowed.append(True)
                session.commit(decision.call_id, "ok")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.calls[tool] == len(allowed)
    return len(allowed)


def test_parallel_calls_each_count() -> None:
    """Five parallel calls in one step of the model count as one, and a limit of three is judged only before the next
    step.

    fsmc: each call is judged when it is made; the fourth is refused.
    """
    session = booking()
    decisions = session.reserve_batch([(str(number), "find_slot", {"n": number}) for number in range(5)])
    assert [decision.code for decision in decisions] == ["ok"] * 3 + ["budget_exhausted"] * 2


def test_a_spent_budget_is_not_advice() -> None:
    """A spent budget is a flag that the caller may read; nothing is refused.

    fsmc: at the limit further calls are refused.
    """
    session = cap_table.session()
    for _ in range(300):
        made(session, "look")
    assert session.looping and session.reserve("look").code == "budget_exhausted"


def test_the_fallback_has_a_budget_of_its_own() -> None:
    """After the fallback the budget is still spent, so the one tool that could help cannot be called.

    fsmc: entering another state opens a fresh budget.
    """
    session = booking()
    for number in range(3):
        made(session, "find_slot", {"n": number})
    assert (session.state, session.allowed_tools, session.looping) == ("HELP", ("call_human",), False)
    made(session, "call_human")


def test_progress_is_no_loop() -> None:
    """Calls that were made in earlier states are counted again, so a conversation that gets on is stopped as a loop.

    fsmc: a budget counts the calls since its state was entered, each once.
    """
    session = clinic()
    for _ in range(10):
        made(session, "classify")
        made(session, "find_slot")
        made(session, "find_slot")
        assert (session.state, session.looping) == ("BOOKING", False)
        session.send("BACK")


def test_a_fallback_is_not_taken_again_from_old_calls() -> None:
    """After a recovery from the fallback, the next check counts the old history and falls back at once.

    fsmc: counters belong to one stay in a state; coming back starts from zero.
    """
    session = booking()
    for number in range(3):
        made(session, "find_slot", {"n": number})
    session.send("RECOVERED")
    made(session, "find_slot")
    assert (session.state, session.looping) == ("BOOKING", False)


def test_a_loop_is_told_once() -> None:
    """The notification of a spent budget comes again with every further call.

    fsmc: once for each stay in a state, with the mode, the tool, the count and the limit.
    """
    told: list[Loop] = []
    session = repeated_table.session(hooks=Hooks(loop=told.append))
    made(session, "see")
    for _ in range(2):
        made(session, "look")
    for _ in range(5):
        assert session.reserve("look").code == "repeated_call"
    made(session, "see")
    made(session, "see")
    assert told == [Loop("A", "repeated", "look", 2, 2)]


def test_a_repeated_call_has_a_name_and_arguments() -> None:
    """The mode that looks for repeated calls never acts when calls are registered without a name, as the example does.

    fsmc: a call cannot be made without naming its tool; identical means same tool and same arguments.
    """
    session = repeated_table.session()
    with pytest.raises(TypeError):
        session.reserve()  # type: ignore[call-arg]
    assert session.reserve(None).code == "unknown_tool"  # type: ignore[arg-type]
    made(session, "look", {"page": 1})
    made(session, "look", {"page": 2})
    assert not session.looping
    made(session, "look", {"page": 2})
    assert session.looping


def test_a_loop_does_not_hide_in_the_order_of_keys() -> None:
    """The same call with its arguments in another order, or in parallel, does not look like a repetition.

    fsmc: arguments are compared as canonical JSON, and calls in flight count.
    """
    session = repeated_table.session()
    first, second = {"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}
    batch = session.reserve_batch([("1", "look", first), ("2", "look", second), ("3", "look", first)])
    assert [decision.code for decision in batch] == ["ok", "ok", "repeated_call"]


def test_a_move_to_itself_is_no_way_out() -> None:
    """A transition of a state to itself opens a fresh budget, so a loop goes on for ever.

    fsmc: it is a new revision and a visit, but the budget goes on.
    """
    session = booking()
    for number in range(2):
        made(session, "find_slot", {"n": number})
        session.send("AGAIN")
    made(session, "find_slot")
    assert session.state == "HELP"


def test_one_rule_says_when_a_budget_is_fresh() -> None:
    """One way to change the state resets the budget, and another keeps it.

    fsmc: entering another state does, by whatever way; a refused move never does.
    """
    for leave in ("event", "result", "fallback"):
        session = booking()
        for number in range(2):
            made(session, "find_slot", {"n": number})
        assert not session.send("RECOVERED").moved
        assert session.snapshot()["calls"]["budget"]["spent"] == 2
        if leave == "event":
            session.send("BACK")
        elif leave == "result":
            session.reserve("book", {}, "b")
            session.commit("b", "", failed=True)
        else:
            made(session, "find_slot")
        assert session.snapshot()["calls"]["budget"] is None


def test_the_hundredth_call_is_like_the_first() -> None:
    """The tenth call of a conversation raises, because a checker gives up on its own history (Invariant).

    fsmc: limits are counters; a long conversation is like a short one.
    """
    session = endless_table.session()
    assert all(session.check("look").allowed and made(session, "look") for _ in range(1000))


def test_a_decision_costs_the_same_after_many_calls() -> None:
    """Each decision walks the whole history, or copies it: milliseconds after a thousand calls (agentltl, acel-core,
    Invariant).

    fsmc: nothing is kept but counters, so a session neither slows down nor grows.
    """
    session = endless_table.session()

    def block() -> float:
        began = time.process_time()
        for _ in range(200):
            made(session, "look", {"page": 1})
        return time.process_time() - began

    block()
    first = min(block() for _ in range(5))
    size = len(str(session.snapshot()))
    for _ in range(60):
        block()
    assert min(block() for _ in range(5)) < 3 * first
    assert len(str(session.snapshot())) <= size + 10


def test_refusals_do_not_grow_the_session() -> None:
    """Every refusal is kept as evidence, and each copies what came before it (acel-core).

    fsmc: a refusal is a number; what should be kept goes to the log and the hook.
    """
    session = clinic_table.session()
    session.reserve("book")
    size = len(str(session.snapshot()))
    for number in range(500):
        session.reserve("book", {"n": number})
    assert len(str(session.snapshot())) <= size + 5
