"""Sessions against a model of the limits that keeps whole histories and counts them anew each time, written from the documentation.

The same operations are played on a session that is stored and resumed after each of them: nothing may be different.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fsmc.compiler import compile_policy
from fsmc.policy.build import build
from fsmc.runtime.errors import SessionError
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from fsmc.source import parse

STATES, TOOLS = ("A", "B", "C"), ("look", "move", "loop")

budgets = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {}, optional={"limit": st.integers(1, 3), "repeated": st.integers(1, 3), "fallback": st.sampled_from(STATES)}
    ).filter(lambda budget: "limit" in budget or "repeated" in budget),
)
states = st.fixed_dictionaries(
    {"tools": st.lists(st.sampled_from(TOOLS), unique=True, min_size=1)},
    optional={"parallel_calls": st.integers(1, 2), "max_visits": st.integers(1, 3)},
)
tools = st.fixed_dictionaries({}, optional={"max_calls": st.integers(1, 3)})


@st.composite
def policies(draw: st.DrawFn) -> dict[str, Any]:
    made: dict[str, Any] = {
        "fsmc": 1, "id": "model", "initial": "A", "topology": "cyclic", "long_running": True,
        "tools": {name: draw(tools) for name in TOOLS}, "states": {name: draw(states) for name in STATES},
    }  # fmt: skip
    made["tools"]["move"]["emits"] = [{"event": "MOVED"}]
    made["tools"]["loop"]["emits"] = [{"event": "LOOPED"}]
    made["tools"]["look"]["effect"] = "read"
    for number, name in enumerate(STATES):
        state = made["states"][name]
        budget = draw(budgets)
        if budget is not None:
            state["tool_budget"] = budget
        if "max_visits" in state and draw(st.booleans()):
            state["on_exhausted"] = draw(st.sampled_from([other for other in STATES if other != name]))
        state["transitions"] = [
            {"event": "GO", "target": STATES[(number + 1) % 3]},
            {"event": "MOVED", "target": STATES[(number + 2) % 3]},
            {"event": "LOOPED", "target": name},
        ]
    return made


class Model:
    """A conversation as lists of what happened."""

    def __init__(self, policy: dict[str, Any]) -> None:
        self.policy = policy
        self.state = "A"
        self.entered = ["A"]
        self.succeeded: list[str] = []
        self.flying: dict[str, dict[str, Any]] = {}
        self.stay: list[dict[str, Any]] = []  # the calls of this stay, in order of reservation
        self.told = False

    def reserve(self, call_id: str, tool: str, arguments: Any) -> str:
        state, info = self.policy["states"][self.state], self.policy["tools"][tool]
        if tool not in state["tools"]:
            return "not_in_state"
        if "max_calls" in info:
            flying = sum(call["tool"] == tool for call in self.flying.values())
            if self.succeeded.count(tool) + flying >= info["max_calls"]:
                return "max_calls"
        if len(self.flying) >= state.get("parallel_calls", 99):
            return "parallel_calls"
        call = {"tool": tool, "key": (tool, json.dumps(arguments)), "settled": False}
        budget = state.get("tool_budget", {})
        if len(self.stay) >= budget.get("limit", 99):
            return "budget_exhausted"
        if self._run([*self.stay, call]) > budget.get("repeated", 99):
            return "repeated_call"
        self.flying[call_id] = call
        self.stay.append(call)
        return "ok"

    def release(self, call_id: str) -> None:
        call = self.flying.pop(call_id)
        self.stay = [other for other in self.stay if other is not call]

    def commit(self, call_id: str, failed: bool) -> tuple[str | None, bool]:
        """The event that was raised, and whether a loop was told of."""
        call = self.flying.pop(call_id)
        call["settled"] = True
        ours = any(other is call for other in self.stay)
        event = None
        if not failed:
            self.succeeded.append(call["tool"])
            event = {"move": "MOVED", "loop": "LOOPED"}.get(call["tool"])
        before = self.stay
        if event is not None:
            self.send(event)
        loop = False
        budget = self.policy["states"][self.state].get("tool_budget")
        if ours and self.stay is before and budget is not None:
            settled = self.stay[
                : next((n for n, other in enumerate(self.stay) if not other["settled"]), len(self.stay))
            ]
            full = len(self.stay) >= budget.get("limit", 99) and all(other["settled"] for other in self.stay)
            if full or (settled and self._run(settled) >= budget.get("repeated", 99)):
                loop, self.told = not self.told, True
                if budget.get("fallback", self.state) != self.state:
                    self._enter(budget["fallback"])
        return event, loop

    def send(self, event: str) -> bool:
        transitions = self.policy["states"][self.state]["transitions"]
        return self._enter(next(each["target"] for each in transitions if each["event"] == event))

    def _enter(self, target: str) -> bool:
        passed = [target]
        while self.entered.count(target) >= self.policy["states"][target].get("max_visits", 999):
            target = self.policy["states"][target].get("on_exhausted", "")
            if not target or target in passed:
                return False
            passed.append(target)
        self.entered.append(target)
        if target != self.state:
            self.state, self.stay, self.told = target, [], False
        return True

    @staticmethod
    def _run(calls: list[dict[str, Any]]) -> int:
        """How many calls at the end are the same."""
        return next((n for n, call in enumerate(reversed(calls)) if call["key"] != calls[-1]["key"]), len(calls))


OPERATIONS = st.tuples(
    st.sampled_from(["reserve", "reserve", "commit", "fail", "release", "send", "again", "again"]),
    st.integers(0, 60),
)


@settings(max_examples=400, deadline=None)
@given(policies(), st.lists(OPERATIONS, max_size=40))
def test_every_limit_is_kept_and_none_is_lost_in_storage(
    policy: dict[str, Any], operations: list[tuple[str, int]]
) -> None:
    document = parse(json.dumps(policy).encode(), "policy.json")
    frozen = Table(compile_policy(build(document)))
    model, session = Model(policy), frozen.session()
    stored = frozen.session()
    last = 0
    for number, (operation, pick) in enumerate(expanded(operations)):
        if operation == "reserve":
            last = pick
        elif operation == "again":
            operation, pick = "reserve", last
        flying = list(model.flying) or ["none"]
        name = flying[-1 if operation == "newest" else pick % len(flying)]
        if operation == "reserve":
            tool, arguments = TOOLS[pick % 3], {"n": pick // 3 % 2}
            call_id = f"c{number}"
            expected: Any = model.reserve(call_id, tool, arguments)
            answers = [each.reserve(tool, arguments, call_id).code for each in (session, stored)]
        elif operation == "send":
            expected = model.send("GO")
            answers = [each.send("GO").moved for each in (session, stored)]
        elif name == "none":
            continue
        elif operation == "release":
            expected = model.release(name)
            answers = [each.release(name) for each in (session, stored)]  # type: ignore[func-returns-value]
        else:
            expected = model.commit(name, operation == "fail")
            settled = [each.commit(name, "x", failed=operation == "fail") for each in (session, stored)]
            answers = [(each.event, each.loop is not None) for each in settled]
        assert answers == [expected, expected], (number, operation)
        stored = resumed(frozen, stored)
        for each in (session, stored):
            assert (each.state, list(each.in_flight)) == (model.state, list(model.flying))
            assert {tool: model.succeeded.count(tool) for tool in TOOLS} == dict(each.calls)
        assert session.snapshot() == stored.snapshot()


def expanded(operations: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The operations; the last call made once more is also settled, for a run of identical calls is seldom met by chance."""
    for operation, pick in operations:
        yield operation, pick
        if operation == "again":
            yield "newest", pick


def resumed(frozen: Table, session: Session) -> Session:
    """The session after a night in a database."""
    saved = json.loads(json.dumps(session.snapshot()))
    try:
        return frozen.restore(saved)
    except SessionError as error:
        raise AssertionError(f"its own snapshot is refused: {error}") from error
