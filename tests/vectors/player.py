"""A vector played against a session: each operation is what an application would call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import fsmc
from fsmc import Loop, Session, SessionError, Step, Table
from fsmc.runtime.hooks import Hooks
from tests.vectors.offers import built, payload
from tests.vectors.policies import PROBE, UNNAMED, VALIDATOR, VETO, condition_guard, external_guards, undeclared

Data = dict[str, Any]

_ERRORS = {"unknown_state": "unknown_state", "stale": "stale", "needs_async": "guard_needs_async"}
_OVER_BUDGET = {"budget_exhausted", "repeated_call"}


def error_of(step: Step) -> str | None:
    """The vectors' word for what a step answered."""
    if step.moved:
        return "callback_failed" if "hook `after` failed" in step.note else None
    if step.code == "guard_rejected":
        return "guard_failed" if "` failed: " in step.reason else "guard_blocked"
    return _ERRORS[step.code]


class Player:
    """One machine of a vector, its session, and what its hooks and guards were told. Operations are methods
    ``op_NAME``.

    An operation answers with what is to be compared beyond the session itself: ``error``, ``names``, ``payload``...
    """

    def __init__(self, vector: Data, table: Table) -> None:
        self.vector, self.table, self.machine = vector, table, vector["machine"]
        self.registry: list[Data] = vector.get("registry", [])
        self.saved: Data | None = None
        self.pending: dict[str, asyncio.Task[Step]] = {}
        self.held: dict[str, asyncio.Future[bool]] = {}
        self._hold_next: str | None = None
        self._steps_seen: dict[str, int] = {}
        self.session = self._new_session()
        if "restore" in self.machine:
            self.op_reopen(self.machine["restore"]["state"])

    async def play(self, step: Data) -> Data:
        """Carry out one step."""
        words = {key: value for key, value in step.items() if key not in ("op", "expect")}
        answer = getattr(self, f"op_{step['op']}")(**words)
        seen: Data = await answer if asyncio.iscoroutine(answer) else answer
        return seen

    def look_at(self, key: str, seen: Data) -> Any:
        """What a key of ``expect`` is compared with, once an operation has been *seen*."""
        if key in seen:
            return seen[key]
        session = self.session
        match key:
            case "state" | "group" | "looping":
                return getattr(session, key)
            case "tools":
                return list(session.allowed_tools)
            case "context":
                return dict(session.context)
            case "moves" | "loop_events" | "guard_log":
                return getattr(self, key)
            case "names_set":
                return sorted(seen["names"])
        raise KeyError(key)

    # Moving

    def op_look(self) -> Data:
        return {}

    def op_go(self, to: str) -> Data:
        return {"error": error_of(self.session.transition_to(to))}

    async def op_go_async(self, to: str) -> Data:
        return {"error": error_of(await self.session.atransition_to(to))}

    async def op_begin_async(self, id: str, to: str) -> Data:
        self._hold_next = id
        self.pending[id] = asyncio.create_task(self.session.atransition_to(to))
        while id not in self.held:
            await asyncio.sleep(0)
        return {}

    async def op_settle(self, id: str, outcome: bool | str) -> Data:
        if outcome == "raise":
            self.held[id].set_exception(RuntimeError("the guard is down"))
        else:
            self.held[id].set_result(outcome is True)
        return {"error": error_of(await self.pending[id])}

    op_force = op_go

    def op_refresh(self, to: str) -> Data:
        step = self.session.transition_to(to)
        if step.moved:
            self.session.reset_budget()
        return {"error": error_of(step)}

    # Counting calls

    def op_call(self, tool: str | None = None, times: int = 1) -> Data:
        for _ in range(times):
            offered = self.session.allowed_tools
            self._make([tool or (offered[0] if offered else UNNAMED)])
        return {}

    def op_reset_budget(self) -> Data:
        self.session.reset_budget()
        return {}

    def _make(self, tools: list[str]) -> None:
        """The calls of one step of a model: all are checked when they arrive, then their results come in."""
        for decision in self.session.reserve_batch([(f"call {i}", tool, None) for i, tool in enumerate(tools)]):
            if decision.allowed:
                self.session.commit(decision.call_id, "done")
            else:
                assert decision.code in _OVER_BUDGET, decision

    # Facts and snapshots

    def op_put(self, key: str, value: Any) -> Data:
        self.session.update({key: value})
        return {}

    def op_snapshot(self) -> Data:
        self.saved = self.session.snapshot()
        return {"saved": self.saved}

    def op_reopen(self, state: str) -> Data:
        """Restored from what was saved or, where nothing was, from a conversation that has only just begun."""
        fresh = self._new_session()
        saved = {**(self.saved or fresh.snapshot()), "state": state}
        self.session = self.table.restore(saved, self._guards(), **self._options())
        return {}

    # Offering

    def op_gate(self, gate: str, ctx: Data) -> Data:
        if self.session.state != gate:
            self.session.transition_to(gate)
        try:
            return {"error": None, **self._offer(ctx)}
        except SessionError:
            assert "needs_async" in [self.session.check(name).code for name in self.table.states[gate].tools]
            return {"error": "bad_condition"}

    def op_offer(self, provider: str, ctx: Data) -> Data:
        seen = self._offer(ctx)
        return {"payload": payload(provider, self.table, seen["names"]), **seen}

    def op_open_run(self, id: str, ctx: Data) -> Data:
        self._steps_seen[id] = 0
        return self._offer(ctx)

    def op_between_steps(self, id: str, steps: list[list[str]]) -> Data:
        for made in steps[self._steps_seen[id] :]:
            self._make(made)
        self._steps_seen[id] = max(self._steps_seen[id], len(steps))
        return {"stop": self.session.looping, "names": list(self.session.allowed_tools)}

    def _offer(self, ctx: Data) -> Data:
        if ctx:
            self.session.update(ctx)
        names = list(self.session.allowed_tools)
        return {"names": names, "built": built(self.registry, names, ctx) if self.registry else {}}

    # The rest

    def op_mermaid(self) -> Data:
        return {"text": fsmc.render(self.table, tools=True)}

    def op_validate(self, schema: Data, args: Data) -> Data:
        """The validator of a vector is a function of the application, bound as a guard that the call requires."""
        decision = self.session.reserve(PROBE, args)
        if not decision.allowed:
            return {"result": {"ok": False, "error": decision.reason}}
        assert decision.arguments is not None
        data = schema.get("reply", {}).get("data", dict(decision.arguments))
        return {"result": {"ok": True, "data": data}}

    # What the application binds

    def _new_session(self) -> Session:
        return self.table.session(self.machine.get("context", {}), self._guards(), **self._options())

    def _options(self) -> Data:
        self.moves: list[list[str]] = []
        self.loop_events: list[Data] = []
        self.guard_log: list[tuple[str, str, Data]] = []
        return {"hooks": Hooks(after=self._after, loop=self._loop), "shadow": undeclared(self.vector)}

    def _after(self, step: Step) -> None:
        assert step.target is not None
        self.moves.append([step.source, step.target])
        if step.target in self.machine.get("callback", {}).get("raise_on", []):
            raise RuntimeError("the callback fails")

    def _loop(self, loop: Loop) -> None:
        self.loop_events.append({"count": loop.made, "max": loop.limit})

    def _guards(self) -> Data:
        bound: Data = {name: None for name in external_guards(self.vector)}
        if VETO in bound:
            is_async = self.machine.get("guard", {}).get("kind") == "async"
            bound[VETO] = self._ask_async if is_async else self._ask
        if VALIDATOR in bound:
            bound[VALIDATOR] = self._validate
        for entry in self.registry:
            if condition_guard(entry) in bound:
                outcome: bool = entry["condition"]["outcome"]
                bound[condition_guard(entry)] = lambda facts, outcome=outcome: asyncio.sleep(0, outcome)
        return bound

    def _ask(self, facts: Mapping[str, Any]) -> object:
        self.guard_log.append((facts["state"], facts["target"], dict(facts["context"])))
        if self._hold_next is not None:
            held: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            self.held[self._hold_next], self._hold_next = held, None
            return held
        outcome = _outcome(self.machine.get("guard", {"default": True}), facts)
        if outcome == "raise":
            raise RuntimeError("the guard is down")
        return None if outcome == "none" else outcome

    async def _ask_async(self, facts: Mapping[str, Any]) -> object:
        return self._ask(facts)

    def _validate(self, facts: Mapping[str, Any]) -> bool:
        """A parser that raises what is wrong, as parsers do."""
        reply = next(step["schema"]["reply"] for step in self.vector["steps"] if step["op"] == "validate")
        if not reply["success"]:
            issues = reply.get("error", reply).get("issues", [])
            raise ValueError(", ".join(issue["message"] for issue in issues) or "Validation failed")
        return True


def _outcome(guard: Data, facts: Mapping[str, Any]) -> object:
    """The outcome of the first rule whose fields all match."""
    for rule in guard.get("rules", []):
        when = rule.get("when")
        if (
            rule.get("from", facts["state"]) == facts["state"]
            and rule.get("to", facts["target"]) == facts["target"]
            and (when is None or facts["context"].get(when["key"], 0) > when["gt"])
        ):
            outcome: object = rule["outcome"]
            return outcome
    return guard["default"]
