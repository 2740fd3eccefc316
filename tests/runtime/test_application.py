"""A session in an application: asynchronous guards, hooks, blocks and wrapped functions, shadow mode, snapshots, threads."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from fsmc.runtime.errors import BindingError, CallRefused, SessionError
from fsmc.runtime.hooks import Hooks
from fsmc.runtime.infos import Step
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from tests.support import table

SHOP = """
    fsmc: 1
    id: shop
    initial: CART
    topology: cyclic
    long_running: true
    context: {type: object, properties: {total: {type: integer}, paid: {type: boolean}}}
    guards:
      bank: {external: true, reason: "the bank says no"}
    tools:
      look: {effect: read}
      add: {emits: [{set: {total: "(has(context.total) ? context.total : 0) + args.price"}}]}
      pay:
        when: has(context.total)
        require: args.amount == context.total
        max_calls: 1
        approval: true
        emits: [{event: PAID, set: {paid: "true"}}]
        on_failure: DECLINED
    states:
      CART:
        tools: [look, add, pay]
        tool_budget: {limit: 5, fallback: HELP}
        transitions:
          - {event: PAID, target: DONE, guard: bank}
          - {event: DECLINED, target: HELP}
          - {event: LEAVE, target: HELP}
          - {event: ASK, target: HELP, guard: bank}
      HELP: {tools: [look], transitions: [{event: BACK, target: CART}, {event: END, target: DONE}]}
      DONE: {type: terminal}
"""


@pytest.fixture(scope="module")
def shop() -> Table:
    return table(SHOP)


async def yes(facts: Mapping[str, Any]) -> bool:
    return True


class TestAsync:
    def test_asynchronous_guards_are_awaited_by_asynchronous_calls(self, shop: Table) -> None:
        async def run() -> None:
            session = shop.session({"total": 5}, {"bank": yes})
            assert await session.acan("ASK") and not session.can("ASK")
            session.approve("pay", {"amount": 5})
            async with session.acall("pay", {"amount": 5}) as call:
                call.result = {"ok": True}
            assert call.settled is not None and call.settled.event == "PAID"
            assert (session.state, session.context["paid"]) == ("DONE", True)

        asyncio.run(run())

    def test_plain_calls_refuse_asynchronous_guards_and_say_so(self, shop: Table) -> None:
        session = shop.session({}, {"bank": yes})
        step = session.send("ASK")
        assert (step.code, "begin with `a`" in step.reason, session.state) == ("needs_async", True, "CART")

    @pytest.mark.parametrize("back", [False, True])
    def test_a_pending_transition_is_stale_once_the_session_moved(self, shop: Table, back: bool) -> None:
        async def run() -> Step:
            asked, answer = asyncio.Event(), asyncio.Event()

            async def bank(facts: Mapping[str, Any]) -> bool:
                asked.set()
                await answer.wait()
                return True

            session = shop.session({}, {"bank": bank})
            pending = asyncio.create_task(session.asend("ASK"))
            await asked.wait()
            session.send("LEAVE")
            if back:
                session.send("BACK")
            answer.set()
            step = await pending
            assert session.state == ("CART" if back else "HELP")
            return step

        assert asyncio.run(run()).code == "stale"

    def test_a_refused_pending_transition_makes_no_other_stale(self, shop: Table) -> None:
        async def run() -> None:
            answers: list[asyncio.Future[bool]] = []

            async def bank(facts: Mapping[str, Any]) -> bool:
                answers.append(asyncio.get_running_loop().create_future())
                return await answers[-1]

            session = shop.session({}, {"bank": bank})
            first, second = asyncio.create_task(session.asend("ASK")), asyncio.create_task(session.asend("ASK"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            answers[1].set_result(False)
            assert (await second).code == "guard_rejected"
            answers[0].set_result(True)
            assert (await first).moved

        asyncio.run(run())

    def test_a_result_that_became_stale_is_decided_where_the_session_is(self, shop: Table) -> None:
        async def run() -> None:
            session = shop.session({"total": 5}, {"bank": lambda facts: asyncio.sleep(0, True)})
            session.approve("pay", {"amount": 5})
            decision = await session.areserve("pay", {"amount": 5})
            task = asyncio.create_task(session.acommit(decision.call_id or "", "ok"))
            await asyncio.sleep(0)
            session.send("LEAVE")
            settled = await task
            assert settled.event == "PAID" and settled.step is not None
            assert (settled.step.code, settled.step.source, session.state) == ("no_transition", "HELP", "HELP")
            assert session.calls["pay"] == 1

        asyncio.run(run())

    @pytest.mark.parametrize("answer", [None, 1, "yes", ValueError("down")])
    def test_only_true_passes(self, shop: Table, answer: Any) -> None:
        async def bank(facts: Mapping[str, Any]) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

        assert asyncio.run(shop.session({}, {"bank": bank}).asend("ASK")).code == "guard_rejected"

    def test_where_a_guard_moves_the_session_the_event_is_decided_from_there(self, shop: Table) -> None:
        def bank(facts: Mapping[str, Any]) -> bool:
            session.send("LEAVE")
            return True

        for payload in (None, {"by": "me"}):
            session = shop.session({}, {"bank": bank})
            assert (session.send("ASK", payload).code, session.state) == ("no_transition", "HELP")

    @pytest.mark.parametrize("payload", [None, {"by": "me"}])
    def test_a_guard_that_changes_the_session_whenever_it_is_asked_makes_its_own_transition_stale(
        self, shop: Table, payload: Any
    ) -> None:
        def bank(facts: Mapping[str, Any]) -> bool:
            session.update({"total": session.revision})
            return True

        session = shop.session({}, {"bank": bank})
        step = session.send("ASK", payload)
        assert (step.code, step.guard, session.state) == ("stale", "bank", "CART")


class TestHooks:
    def test_they_are_told_in_order(self, shop: Table) -> None:
        told: list[Any] = []
        hooks = Hooks(
            before=lambda step: told.append(("before", step.target)),
            after=lambda step: told.append(("after", step.target)),
            refused=lambda decision: told.append(("refused", decision.code)),
            loop=lambda loop: told.append(("loop", loop.made)),
            finished=lambda step: told.append(("finished", step.target)),
        )
        session = shop.session({}, {"bank": lambda facts: True}, hooks=hooks)
        session.reserve("nope")
        for _ in range(5):
            with session.call("look") as call:
                call.result = 1
        session.send("END")
        assert told == [
            ("refused", "unknown_tool"), ("after", "HELP"), ("loop", 5), ("before", "DONE"), ("after", "DONE"), ("finished", "DONE"),
        ]  # fmt: skip

    def test_before_can_veto_and_nothing_changes(self, shop: Table) -> None:
        for veto in (lambda step: False, lambda step: 1 / 0):
            session = shop.session({}, {"bank": lambda facts: True}, hooks=Hooks(before=veto))
            before = session.snapshot()
            assert session.send("LEAVE").code == "vetoed"
            assert session.snapshot() == before

    def test_a_failing_after_hook_is_told_and_the_state_stays(
        self, shop: Table, caplog: pytest.LogCaptureFixture
    ) -> None:
        def after(step: Step) -> None:
            raise RuntimeError("database down")

        session = shop.session({}, {"bank": lambda facts: True}, hooks=Hooks(after=after))
        step = session.send("LEAVE")
        assert (step.moved, session.state) == (True, "HELP")
        assert "database down" in step.note and "hook `after` failed" in caplog.text

    def test_a_hook_may_move_on(self, shop: Table) -> None:
        def after(step: Step) -> None:
            moves.append((step.source, step.target))
            if step.target == "HELP":
                session.send("BACK")

        moves: list[tuple[str, str | None]] = []
        session = shop.session({}, {"bank": lambda facts: True}, hooks=Hooks(after=after))
        session.send("LEAVE")
        assert (session.state, moves) == ("CART", [("CART", "HELP"), ("HELP", "CART")])

    @pytest.mark.parametrize("hook", [yes, 5])
    def test_what_cannot_be_called_here_is_refused_at_registration(self, hook: Any) -> None:
        with pytest.raises(BindingError, match="hook `after`"):
            Hooks(after=hook)

    def test_decisions_and_moves_are_in_the_log(self, shop: Table, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG, "fsmc")
        session = shop.session({}, {"bank": lambda facts: True})
        session.reserve("look", {}, "a")
        session.reserve("nope")
        session.send("LEAVE")
        assert [(record.levelname, record.fsmc.get("code")) for record in caplog.records] == [  # type: ignore[attr-defined]
            ("DEBUG", "ok"),
            ("INFO", "unknown_tool"),
            ("INFO", "moved"),
        ]


class TestBlocks:
    def test_a_block_commits_its_result(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        with session.call("add", {"price": 7}) as call:
            call.result = dict(call.arguments)
        assert call.settled is not None and call.settled.wrote == ("total",)
        assert session.context["total"] == 7

    def test_a_block_without_a_result_gives_the_call_back(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        with session.call("look"):
            assert session.in_flight
        assert (session.in_flight, session.calls["look"]) == ((), 0)
        with session.call("look") as call:
            call.result = 1
            call.release()
        assert session.calls["look"] == 0

    def test_a_block_that_raises_commits_a_failure(self, shop: Table) -> None:
        session = shop.session({"total": 1}, {"bank": lambda facts: True})
        session.approve("pay", {"amount": 1})
        with pytest.raises(OSError, match="no line"), session.call("pay", {"amount": 1}) as call:
            raise OSError("no line")
        assert call.settled is not None and call.settled.failed
        assert session.state == "HELP"

    def test_a_refused_block_is_not_entered(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        with pytest.raises(CallRefused) as refused, session.call("pay", {"amount": 1}):
            pytest.fail("the block ran")
        assert refused.value.decision.code == "condition_false"


class TestWrapping:
    def test_a_wrapped_function_runs_only_when_allowed(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        ran: list[int] = []

        @session.guard_tool
        def add(price: int, *, note: str = "") -> int:
            """Add to the cart."""
            ran.append(price)
            return price

        assert add(3) == 3 and add(price=4, note="x") == 4
        assert (add.__doc__, ran, session.context["total"]) == ("Add to the cart.", [3, 4], 7)
        session.send("LEAVE")
        with pytest.raises(CallRefused, match="not available in HELP"):
            add(5)
        assert ran == [3, 4]

    def test_a_refusal_can_be_returned(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        pay = session.guard_tool(lambda amount: amount, tool="pay", refusal="return")
        assert pay(1).code == "condition_false"

    def test_it_runs_on_the_checked_copy(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        basket = {"items": [1]}
        look = session.guard_tool(lambda basket: basket["items"].append(2) or basket, tool="look")
        assert look(basket) == {"items": [1, 2]}
        assert basket == {"items": [1]}

    def test_asynchronous_functions_and_failures(self, shop: Table) -> None:
        async def run() -> None:
            session = shop.session({"total": 1}, {"bank": yes})

            async def pay(amount: int, **more: str) -> None:
                raise TimeoutError("slow")

            session.approve("pay", {"amount": 1, "by": "card"})
            with pytest.raises(TimeoutError):
                await session.guard_tool(pay)(1, by="card")
            assert session.state == "HELP"

        asyncio.run(run())

    def test_what_cannot_be_guarded_is_refused_when_it_is_wrapped(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        with pytest.raises(BindingError, match="not a tool"):
            session.guard_tool(lambda: 1, tool="nope")
        with pytest.raises(BindingError, match=r"\*args"):
            session.guard_tool(lambda *args: 1, tool="look")


class TestShadow:
    def test_calls_go_through_and_are_counted(self, shop: Table) -> None:
        told: list[str] = []
        hooks = Hooks(refused=lambda decision: told.append(decision.code))
        session = shop.session({}, {"bank": lambda facts: False}, shadow=True, hooks=hooks)
        decision = session.reserve("pay", {"amount": 1})
        assert (decision.allowed, decision.shadow, decision.code) == (True, True, "condition_false")
        session.commit(decision.call_id or "", "ok")
        assert session.state == "DONE", "the guard was asked and let through"
        assert session.reserve("nope").allowed
        assert session.shadowed == {"condition_false": 1, "guard bank": 1, "unknown_tool": 1}
        assert (session.refusals, told) == (0, ["condition_false", "unknown_tool"])

    def test_only_what_is_named(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: False}, shadow=["pay"])
        assert session.reserve("pay", {}).shadow
        assert not session.reserve("nope").allowed
        assert session.send("ASK").code == "guard_rejected"
        with pytest.raises(BindingError, match="`nope`"):
            shop.session({}, {"bank": lambda facts: False}, shadow=["nope"])
        with pytest.raises(BindingError, match="the text"):
            shop.session({}, {"bank": lambda facts: False}, shadow="pay")


class TestSnapshots:
    def busy(self, shop: Table) -> Session:
        session = shop.session({"total": 2}, {"bank": lambda facts: True}, clock=lambda: 100.0)
        session.reserve("look", {"q": "x"}, "open")
        session.reserve("look", {"q": "y"}, "done")
        session.commit("done", 1)
        session.approve("pay", {"amount": 2})
        session.reserve("nope")
        return session

    def test_a_snapshot_is_complete_and_the_session_goes_on_as_before(self, shop: Table) -> None:
        session = self.busy(shop)
        saved = json.loads(json.dumps(session.snapshot()))
        other = shop.restore(saved, {"bank": lambda facts: True}, clock=lambda: 100.0)
        assert other.snapshot() == saved
        for each in (session, other):
            assert each.check("pay", {"amount": 2}).allowed
            each.commit("open", 1)
            assert [each.reserve("look").allowed for _ in range(4)] == [True, True, True, False]
        assert other.snapshot() == session.snapshot()

    def test_it_matches_its_published_schema(self, shop: Table) -> None:
        import jsonschema

        from fsmc.runtime.schemas import schema

        jsonschema.validate(self.busy(shop).snapshot(), schema("session-v1"))

    def test_restoring_asks_and_tells_nobody(self, shop: Table) -> None:
        def never(*_: object) -> bool:
            raise AssertionError("asked")

        saved = self.busy(shop).snapshot()
        shop.restore(saved, {"bank": never}, hooks=Hooks(before=never, after=never))

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"format": "fsmc-session/2"}, "not a snapshot"),
            ({"digest": "sha256:0"}, "give `migrate`"),
            ({"state": "GONE"}, "not a state of this policy"),
            ({"revision": -1}, "damaged"),
            ({"extra": 1}, "damaged"),
            ({"context": {"total": "x"}}, "does not fit"),
            ({"visits": {"GONE": 1}}, "counts visits of `GONE`"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, shop: Table, change: dict[str, Any], said: str) -> None:
        saved = {**self.busy(shop).snapshot(), **change}
        with pytest.raises(SessionError, match=said):
            shop.restore(saved, {"bank": lambda facts: True})

    @pytest.mark.parametrize("saved", [None, [], "x", {}, {"format": float("nan")}])
    def test_what_is_no_snapshot_is_refused(self, shop: Table, saved: Any) -> None:
        with pytest.raises(SessionError):
            shop.restore(saved, {"bank": lambda facts: True})

    def test_a_changed_policy_needs_a_map(self, shop: Table) -> None:
        saved = self.busy(shop).snapshot()
        newer = table(SHOP.replace("CART", "BASKET"))
        with pytest.raises(SessionError, match="give `migrate`"):
            newer.restore(saved, {"bank": lambda facts: True})
        with pytest.raises(SessionError, match="map it with `migrate`"):
            newer.restore(saved, {"bank": lambda facts: True}, migrate={})
        session = newer.restore(saved, {"bank": lambda facts: True}, migrate={"CART": "BASKET"}, clock=lambda: 100.0)
        assert (session.state, session.in_flight) == ("BASKET", ("open",))
        assert session.check("pay", {"amount": 2}).verdict == "ask", "people are asked again under another policy"


class TestThreads:
    def test_a_cap_is_never_overspent(self, shop: Table) -> None:
        for _ in range(20):
            session = shop.session({"total": 1}, {"bank": lambda facts: True})
            barrier = threading.Barrier(8)
            allowed: list[bool] = []

            def call(
                session: Session = session, barrier: threading.Barrier = barrier, allowed: list[bool] = allowed
            ) -> None:
                barrier.wait()
                for _ in range(4):
                    allowed.append(session.reserve("look").allowed)

            threads = [threading.Thread(target=call) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sum(allowed) == 5

    def test_no_move_is_lost(self) -> None:
        ring = table(
            """
            fsmc: 1
            id: ring
            initial: A
            topology: cyclic
            long_running: true
            states: {A: {transitions: [{event: GO, target: B}]}, B: {transitions: [{event: GO, target: A}]}}
            """
        )
        session = ring.session()

        def go() -> None:
            for _ in range(500):
                assert session.send("GO").moved

        threads = [threading.Thread(target=go) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (session.revision, session.state) == (3000, "A")


class TestFacts:
    def test_a_fact_that_the_policy_does_not_name_is_refused(self, shop: Table) -> None:
        session = shop.session({}, {"bank": lambda facts: True})
        with pytest.raises(SessionError, match="did you mean `total`"):
            session.update({"totl": 3})
        with pytest.raises(BindingError, match="not a field"):
            shop.session({"basket": 1}, {"bank": lambda facts: True})

    def test_a_guard_that_cannot_be_decided_leaves_a_note_on_the_move_that_was_made_instead(self) -> None:
        claims = table(
            """
            fsmc: 1
            id: claims
            initial: A
            context: {type: object, properties: {amount: {type: integer}}}
            guards: {small: context.amount <= 100}
            tools: {submit: {emits: [{event: SUBMITTED}]}}
            states:
              A:
                tools: [submit]
                transitions: [{event: SUBMITTED, target: PAY, guard: small}, {event: SUBMITTED, target: ASK}]
              PAY: {type: terminal}
              ASK: {type: terminal}
            """
        )
        session = claims.session()
        session.reserve("submit", {}, "c")
        settled = session.commit("c")
        assert session.state == "ASK"
        assert settled.notes == ("`small` could not be decided: context has no field `amount`",)
