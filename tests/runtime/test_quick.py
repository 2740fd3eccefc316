"""Quick answers: they are those of the engine, they are given, and they keep their promises between threads."""

from __future__ import annotations

import functools
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fsmc
from fsmc.runtime import driver, quick
from fsmc.runtime.errors import SessionError
from fsmc.runtime.hooks import Hooks
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from tests.support import table

Guards = dict[str, Callable[[Mapping[str, Any]], object]]

MAZE = """
    fsmc: 1
    id: maze
    initial: A
    topology: cyclic
    long_running: true
    context: {type: object, properties: {n: {type: integer}, who: {type: string}}}
    events: {GO: {}, BACK: {}, ASK: {}, TRY: {}, ROUND: {}, NOTE: {}, FOUND: {}}
    guards:
      asked: {external: true}
      few: {expr: calls.look < 3, reason: "looked {calls.look} times in {state}"}
    tools:
      look: {effect: read}
      find: {emits: [{event: FOUND, set: {who: '"me"'}}]}
      write: {input_schema: {type: object, required: [text]}, max_calls: 2}
      rare: {effect: read, when: context.n > 1}
    states:
      A:
        tools: [look, find]
        transitions:
          - {event: GO, target: B}
          - {event: ASK, target: B, guard: asked}
          - {event: ASK, target: C, guard: context.n >= 1}
          - {event: TRY, target: B, guard: few}
          - {event: ROUND, target: A}
          - {event: NOTE, target: A, set: {n: "(has(context.n) ? context.n : 0) + 1"}}
          - {event: FOUND, target: C}
      B:
        tools: [look, write, rare]
        tool_budget: {limit: 4, repeated: 2, fallback: C}
        transitions: [{event: GO, target: C}, {event: ROUND, target: B}, {event: BACK, target: A, guard: 'state == "B"'}]
      C:
        tools: [look, rare]
        max_visits: 6
        on_exhausted: A
        transitions: [{event: BACK, target: A}, {event: ASK, target: B, guard: asked}, {event: GO, target: A, guard: event.x}]
"""


def maze() -> Table:
    return table(MAZE)


def tables() -> list[Table]:
    root = Path(__file__).parents[2] / "policies"
    return [maze(), *(fsmc.load(path) for path in sorted(root.glob("*/policy.*")))]


TABLES = tables()

OPERATIONS = (
    "send",
    "send",
    "send",
    "payload",
    "reserve",
    "reserve",
    "named",
    "commit",
    "fail",
    "check",
    "release",
    "update",
)


def play(session: Session, operation: str, pick: int) -> object:
    """One operation, its name chosen by a number; what it answered."""
    frozen = session.table
    events, tools = [*frozen.events, "NOWHERE"], [*frozen.tools, "nothing"]
    event, tool = events[pick % len(events)], tools[pick % len(tools)]
    flying = session.in_flight
    call = flying[pick % len(flying)] if flying else "none"
    try:
        if operation == "send":
            return session.send(event)
        if operation == "payload":
            return session.send(event, {"x": pick % 2 == 0})
        if operation == "reserve":
            return session.reserve(tool, None if pick % 3 else {"text": "x"})
        if operation == "named":
            return session.reserve(tool, None, f"call-{pick % 8}")
        if operation == "check":
            return session.check(tool)
        if operation == "release":
            return session.release(call)
        if operation == "update":
            return session.update({"n": pick % 4} if "n" in (frozen.context_fields or ()) else {})
        return session.commit(call, {"id": pick}, failed=operation == "fail")
    except SessionError as error:
        return str(error)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(TABLES),
    st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 400)), max_size=40),
    st.lists(st.sampled_from([True, False, None, 1, ValueError("no")]), min_size=1, max_size=5),
)
def test_a_session_that_nobody_watches_answers_like_one_with_hooks(
    frozen: Table, operations: list[tuple[str, int]], answers: list[Any]
) -> None:
    def session(**options: Any) -> Session:
        asked = 0

        def guard(facts: Mapping[str, Any]) -> object:
            nonlocal asked
            asked += 1
            assert facts["state"] in frozen.states and facts["calls"] is not None
            answer = answers[asked % len(answers)]
            if isinstance(answer, Exception):
                raise answer
            return answer

        guards: Guards = {name: guard for name, info in frozen.guards.items() if info.external}
        return frozen.session(None, guards, clock=lambda: 0.0, **options)

    try:
        quick = session()
    except fsmc.BindingError:  # its context needs facts
        return
    slow = session(hooks=Hooks(after=lambda step: None))
    assert quick._core.quiet and not slow._core.quiet
    for operation, pick in operations:
        assert play(quick, operation, pick) == play(slow, operation, pick)
        assert quick.snapshot() == slow.snapshot()
        assert quick.allowed_tools == slow.allowed_tools


def test_an_id_that_is_in_flight_is_not_given_again() -> None:
    session = ring().session(guards={"asked": lambda facts: True})
    assert session.reserve("look", None, "call-1").allowed
    assert [session.reserve("look").call_id for _ in range(2)] == ["call-2", "call-3"]


@pytest.mark.parametrize("hooks", [None, Hooks(after=lambda step: None)])
def test_a_guard_is_given_the_same_either_way(hooks: Hooks | None) -> None:
    given: list[dict[str, Any]] = []

    def asked(facts: Mapping[str, Any]) -> bool:
        assert (
            isinstance(facts, Mapping)
            and len(facts) == len(list(facts))
            and "state" in facts
            and "nothing" not in facts
        )
        given.append({name: dict(value) if isinstance(value, Mapping) else value for name, value in facts.items()})
        with pytest.raises(TypeError):
            facts["context"]["n"] = 2
        with pytest.raises(TypeError):
            facts["state"] = "B"  # type: ignore[index]
        return True

    session = maze().session({"n": 1}, {"asked": asked}, hooks=hooks)
    session.commit(session.reserve("look").call_id or "")
    assert session.send("ASK").moved
    assert given == [{
        "context": {"n": 1}, "calls": {"find": 0, "look": 1, "rare": 0, "write": 0}, "visits": {"A": 1, "B": 0, "C": 0},
        "event": {}, "state": "A",
    }]  # fmt: skip


class TestTheyAreGiven:
    """Without the engine: it is taken away."""

    @pytest.fixture
    def session(self, monkeypatch: pytest.MonkeyPatch) -> Session:
        session = maze().session({"n": 1}, {"asked": lambda facts: facts["state"] == "A"})
        for event in ("GO", "BACK"):  # each state is prepared by the first visit
            session.send(event)
        session.reserve("write")
        session.commit(session.reserve("look").call_id or "")
        for name in ("_send", "_check", "_reserve", "_commit"):
            monkeypatch.setattr(Session, name, None)
        return session

    @pytest.mark.parametrize("event", ["GO", "ASK", "TRY", "ROUND"])
    def test_moves(self, session: Session, event: str) -> None:
        assert session.send(event).moved

    def test_calls(self, session: Session) -> None:
        assert session.check("look").allowed
        decision = session.reserve("look")
        assert (decision.allowed, decision.arguments) == (True, {})
        assert session.commit(decision.call_id or "", "a text").failed is False
        assert session.calls["look"] == 2

    def test_refusals(self, session: Session) -> None:
        assert (session.check("write").code, session.reserve("write", {"text": "x"}).code) == ("not_in_state",) * 2
        assert session.refusals == 2


def together(*works: Callable[[], None]) -> None:
    """Each in a thread of its own, switched as often as possible."""
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures, failures


def ring(guard: str = "", extra: str = "") -> Table:
    transition = "{event: GO, target: %s" + (f", guard: {guard}" if guard else "") + "}"
    return table(
        f"""
        fsmc: 1
        id: ring
        initial: A
        topology: cyclic
        long_running: true
        guards: {{asked: {{external: true}}, seen: 'visits["A"] >= 1 && calls.look >= 0'}}
        tools: {{look: {{effect: read}}, other: {{effect: read}}}}
        states:
          A: {{tools: [look], transitions: [{transition % "B"}]}}
          B: {{tools: [look], transitions: [{transition % "A"}]}}
          X: {{tools: [other], transitions: [{{event: GO, target: A}}]}}
        """
    )


class TestThreads:
    @pytest.mark.parametrize("guard", ["", "asked", "seen"])
    @pytest.mark.parametrize("mixed", [False, True])
    def test_no_move_is_lost(self, guard: str, mixed: bool) -> None:
        session = ring(guard).session(guards={"asked": lambda facts: facts["state"] in ("A", "B")})

        def quick() -> None:
            for _ in range(1000):
                assert session.send("GO").moved

        def slow() -> None:
            for _ in range(200):
                assert session.send("GO", {"by": "hand"}).moved

        works = [quick] * 5 + [slow] * (3 if mixed else 0)
        together(*works)
        moves = 5 * 1000 + (3 * 200 if mixed else 0)
        assert session.revision == moves
        assert session.state == "AB"[moves % 2]
        assert sum(session.snapshot()["visits"].values()) == moves + 1

    def test_every_call_has_an_id_of_its_own_and_counts_once(self) -> None:
        session = ring().session(guards={"asked": lambda facts: True})
        ids: list[str] = []

        def calls() -> None:
            for number in range(500):
                decision = session.reserve("look", None if number % 3 else {"n": number})
                assert decision.allowed and decision.call_id is not None
                ids.append(decision.call_id)
                session.commit(decision.call_id)

        def moves() -> None:
            for _ in range(1000):
                session.send("GO")

        def refused() -> None:
            for _ in range(300):
                assert not session.reserve("other").allowed

        together(*[calls] * 4, moves, refused, refused)
        assert len(set(ids)) == len(ids) == 2000
        assert (session.calls["look"], session.in_flight, session.refusals) == (2000, (), 600)

    def test_a_call_is_settled_once(self) -> None:
        session = ring().session(guards={"asked": lambda facts: True})
        settled: list[str] = []

        def settle(names: list[str]) -> None:
            for name in names:
                try:
                    session.commit(name)
                except SessionError:
                    continue
                settled.append(name)

        names = [session.reserve("look").call_id or "" for _ in range(1000)]
        together(*[lambda: settle(names)] * 4)
        assert sorted(settled) == sorted(names)
        assert session.calls["look"] == 1000

    def test_what_a_guard_saw_is_what_the_move_is_made_on(self) -> None:
        """A guard that allows a move before any call, raced by calls: never a move after one."""
        frozen = table(
            """
            fsmc: 1
            id: race
            initial: A
            topology: cyclic
            tools: {look: {effect: read}}
            states:
              A: {tools: [look], transitions: [{event: GO, target: B, guard: calls.look == 0}, {event: END, target: C}]}
              B: {transitions: [{event: END, target: C}]}
              C: {type: terminal}
            """
        )
        for _ in range(200):
            session = frozen.session()
            call = session.reserve("look").call_id or ""
            seen: list[tuple[bool, int]] = []
            together(
                lambda session=session, call=call: session.commit(call) and None,  # type: ignore[misc]
                lambda session=session, seen=seen: seen.append((session.send("GO").moved, session.calls["look"])),  # type: ignore[misc]
            )
            moved, _ = seen[0]
            assert moved == (session.state == "B")
            if not moved:
                assert session.calls["look"] == 1


INTERLEAVED: dict[str, Callable[[Session], object]] = {
    "move": lambda session: session.send("GO"),
    "move to the same state": lambda session: session.send("ROUND"),
    "move with a guard": lambda session: session.send("ASK"),
    "move with an expression": lambda session: session.send("TRY"),
    "reserve": lambda session: session.reserve("look"),
    "refusal": lambda session: session.reserve("write"),
    "commit": lambda session: settled_or_not(session, "call-1"),
    "check": lambda session: session.check("look"),
    "move of the engine": lambda session: session.send("NOTE", {"x": 1}),
    "commit of the engine": lambda session: settled_or_not(session, "call-2"),
    "write": lambda session: session.update({"n": 0}),
    "call of the same id": lambda session: session.reserve("look", None, "call-5"),
}


def settled_or_not(session: Session, call_id: str) -> object:
    try:
        return session.commit(call_id)
    except SessionError as error:
        return str(error)


@functools.cache
def interleaved_table(name: str) -> Table:
    if name == "busy":
        text = MAZE.replace("context.n >= 1", "context.n >= 1 && calls.look < 3")
        return table(
            text.replace("calls.look < 3, reason", "calls.look < 3 && calls.find < 1 && context.n > 0, reason")
        )
    # Nothing is counted when it moves, and nobody is asked: "ASK" is another plain move.
    plain = (
        MAZE.replace("max_visits: 6", "")
        .replace("on_exhausted: A", "")
        .replace("asked: {external: true}", "asked: context.n > 0")
    )
    return table(plain)


class TestInterleaving:
    """Whatever comes between two lines of a quick answer, the outcome is that of one after the other."""

    def session(self, frozen: Table) -> Session:
        asked = lambda facts: facts["calls"]["look"] < 3 and facts["state"] == "A"  # noqa: E731
        session = frozen.session({"n": 1}, {"asked": asked} if frozen.guards["asked"].external else {})
        for event in ("GO", "BACK"):
            session.send(event)
        for tool in ("look", "find"):
            session.reserve(tool)
        for _ in range(2):
            session.commit(session.reserve("look").call_id or "")
        session.reserve("write")
        return session

    @pytest.mark.parametrize("second", INTERLEAVED)
    @pytest.mark.parametrize("first", list(INTERLEAVED)[:8])
    @pytest.mark.parametrize("name", ["busy", "plain"])
    def test_it(self, name: str, first: str, second: str) -> None:
        frozen = interleaved_table(name)
        first_play, then = INTERLEAVED[first], INTERLEAVED[second]

        def other(session: Session) -> object:
            """The operation that comes between, and what it then sees."""
            return then(session), session.state, session.in_flight, session.calls["look"]

        def in_order(*plays: Callable[[Session], object]) -> dict[object, object]:
            session = self.session(frozen)
            return {play: play(session) for play in plays} | {"after": session.snapshot()}

        legal = [in_order(first_play, other), in_order(other, first_play)]
        came = 0
        for line in range(60):
            session = self.session(frozen)
            between: list[object] = []

            def at(number: int, session: Session = session, between: list[object] = between, stop: int = line) -> bool:
                if number != stop or not hasattr(session._core, "turn"):
                    return False
                between.append(other(session))
                return True

            answer = with_lines(lambda session=session: first_play(session), at)  # type: ignore[misc]
            if between:
                came += 1
                found = {first_play: answer, other: between[0], "after": session.snapshot()}
                assert found in legal, f"before line {line}"
        assert came > 2


def with_lines(work: Callable[[], object], at: Callable[[int], bool]) -> object:
    """What *work* gives, with *at* called before each line of a quick answer, until it says that it is done."""
    count = 0

    def trace(frame: Any, kind: str, _: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename != quick.__file__:
            return None
        if kind == "line":
            sys.settrace(None)
            done, count = at(count), count + 1
            sys.settrace(None if done else trace)
            return None if done else trace
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return work()
    finally:
        sys.settrace(before)


class TestTheTurn:
    @pytest.fixture
    def session(self) -> Iterator[Session]:
        session = ring().session(guards={"asked": lambda facts: True})
        session.send("GO")
        session.send("GO")
        yield session
        session._core.turn = True

    def test_the_engine_waits_for_a_quick_answer_of_another_thread(self, session: Session) -> None:
        del session._core.turn
        threading.Timer(0.05, lambda: setattr(session._core, "turn", True)).start()
        assert session.send("GO").moved

    def test_it_does_not_wait_for_ever(self, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(driver, "_PATIENCE", 0.05)
        del session._core.turn
        with pytest.raises(SessionError, match="does not end"):
            session.send("GO")
        del session._core.turn  # given back by the attempt
        assert session.check("other").code == "internal_error"

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
    def test_an_interrupt_leaves_a_session_that_works(self, session: Session) -> None:
        class Interrupt(BaseException):
            pass

        def interrupt(*_: object) -> None:
            raise Interrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        interrupted = 0
        try:
            ends = time.monotonic() + 0.5
            while time.monotonic() < ends:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.0003)
                    while True:
                        session.send("GO")
                        session.commit(session.reserve("look").call_id or "")
                except (Interrupt, SessionError):
                    interrupted += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert interrupted > 10
        assert hasattr(session._core, "turn")
        assert session.send("GO").moved
