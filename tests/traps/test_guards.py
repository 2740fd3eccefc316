"""Guards, hooks and moves that let through what nobody allowed."""

from __future__ import annotations

import asyncio
import functools
import gc
import threading
from typing import Any

import pytest

from fsmc import BindingError, SessionError, Step
from fsmc.runtime.hooks import Hooks
from tests.support import table
from tests.traps.support import Facts, Held, booking, clinic, guarded, guarded_table

NOT_TRUE = [None, 0, 1, 1.0, "", "yes", [], object(), float("nan")]


@pytest.mark.parametrize("answer", NOT_TRUE, ids=[f"{type(answer).__name__}{i}" for i, answer in enumerate(NOT_TRUE)])
def test_only_true_passes_on_both_paths(answer: object) -> None:
    """A guard that returns nothing passes in the plain call and blocks in the asynchronous one.

    fsmc: only `True` grants, and both paths run the same engine; the reason says what was given instead.
    """

    async def bank(facts: Facts) -> object:
        return answer

    plain = guarded(lambda facts: answer).send("GO")
    awaited = asyncio.run(guarded(bank).asend("GO"))
    assert plain.code == awaited.code == "guard_rejected"
    assert type(answer).__name__ in plain.reason


class Thenable:
    """Something that can be awaited, but is no coroutine."""

    def __await__(self) -> Any:
        yield from ()
        return True


def test_a_coroutine_is_no_yes() -> None:
    """A coroutine or another awaitable is truthy, so a guard that nobody awaits grants access.

    fsmc: a plain call refuses whatever can be awaited, closes it, and names the calls that await.
    """

    async def bank(facts: Facts) -> bool:
        return True

    for guard in (bank, functools.partial(bank), lambda facts: bank(facts), lambda facts: Thenable()):
        session = guarded(guard)
        step = session.send("GO")
        assert (step.code, session.state) == ("needs_async", "A")
        with pytest.raises(SessionError, match="aallowed_tools"):
            _ = session.allowed_tools
        assert session.reserve("pay").code == "needs_async"
    gc.collect()  # a coroutine that was dropped would warn here, and warnings are errors


def test_the_asynchronous_calls_await_what_can_be_awaited() -> None:
    """With an asynchronous guard the tools of a session can no longer be refreshed, because only the plain call does
    that.

    fsmc: every call that may ask a guard has an asynchronous twin: moving, offering, checking, settling.
    """

    async def run() -> None:
        session = guarded(lambda facts: Thenable())
        assert list(await session.aallowed_tools()) == ["look", "pay"]
        assert (await session.acheck("pay")).allowed
        assert (await session.asend("GO")).moved
        session.reset_budget()

    asyncio.run(run())


def test_a_guard_that_raises_grants_nothing() -> None:
    """A guard that raises leaves the caller with its exception, and sometimes with the move made.

    fsmc: what a guard raises is a refusal that says so; nothing moves and nothing is spent.
    """

    def bank(facts: Facts) -> bool:
        raise ConnectionError("no line")

    session = guarded(bank)
    before = session.snapshot()
    assert "no line" in session.send("GO").reason
    assert session.snapshot() == before


def test_a_condition_without_its_fact_grants_nothing() -> None:
    """A condition that reads a fact which is not there counts as true.

    fsmc: an evaluation error is "does not hold", with the expression and the missing field in the reason.
    """
    session = table(
        """
        fsmc: 1
        id: roles
        initial: A
        context: {type: object, properties: {role: {type: string}}}
        tools: {refund: {when: context.role != "guest"}}
        states: {A: {tools: [refund], transitions: [{event: END, target: Z}]}, Z: {type: terminal}}
        """
    ).session()
    assert not session.allowed_tools
    assert "has no field `role`" in session.reserve("refund").reason
    session.update({"role": "agent"})
    assert session.allowed_tools == ("refund",)


def test_a_stale_move_is_not_made() -> None:
    """Two transitions wait for their guards, and both are made: the last guard to answer wins.

    fsmc: a move is bound to the revision it was decided on; when something else came first it is `stale`.
    """

    async def run() -> None:
        bank = Held()
        session = guarded(bank)
        first = await bank.started(session.asend("GO"))
        second = await bank.started(session.asend("GO"))
        for future in bank.asked:
            future.set_result(True)
        assert sorted([(await first).code, (await second).code]) == ["moved", "stale"]
        assert (session.state, session.revision) == ("B", 1)

    asyncio.run(run())


def test_a_pending_move_cannot_undo_a_fallback() -> None:
    """A pending transition is made after the safety fallback, and takes the machine out of it again.

    fsmc: a fallback is a revision like any other, so the pending move is stale.
    """

    async def run() -> None:
        bank = Held()
        session = guarded(bank)
        pending = await bank.started(session.asend("GO"))
        async with session.acall("look") as call:
            call.result = "ok"
        assert session.state == "C"
        bank.asked[0].set_result(True)
        assert ((await pending).code, session.state) == ("stale", "C")

    asyncio.run(run())


def test_leaving_and_coming_back_is_a_change() -> None:
    """A transition that compares states does not notice that the machine was elsewhere while its guard was pending.

    fsmc: the revision counts, not the name of the state.
    """

    async def run() -> None:
        bank = Held()
        session = guarded(bank)
        pending = await bank.started(session.asend("GO"))
        session.send("LEAVE")
        session.send("BACK")
        bank.asked[0].set_result(True)
        step = await pending
        assert (step.code, session.state) == ("stale", "A")
        assert "revision 0, now 2" in step.reason

    asyncio.run(run())


def test_a_refused_move_makes_no_other_stale() -> None:
    """One refused attempt spoils all others that are pending.

    fsmc: only what changed the session counts; a refusal changes nothing.
    """

    async def run() -> None:
        bank = Held()
        session = guarded(bank)
        first = await bank.started(session.asend("GO"))
        second = await bank.started(session.asend("GO"))
        bank.asked[1].set_result(False)
        assert (await second).code == "guard_rejected"
        bank.asked[0].set_result(True)
        assert (await first).moved

    asyncio.run(run())


def test_a_wrong_name_is_answered_where_it_is_awaited() -> None:
    """An unknown target raises at once in the asynchronous call, and not when it is awaited.

    fsmc: one channel: both kinds of call answer with a step whose code says what is wrong.
    """
    session = guarded(lambda facts: True)
    awaitable = session.asend("NOWHERE")
    assert asyncio.run(awaitable).code == session.send("NOWHERE").code == "unknown_event"
    assert (
        asyncio.run(session.atransition_to("NOWHERE")).code == session.transition_to("NOWHERE").code == "unknown_state"
    )


def test_a_guard_that_moves_the_machine_does_not_confuse_it() -> None:
    """A guard that moves the machine itself causes two moves, and the second tells of an origin that was left long ago.

    fsmc: the event is decided from where the session is then, and every notification names the state that was really left.
    """
    moves: list[tuple[str, str | None]] = []
    hooks = Hooks(after=lambda step: moves.append((step.source, step.target)))

    def bank(facts: Facts) -> bool:
        session.send("LEAVE")
        return True

    session = guarded(bank, hooks=hooks)
    step = session.send("GO")
    assert (step.code, step.source) == ("no_transition", "C")
    assert (session.state, moves) == ("C", [("A", "C")])


def test_a_hook_that_moves_the_machine_tells_in_order() -> None:
    """A hook that moves the machine again leaves later notifications with wrong origins.

    fsmc: moves are made and told one after the other, also from inside a hook.
    """
    moves: list[tuple[str, str | None]] = []

    def after(step: Step) -> None:
        moves.append((step.source, step.target))
        if step.target == "C":
            session.send("BACK")

    session = guarded(lambda facts: True, hooks=Hooks(after=after))
    session.send("LEAVE")
    assert (session.state, moves) == ("A", [("A", "C"), ("C", "A")])


def test_a_hook_of_an_awaited_call_may_move_on_too() -> None:
    """A hook that works in the plain call fails in the asynchronous one.

    fsmc: a hook may use the session, whichever kind of call it is told by.
    """

    def after(step: Step) -> None:
        if step.target == "C":
            session.send("BACK")
            session.send("GO")

    session = guarded(lambda facts: True, hooks=Hooks(after=after))
    step = asyncio.run(session.asend("LEAVE"))
    assert (session.state, step.note) == ("B", "")


def test_tools_offered_after_a_change_are_those_of_now() -> None:
    """The session moves while a condition is awaited, and the model is offered nothing, or the tools of an earlier
    state.

    fsmc: the list is made anew where the session is.
    """

    async def run() -> None:
        bank = Held()
        session = guarded(bank)
        listing = await bank.started(session.aallowed_tools())
        session.send("LEAVE")
        session.send("BACK")
        bank.asked[0].set_result(True)
        while not listing.done():
            await asyncio.sleep(0)
            for future in bank.asked:
                if not future.done():
                    future.set_result(True)
        assert list(await listing) == ["look", "pay"]

    asyncio.run(run())


def test_a_failing_hook_undoes_nothing_and_is_not_lost() -> None:
    """The callback after a transition raises into the caller, who takes the move for failed although it was made.

    fsmc: the move stays, the answer says `moved`, and its note and the log tell of the hook.
    """

    def after(step: Step) -> None:
        raise RuntimeError("database down")

    session = guarded(lambda facts: True, hooks=Hooks(after=after))
    step = session.send("LEAVE")
    assert (step.moved, session.state) == (True, "C") and "database down" in step.note


def test_a_coroutine_function_is_no_hook() -> None:
    """An asynchronous callback is accepted and never awaited; what it raises ends the process.

    fsmc: a coroutine function is refused when it is registered.
    """

    async def after(step: Step) -> None:
        raise RuntimeError("lost")

    with pytest.raises(BindingError, match="coroutine function"):
        Hooks(after=after)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_veto_that_nobody_awaits_is_no_consent() -> None:
    """A veto wrapped so that it does not look asynchronous gives a coroutine, and the move is made.

    fsmc: a hook that gives something awaitable vetoes the move and says why.
    """

    async def veto(step: Step) -> bool:
        return False

    session = guarded(lambda facts: True, hooks=Hooks(before=functools.partial(veto)))
    assert (session.send("LEAVE").code, session.state) == ("vetoed", "A")


def test_a_guard_cannot_write_facts() -> None:
    """A guard gets the live context, and can change what it decides on.

    fsmc: guards get a read-only view, and trying to write it is a refusal.
    """

    def bank(facts: Any) -> bool:
        facts["context"]["paid"] = True
        return True

    session = guarded(bank)
    assert "TypeError" in session.send("GO").reason
    assert "paid" not in session.context


def test_every_guard_is_bound_at_the_start() -> None:
    """A guard that was never registered, or under a misspelt name, is found when it is first needed, or never.

    fsmc: a session does not start without a function for every external guard, nor with one for a guard there is not.
    """
    with pytest.raises(BindingError, match="without a function: `bank`"):
        guarded_table.session()
    with pytest.raises(BindingError, match="did you mean `bank`"):
        guarded_table.session({}, {"bnak": lambda facts: True})
    with pytest.raises(BindingError, match="bound to str"):
        guarded_table.session({}, {"bank": "yes"})  # type: ignore[dict-item]


def test_the_context_cannot_be_replaced_behind_the_guards() -> None:
    """A new object assigned to the context is accepted, and the guards go on reading the old one.

    fsmc: there is one context; it is written with `update`, and assigning to it or into it raises.
    """
    session = clinic(context={"total": 1})
    with pytest.raises(AttributeError):
        session.context = {"total": 2}  # type: ignore[misc]
    with pytest.raises(TypeError):
        session.context["total"] = 2  # type: ignore[index]
    session.update({"total": 2})
    assert session.context == {"total": 2}


def test_a_misspelt_fact_is_refused() -> None:
    """A fact under a misspelt name is stored, and the condition that waits for it never holds.

    fsmc: the context takes the facts that the policy declares, with a hint at the nearest one.
    """
    session = clinic()
    with pytest.raises(SessionError, match="did you mean `total`"):
        session.update({"totl": 3})
    with pytest.raises(SessionError, match="not of type 'integer'"):
        session.update({"total": "3"})


def test_the_writes_of_an_application_are_its_own() -> None:
    """Writing to the context of one machine alters the configuration that the next one starts from.

    fsmc: facts are copied on the way in and out.
    """
    facts = {"total": 1}
    first, second = clinic(context=facts), clinic(context=facts)
    first.update({"total": 99})
    facts["total"] = 50
    assert (second.context["total"], clinic(context=facts).context["total"]) == (1, 50)


def test_no_move_is_lost_between_threads() -> None:
    """Two threads move one machine, and a move or a notification is lost.

    fsmc: a session decides and moves under one lock; a revision for every move.
    """
    told: list[str] = []
    session = booking(hooks=Hooks(after=lambda step: told.append(step.source)))
    before = session.revision

    def go() -> None:
        for _ in range(200):
            session.send("AGAIN")

    threads = [threading.Thread(target=go) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.revision - before == 1000
    assert told.count("BOOKING") == 1000
