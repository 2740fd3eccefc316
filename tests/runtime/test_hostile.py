"""What a model, an application or a damaged file can throw at the runtime: refusals and clear errors, nothing lost."""

from __future__ import annotations

import asyncio
import copy
import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.errors import FsmcError, SessionError, TableError
from fsmc.runtime.hooks import Hooks
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from fsmc.runtime.verify import digest
from tests.support import table

ONE = """
    fsmc: 1
    id: one
    initial: A
    guards: {g: {external: true}}
    tools:
      look: {effect: read}
      pay: {max_calls: 1, approval: true, failed_when: g}
      once: {max_calls: 1}
      asked: {when: g}
      also: {when: g}
      strict: {require: [context.ok, g]}
    states:
      A:
        tools: [look, pay, once, asked, also, strict]
        tool_budget: {limit: 100, repeated: 2}
        transitions: [{event: END, target: Z}]
      Z: {type: terminal}
"""


@pytest.fixture(scope="module")
def one() -> Table:
    return table(ONE)


def start(one: Table, guard: Any = lambda facts: True, **context: Any) -> Session:
    return one.session(context, {"g": guard})


class Raises:
    """An object of an application that fails whatever is done with it."""

    def __str__(self) -> str:
        raise KeyError("no text")

    __repr__ = __str__

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(name)

    def __bool__(self) -> bool:
        raise ValueError("no truth")


class LyingMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise ZeroDivisionError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


class LyingList(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise OSError("gone")


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


HOSTILE = [
    nested(1200), {"n": 10**5000}, {"n": float("nan")}, {"n": 1e400}, {"a": "\ud800"}, {1: 2}, {"a": Raises()}, LyingMapping(),
    {"a": LyingList([1])}, Raises(), {"a": {1, 2}}, b"x", object(),
]  # fmt: skip
NAMES = [[], {}, None, 5, 10**5000, Raises(), "x" * 10_000_000, "\ud800"]


class TestNothingRaises:
    @pytest.mark.parametrize("arguments", HOSTILE, ids=range(len(HOSTILE)))
    def test_arguments_and_payloads(self, one: Table, arguments: Any) -> None:
        session = start(one)
        assert session.check("look", arguments).code == "invalid_arguments"
        assert session.reserve("look", arguments).code == "invalid_arguments"
        assert session.send("END", arguments).code == "invalid_payload"
        assert session.reserve("look").allowed

    @pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
    def test_names(self, one: Table, name: Any) -> None:
        session = start(one)
        started = time.process_time()
        decision = session.reserve(name)
        assert decision.code == "unknown_tool" and len(decision.reason) < 300
        assert session.send(name).code == "unknown_event"
        assert session.transition_to(name).code in ("unknown_state", "no_transition")
        assert one.step(name, "END").code == "unknown_state"
        assert one.step("A", name).code == "unknown_event"
        assert time.process_time() - started < 1

    @pytest.mark.parametrize("call_id", [[], 5, {}, b"a"])
    def test_call_ids(self, one: Table, call_id: Any) -> None:
        session = start(one)
        assert session.reserve("look", {}, call_id).code == "invalid_call_id"
        for settle in (session.commit, session.release):
            with pytest.raises(SessionError, match="not in flight"):
                settle(call_id)

    @pytest.mark.parametrize("answer", [Raises(), object(), 1, "yes", [True], LyingMapping()], ids=range(6))
    def test_answers_of_guards(self, one: Table, answer: Any) -> None:
        session = start(one, lambda facts: answer)
        assert session.check("asked").code == "condition_false"
        assert "asked" not in session.allowed_tools

    def test_exceptions_of_guards(self, one: Table) -> None:
        assert start(one, fails).check("asked").code == "condition_false"

    def test_facts(self, one: Table) -> None:
        for facts in (5, [1], "x", Raises()):
            with pytest.raises(SessionError):
                start(one).update(facts)  # type: ignore[arg-type]


RESULTS = [*HOSTILE, nested(99), "x" * 1000, '{"a": NaN}', "[" * 100_000]


class Mute(Exception):
    """An exception that cannot even say what it is."""

    def __str__(self) -> str:
        raise KeyError("no text")


def fails(*_: Any) -> Any:
    raise Mute


class TestMuteExceptions:
    def test_hooks(self, one: Table) -> None:
        session = one.session({}, {"g": bool}, hooks=Hooks(before=fails))
        assert session.send("END").code == "vetoed"
        session = one.session({}, {"g": bool}, hooks=Hooks(after=fails))
        assert session.send("END").note == "the hook `after` failed: Mute: (its text cannot be read)"

    def test_blocks_and_wrapped_tools_commit_a_failure(self, one: Table) -> None:
        session = start(one)
        with pytest.raises(Mute), session.call("look"):
            fails()
        with pytest.raises(Mute):
            session.guard_tool(lambda: fails(), tool="look")()
        assert (session.in_flight, session.calls["look"]) == ((), 0)

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_a_decision_that_fails_inside_refuses(self, one: Table, asynchronous: bool) -> None:
        def clock() -> float:
            raise Mute

        session = one.session({}, {"g": bool}, clock=clock)
        session._core.approvals = {("pay", "pay\n{}"): (0, 1.0)}  # as after a restore: the clock is then read to decide
        for plain, awaited in ((session.check, session.acheck), (session.reserve, session.areserve)):
            decision = asyncio.run(awaited("pay")) if asynchronous else plain("pay")
            assert (decision.verdict, decision.code) == ("deny", "internal_error")


class TestNothingIsLost:
    @pytest.mark.parametrize("result", RESULTS, ids=range(len(RESULTS)))
    def test_a_result_always_settles_its_call(self, one: Table, result: Any) -> None:
        session = start(one)
        session.reserve("once", {}, "c")
        session.commit("c", result)
        assert (session.in_flight, session.calls["once"]) == ((), 1)

    @pytest.mark.parametrize("flag", [Raises(), 1, "no"], ids=range(3))
    def test_a_strange_error_flag_counts_as_failed(self, one: Table, flag: Any) -> None:
        session = start(one)
        session.reserve("once", {}, "c")
        assert session.commit("c", "x", failed=flag).failed

    @pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
    def test_an_interrupted_commit_leaves_the_call_in_flight(self, one: Table, stop: type[BaseException]) -> None:
        asked: list[int] = []

        def guard(facts: Any) -> bool:
            asked.append(1)
            if len(asked) == 1:
                raise stop
            return False

        session = start(one, guard)
        session.approve("pay")
        session.reserve("pay", {}, "c")
        with pytest.raises(stop):
            session.commit("c", "ok")
        assert (session.in_flight, session.calls["pay"]) == (("c",), 0)
        assert session.check("pay").code == "max_calls"
        assert session.commit("c", "ok").failed is False

    def test_a_batch_gives_one_answer_a_call(self, one: Table) -> None:
        session = start(one)
        answers = session.reserve_batch([("a", "look", {}), ("a", "look", {"x": 1})])
        assert [(answer.call_id, answer.code) for answer in answers] == [("a", "ok"), ("a", "duplicate_call_id")]
        session.release("a")
        assert session.in_flight == ()


class TestLimitsHold:
    def test_calls_in_a_row_are_counted_as_they_were_made(self, one: Table) -> None:
        session = start(one)
        assert [session.reserve("look", {"q": q}, f"c{n}").code for n, q in enumerate("xyxxyxx")] == ["ok"] * 7
        for number in (0, 2, 3, 5, 6):
            session.commit(f"c{number}")
        assert session.check("look", {"q": "x"}).code == "repeated_call"

    def test_releasing_a_call_between_does_not_hide_a_run(self, one: Table) -> None:
        session = start(one)
        session.commit(session.reserve("look", {"q": "x"}).call_id or "")
        session.reserve("look", {"q": "y"}, "y")
        session.reserve("look", {"q": "x"}, "x")
        session.release("y")
        assert session.check("look", {"q": "x"}).code == "repeated_call"
        assert session.commit("x").loop is not None

    def test_one_and_one_point_zero_are_the_same_call(self, one: Table) -> None:
        session = start(one)
        for value in (1, 1.0):
            session.commit(session.reserve("look", {"n": value}).call_id or "")
        assert session.check("look", {"n": 1}).code == "repeated_call"
        session.approve("pay", {"n": 100.0})
        assert session.check("pay", {"n": 100}).allowed

    @pytest.mark.parametrize("arguments", [[], 0, "[]", False])
    def test_only_arguments_are_approved(self, one: Table, arguments: Any) -> None:
        session = start(one)
        with pytest.raises(SessionError, match="not a JSON object"):
            session.approve("pay", arguments)
        assert session.check("pay").verdict == "ask"


class TestGuardsThatTouchTheSession:
    def test_a_guard_that_moves_the_session_grants_nothing(self, one: Table) -> None:
        def guard(facts: Any) -> bool:
            session.send("END")
            return True

        session = start(one, guard)
        assert session.reserve("asked").code == "stale"

    def test_a_guard_that_changes_facts_grants_nothing(self, one: Table) -> None:
        def guard(facts: Any) -> bool:
            session.update({"ok": False})
            return True

        session = start(one, guard, ok=True)
        assert session.reserve("strict").code == "stale"

    def test_a_guard_that_takes_the_id_leaves_it_taken(self, one: Table) -> None:
        def guard(facts: Any) -> bool:
            session.reserve("once", {}, "a")
            return True

        session = start(one, guard)
        assert session.reserve("asked", {}, "a").code == "duplicate_call_id"
        assert session.reserve("once").code == "max_calls"

    def test_guards_that_ask_in_a_circle_are_refused_quickly(self, one: Table) -> None:
        session = start(one, lambda facts: session.check("asked").allowed)
        started = time.process_time()
        assert not session.check("asked").allowed
        assert time.process_time() - started < 1


class TestTables:
    def test_no_comparison_hands_out_what_a_table_is_made_of(self, one: Table) -> None:
        class Thief:
            def __eq__(self, other: object) -> bool:
                self.loot = other
                return True

            def __ror__(self, other: object) -> object:
                self.loot = other
                return other

        for view in (one.states, one.tools, one.events, one.guards):
            thief = Thief()
            view.__eq__(thief)
            assert not isinstance(getattr(thief, "loot", None), dict)
            assert not isinstance(view | thief, dict)  # type: ignore[operator]

    def test_no_public_name_hands_out_something_that_changes_it(self, one: Table) -> None:
        for name in dir(one):
            if name[0] != "_":
                assert not isinstance(getattr(one, name), (dict, list, set)), name
        assert not hasattr(one, "sure_moves"), "what a session shares with its table is not public"

    def test_a_table_that_makes_no_sense_is_refused_however_it_is_signed(self, one: Table) -> None:
        """Every value of the machine replaced by every other kind: refused, or a table that works."""
        sound = json.loads(one.to_json())

        def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
            yield path
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, item in items:
                yield from places(item, (*path, key))

        for path in list(places(sound["machine"]))[1:]:
            for bad in (None, -3, 99, "x", [], {}, [1], True, "\ud800", 1.5):
                data = copy.deepcopy(sound)
                inner = data["machine"]
                for key in path[:-1]:
                    inner = inner[key]
                inner[path[-1]] = bad
                try:
                    data["digest"] = digest(canonical_json(data["machine"]))
                except UnicodeEncodeError:
                    data["digest"] = "sha256:" + "0" * 64
                try:
                    changed = Table(data)
                except TableError:
                    continue
                try:
                    session = changed.session({}, {"g": bool} if "g" in changed.guards else {})
                except FsmcError:
                    continue
                session.allowed_tools  # noqa: B018
                for tool in changed.tools:
                    session.reserve(tool, {}, tool)
                session.send("END")
                assert changed.transitions is not None


class TestSchemas:
    @pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
    def test_a_short_schema_that_looks_at_a_value_for_ever_refuses_it(self, keyword: str) -> None:
        from fsmc.runtime.validator import Validator

        steps = {f"d{i}": {keyword: [{"$ref": f"#/$defs/d{i + 1}"}, {"$ref": f"#/$defs/d{i + 1}"}]} for i in range(40)}
        schema = {"$defs": {**steps, "d40": {"type": "string"}}, "$ref": "#/$defs/d0"}
        started = time.process_time()
        problem = Validator(json.dumps(schema), "arguments").error({"a": 1})
        assert time.process_time() - started < 3
        assert problem == "the arguments are too much work for their schema to be validated"
