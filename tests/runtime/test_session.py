"""Sessions: what is offered, what is decided, how results move the machine, what limits mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from fsmc.runtime.errors import BindingError, SessionError
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from tests.support import table

BOOKING = """
    fsmc: 1
    id: booking
    initial: TRIAGE
    context:
      type: object
      properties:
        role: {enum: [patient, staff]}
        patient: {type: string}
        failures: {type: integer}
    guards:
      calendar_agrees: {external: true, reason: "the calendar says no to {context.patient}"}
    tools:
      verify:
        effect: read
        input_schema: {type: object, properties: {document: {type: string}}, required: [document]}
        failed_when: has(result.error)
        on_failure: LOST
        emits:
          - {event: IDENTIFIED, when: result.verified, set: {patient: result.id}}
          - {when: result.maybe, set: {patient: result.id}}
          - {event: UNKNOWN}
      look: {effect: read}
      confirm:
        when: context.role == "patient"
        require: args.price <= 200 && args.patient == context.patient
        max_calls: 1
        approval: {expires: 10s}
        emits: [{event: CONFIRMED}]
    states:
      TRIAGE:
        tools: [verify, look]
        transitions:
          - {event: IDENTIFIED, target: BOOKING}
          - {event: UNKNOWN, target: TRIAGE2}
          - {event: LOST, target: HELP, set: {failures: "1"}}
      TRIAGE2: {tools: [look], transitions: [{event: GIVEN_UP, target: HELP}]}
      BOOKING:
        tools: [confirm, look]
        parallel_calls: 2
        transitions:
          - {event: CONFIRMED, target: DONE, guard: calendar_agrees}
          - {event: CONFIRMED, target: HELP}
          - {event: GIVEN_UP, target: HELP}
      DONE: {type: terminal}
      HELP: {type: terminal}
"""


@pytest.fixture(scope="module")
def booking() -> Table:
    return table(BOOKING)


def start(booking: Table, **context: Any) -> Session:
    return Session(booking, {"role": "patient", **context}, {"calendar_agrees": lambda facts: True})


def identified(booking: Table) -> Session:
    session = start(booking)
    session.reserve("verify", {"document": "X"}, "id")
    session.commit("id", '{"verified": true, "id": "p1"}')
    assert session.state == "BOOKING"
    return session


class TestStart:
    def test_it_starts_in_the_initial_state_with_its_context(self, booking: Table) -> None:
        session = start(booking)
        assert (session.state, session.revision, dict(session.context)) == ("TRIAGE", 0, {"role": "patient"})
        assert session.allowed_tools == ("verify", "look")
        assert session.events == ()

    @pytest.mark.parametrize(
        ("guards", "said"),
        [
            ({}, "without a function: `calendar_agrees`"),
            ({"calendar_agree": bool}, "did you mean `calendar_agrees`"),
            ({"calendar_agrees": True}, "bound to bool, not to a function"),
        ],
    )
    def test_binding_is_total(self, booking: Table, guards: dict[str, Any], said: str) -> None:
        with pytest.raises(BindingError, match=said):
            Session(booking, {}, guards)

    def test_a_context_that_does_not_match_its_schema_is_refused(self, booking: Table) -> None:
        with pytest.raises(BindingError, match=r"context\.role"):
            start(booking, role="robot")

    def test_the_context_is_a_read_only_copy(self, booking: Table) -> None:
        given = {"role": "patient"}
        session = Session(booking, given, {"calendar_agrees": bool})
        given["role"] = "staff"
        assert session.context["role"] == "patient"
        with pytest.raises(TypeError):
            session.context["role"] = "staff"  # type: ignore[index]


class TestDecide:
    @pytest.mark.parametrize(
        ("tool", "arguments", "code", "said"),
        [
            ("verfy", {}, "unknown_tool", "did you mean `verify`"),
            (["verify"], {}, "unknown_tool", "not a tool"),
            ("confirm", {}, "not_in_state", "not available in TRIAGE"),
            ("verify", {}, "invalid_arguments", "'document' is a required property"),
            ("verify", {"document": 7}, "invalid_arguments", "arguments.document: 7 is not of type 'string'"),
            ("verify", [], "invalid_arguments", "not a JSON object"),
            ("verify", "[]", "invalid_arguments", "not a JSON object"),
            ("verify", "{oops", "invalid_arguments", "a text that is no JSON"),
            ("verify", '{"a": 1, "a": 2}', "invalid_arguments", "a key is there twice"),
            ("verify", {"document": float("nan")}, "invalid_arguments", "not a JSON value"),
            ("verify", {1: 2}, "invalid_arguments", "the key 1 is not a text"),
            ("verify", {"document": object()}, "invalid_arguments", "not a JSON value"),
        ],
    )
    def test_a_refusal_says_why_and_spends_nothing(
        self, booking: Table, tool: Any, arguments: Any, code: str, said: str
    ) -> None:
        session = start(booking)
        decision = session.reserve(tool, arguments)
        assert (decision.verdict, decision.code) == ("deny", code)
        assert said in decision.reason
        assert decision.allowed_tools == ("verify", "look")
        assert (session.refusals, session.in_flight, session.state) == (1, (), "TRIAGE")
        assert session.reserve("verify", {"document": "X"}).allowed

    def test_a_refusal_names_what_would_unlock_the_tool(self, booking: Table) -> None:
        assert start(booking).check("confirm", {}).unlock == "reachable by IDENTIFIED"

    def test_when_hides_a_tool(self, booking: Table) -> None:
        session = identified(booking)
        session.update({"role": "staff"})
        assert session.allowed_tools == ("look",)
        assert session.check("confirm", {}).code == "condition_false"

    def test_require_names_the_part_that_fails(self, booking: Table) -> None:
        decision = identified(booking).check("confirm", {"price": 300, "patient": "p1"})
        assert (decision.code, "`args.price <= 200` does not hold" in decision.reason) == ("requirement_failed", True)

    def test_of_several_requirements_the_first_that_fails_explains(self) -> None:
        session = table(
            """
            fsmc: 1
            id: several
            initial: A
            guards:
              cheap: {expr: args.price <= 200, reason: "{args.price} is too much"}
            tools:
              buy: {require: [cheap, 'args.currency == "EUR"', "args.price > 0"]}
            states: {A: {tools: [buy], transitions: [{event: END, target: B}]}, B: {type: terminal}}
            """
        ).session()
        assert session.check("buy", {"price": 300, "currency": "USD"}).reason == "`buy` is refused: 300 is too much"
        assert "args.currency" in session.check("buy", {"price": 3, "currency": "USD"}).reason
        assert session.check("buy", {"price": 3, "currency": "EUR"}).allowed

    def test_a_condition_that_cannot_be_decided_grants_nothing(self, booking: Table) -> None:
        decision = identified(booking).check("confirm", {"price": "cheap", "patient": "p1"})
        assert (decision.code, "could not be decided" in decision.reason) == ("requirement_failed", True)

    def test_arguments_are_fixed_when_they_are_checked(self, booking: Table) -> None:
        given = {"document": "X"}
        decision = start(booking).reserve("verify", given)
        given["document"] = "Y"
        assert decision.arguments is not None and decision.arguments["document"] == "X"
        with pytest.raises(TypeError):
            decision.arguments["document"] = "Z"  # type: ignore[index]

    def test_deeply_nested_arguments_are_refused_not_a_crash(self, booking: Table) -> None:
        deep: Any = "x"
        for _ in range(5000):
            deep = [deep]
        assert start(booking).reserve("verify", {"document": deep}).code == "invalid_arguments"

    def test_an_id_in_flight_is_not_given_twice(self, booking: Table) -> None:
        session = start(booking)
        assert session.reserve("look", {}, "a").allowed
        assert session.reserve("look", {}, "a").code == "duplicate_call_id"
        session.commit("a")
        assert session.reserve("look", {}, "a").allowed


class TestApproval:
    CALL: Mapping[str, Any] = {"price": 100, "patient": "p1"}

    def test_a_person_approves_exactly_this_call_once(self, booking: Table) -> None:
        session = identified(booking)
        assert session.check("confirm", self.CALL).verdict == "ask"
        session.approve("confirm", {"patient": "p1", "price": 100})
        assert session.check("confirm", {**self.CALL, "price": 101}).verdict == "ask"
        assert session.reserve("confirm", self.CALL, "c").allowed
        session.release("c")
        assert session.check("confirm", self.CALL).verdict == "ask"

    def test_an_approval_does_not_outlive_a_change(self, booking: Table) -> None:
        session = identified(booking)
        session.approve("confirm", self.CALL)
        session.update({"failures": 0})
        assert session.check("confirm", self.CALL).verdict == "ask"

    def test_an_approval_expires(self, booking: Table) -> None:
        now = [100.0]
        session = Session(booking, {"role": "patient"}, {"calendar_agrees": bool}, clock=lambda: now[0])
        session.reserve("verify", {"document": "X"}, "id")
        session.commit("id", {"verified": True, "id": "p1"})
        session.approve("confirm", self.CALL)
        now[0] += 9.9
        assert session.check("confirm", self.CALL).allowed
        now[0] += 0.1
        assert session.check("confirm", self.CALL).verdict == "ask"

    def test_only_tools_that_need_one_are_approved(self, booking: Table) -> None:
        with pytest.raises(SessionError, match="not a tool that needs an approval"):
            start(booking).approve("look")


class TestResults:
    def test_a_result_raises_its_event_writes_facts_and_moves(self, booking: Table) -> None:
        session = start(booking)
        session.reserve("verify", {"document": "X"}, "c")
        settled = session.commit("c", '{"verified": true, "id": "p7"}')
        assert (settled.event, settled.wrote, session.state) == ("IDENTIFIED", ("patient",), "BOOKING")
        assert session.context["patient"] == "p7"
        assert session.calls["verify"] == 1

    def test_the_first_entry_whose_when_holds_wins(self, booking: Table) -> None:
        session = start(booking)
        session.reserve("verify", {"document": "X"}, "c")
        settled = session.commit("c", {"verified": False, "maybe": True, "id": "p8"})
        assert (settled.event, settled.wrote, session.state) == (None, ("patient",), "TRIAGE")

    def test_an_entry_that_cannot_be_decided_is_noted_and_passed_over(self, booking: Table) -> None:
        session = start(booking)
        session.reserve("verify", {"document": "X"}, "c")
        settled = session.commit("c", "who knows")
        # A text has no fields: `failed_when` cannot be decided, which counts as failed.
        assert (settled.failed, settled.event, session.state) == (True, "LOST", "HELP")
        assert "counts as failed" in settled.notes[0]
        assert session.calls["verify"] == 0

    def test_a_set_that_does_not_fit_the_context_moves_nothing(self, booking: Table) -> None:
        session = start(booking)
        session.reserve("verify", {"document": "X"}, "c")
        settled = session.commit("c", {"verified": True, "id": 12})
        assert (session.state, dict(session.context)) == ("TRIAGE", {"role": "patient"})
        assert settled.step is not None and settled.step.code == "set_failed"
        assert "IDENTIFIED moved nothing" in settled.notes[0]

    def test_a_second_look_up_cannot_replace_who_was_identified(self, booking: Table) -> None:
        session = start(booking)
        session.reserve_batch([("a", "verify", {"document": "X"}), ("b", "verify", {"document": "Y"})])
        session.commit("a", {"verified": True, "id": "p1"})
        late = session.commit("b", {"verified": True, "id": "p2"})
        assert session.context["patient"] == "p1"
        assert late.notes and "does not react to IDENTIFIED" in late.notes[0]

    @pytest.mark.parametrize("answer", [False, None, 1, RuntimeError("down")])
    def test_an_external_guard_that_is_not_true_never_passes(self, booking: Table, answer: object) -> None:
        def ask(facts: Mapping[str, Any]) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

        session = Session(booking, {"role": "patient", "patient": "p1"}, {"calendar_agrees": ask})
        session.reserve("verify", {"document": "X"}, "id")
        session.commit("id", {"verified": True, "id": "p1"})
        session.approve("confirm", TestApproval.CALL)
        session.reserve("confirm", TestApproval.CALL, "c")
        assert session.commit("c").step.target == "HELP"  # type: ignore[union-attr]

    def test_an_asynchronous_guard_is_refused_by_plain_calls_and_nothing_is_lost(self, booking: Table) -> None:
        async def ask(facts: Mapping[str, Any]) -> bool:
            return True

        session = Session(booking, {"role": "patient"}, {"calendar_agrees": ask})
        session.reserve("verify", {"document": "X"}, "id")
        session.commit("id", {"verified": True, "id": "p1"})
        session.approve("confirm", TestApproval.CALL)
        session.reserve("confirm", TestApproval.CALL, "c")
        with pytest.raises(SessionError, match=r"asynchronous.*stays in flight"):
            session.commit("c", "{}")
        assert (session.in_flight, session.state, session.calls["confirm"]) == (("c",), "BOOKING", 0)

    def test_guards_see_facts_they_cannot_change(self, booking: Table) -> None:
        seen: list[Mapping[str, Any]] = []

        def ask(facts: Mapping[str, Any]) -> bool:
            seen.append(facts)
            with pytest.raises(TypeError):
                facts["context"]["patient"] = "other"
            return True

        session = Session(booking, {"role": "patient"}, {"calendar_agrees": ask})
        session.reserve("verify", {"document": "X"}, "id")
        session.commit("id", {"verified": True, "id": "p1"})
        session.approve("confirm", TestApproval.CALL)
        session.reserve("confirm", TestApproval.CALL, "c")
        assert session.commit("c", "{}").step.target == "DONE"  # type: ignore[union-attr]
        assert seen[0]["event"]["args"]["price"] == 100

    def test_a_call_is_settled_once(self, booking: Table) -> None:
        session = start(booking)
        session.reserve("look", {}, "c")
        session.commit("c")
        for again in (session.commit, session.release):
            with pytest.raises(SessionError, match="settled already"):
                again("c")


class TestEvents:
    def test_a_reserved_event_is_the_tools_own(self, booking: Table) -> None:
        session = start(booking)
        assert session.send("IDENTIFIED").code == "reserved"
        assert session.state == "TRIAGE"

    def test_the_application_sends_what_is_not_reserved(self, booking: Table) -> None:
        session = identified(booking)
        assert session.events == ("GIVEN_UP",)
        assert session.send("GIVEN_UP").moved and session.finished
        assert session.check("look").code == "session_ended"
        assert session.send("GIVEN_UP").code == "no_transition"

    def test_a_payload_must_be_json(self, booking: Table) -> None:
        assert identified(booking).send("GIVEN_UP", {"at": object()}).code == "invalid_payload"


class TestLimits:
    LIMITS = """
        fsmc: 1
        id: limits
        initial: A
        topology: cyclic
        long_running: true
        defaults:
          tool_budget: {limit: 3, repeated: 2, fallback: HELP}
          transitions: [{event: OUT, target: HELP}]
        tools:
          look: {effect: read}
          once: {max_calls: 1}
          again: {emits: [{event: AGAIN}]}
        states:
          A:
            tools: [look, once, again]
            parallel_calls: 2
            transitions: [{event: AGAIN, target: A}, {event: NEXT, target: B}]
          B: {tools: [look], tool_budget: {limit: 1}}
          HELP: {tools: [look, once], transitions: [{event: DONE, target: END}]}
          END: {type: terminal}
    """

    @pytest.fixture
    def session(self) -> Session:
        return table(self.LIMITS).session()

    def call(self, session: Session, tool: str = "look", **arguments: Any) -> Any:
        decision = session.reserve(tool, arguments)
        if not decision.allowed:
            return decision.code
        assert decision.call_id is not None
        return session.commit(decision.call_id)

    def test_parallel_calls_cannot_overspend(self, session: Session) -> None:
        answers = session.reserve_batch([(f"c{i}", "look", {"i": i}) for i in range(4)])
        assert [a.code for a in answers] == ["ok", "ok", "parallel_calls", "parallel_calls"]

    def test_a_call_in_flight_counts_against_its_maximum(self, session: Session) -> None:
        answers = session.reserve_batch([("a", "once", {}), ("b", "once", {})])
        assert [a.code for a in answers] == ["ok", "max_calls"]
        session.release("a")
        assert session.reserve("once", {}, "c").allowed
        session.commit("c", failed=True)
        assert session.reserve("once", {}, "d").allowed, "a failed call is not a successful one"
        session.commit("d")
        assert session.reserve("once", {"other": 1}).code == "max_calls"

    def test_the_spent_budget_moves_to_the_fallback_with_a_fresh_one(self, session: Session) -> None:
        assert self.call(session, i=1).loop is None
        assert self.call(session, i=2).fallback is None
        third = self.call(session, i=3)
        assert (third.loop.mode, third.loop.made, third.loop.limit) == ("limit", 3, 3)
        assert (third.fallback.kind, session.state) == ("fallback", "HELP")
        assert self.call(session, "once").loop is None

    def test_identical_calls_in_a_row_are_a_loop(self, session: Session) -> None:
        self.call(session, q="x")
        second = self.call(session, q="x")
        assert (second.loop.mode, second.loop.tool, session.state) == ("repeated", "look", "HELP")

    def test_another_call_between_breaks_the_run(self, session: Session) -> None:
        self.call(session, q="x")
        self.call(session, q="y")
        assert session.state == "A"

    def test_identical_calls_in_flight_count_as_a_run(self, session: Session) -> None:
        self.call(session, q="x")
        assert session.reserve("look", {"q": "x"}, "a").allowed
        assert session.reserve("look", {"q": "x"}, "b").code == "repeated_call"

    def test_without_a_fallback_the_loop_is_told_once_and_calls_are_refused(self, session: Session) -> None:
        for number in range(3):
            self.call(session, i=number)
        first = self.call(session, i=1)
        assert first.loop is None
        self.call(session, i=2)
        last = self.call(session, i=3)
        # HELP has the default budget, whose fallback is HELP itself and so does not apply to it.
        assert (last.loop.state, last.fallback, session.state) == ("HELP", None, "HELP")
        assert self.call(session, i=4) == "budget_exhausted"
        assert self.call(session, i=5) == "budget_exhausted"

    def test_a_self_transition_keeps_the_budget(self, session: Session) -> None:
        before = session.revision
        self.call(session, "again", i=1)
        self.call(session, "again", i=2)
        assert session.revision == before + 2
        assert self.call(session, i=3).loop.limit == 3

    def test_another_state_opens_a_fresh_budget(self, session: Session) -> None:
        self.call(session, i=1)
        session.send("NEXT")
        settled = self.call(session, i=2)
        assert (settled.loop.limit, session.state) == (1, "HELP")

    def test_a_result_from_an_earlier_state_spends_nothing_here(self, session: Session) -> None:
        session.reserve("look", {}, "old")
        session.send("NEXT")
        assert session.commit("old").loop is None
        assert session.reserve("look", {}).allowed

    def test_released_calls_spend_nothing(self, session: Session) -> None:
        for number in range(10):
            assert session.reserve("look", {"i": number}, "c").allowed
            session.release("c")


class TestOpen:
    OPEN = """
        fsmc: 1
        id: open
        initial: A
        topology: open
        transition_guard: target != "C" || context.boss
        tools: {look: {effect: read}}
        states: {A: {tools: [look]}, B: {}, C: {}, END: {type: terminal}}
    """

    def test_any_state_may_be_asked_for_and_the_guard_can_veto(self) -> None:
        session = table(self.OPEN).session({"boss": False})
        assert session.transition_to("B").moved
        assert session.transition_to("C").code == "guard_rejected"
        session.update({"boss": True})
        assert session.transition_to("C").moved
        assert session.transition_to("NOPE").code == "unknown_state"
        assert session.transition_to("END").moved
        assert session.transition_to("A").code == "no_transition"

    def test_elsewhere_states_are_not_asked_for(self, booking: Table) -> None:
        assert start(booking).transition_to("DONE").code == "no_transition"


class TestContext:
    def test_a_set_that_doubles_a_fact_is_stopped_before_it_hurts(self) -> None:
        session = table(
            """
            fsmc: 1
            id: growing
            initial: A
            topology: cyclic
            long_running: true
            tools: {grow: {effect: read, emits: [{set: {facts: "[context.facts, context.facts]"}}]}}
            states: {A: {tools: [grow], transitions: [{event: END, target: B}]}, B: {type: terminal}}
            """
        ).session({"facts": "x" * 100})
        for _ in range(40):
            decision = session.reserve("grow")
            assert decision.call_id is not None
            settled = session.commit(decision.call_id)
        assert settled.wrote == ()
        assert "would grow beyond 1,000,000" in settled.notes[0]
