"""One mutable conversation over a frozen table: what it offers, what it decides, how it moves."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fsmc.runtime.binding import CONTEXT, Guard, bound_guards
from fsmc.runtime.conditions import Verdict
from fsmc.runtime.decision import Decision, Loop, Settled
from fsmc.runtime.errors import BindingError, SessionError
from fsmc.runtime.expression import EvaluationError
from fsmc.runtime.infos import Step, ToolInfo
from fsmc.runtime.ledger import InFlight, Ledger
from fsmc.runtime.paths import path_to_offer
from fsmc.runtime.table import Table
from fsmc.runtime.values import Counts, NotJson, decode_result, freeze, private_copy

# A `set` can double what it reads, and a model decides how often that happens: an upper bound keeps it harmless.
MAX_CONTEXT = 1_000_000


class Session:
    """State, context, counters, calls in flight and approvals of one conversation. Not shared between threads.

    *context* are the facts known at the start, checked against the policy's schema. *guards* binds every external guard of the
    policy by name to a function of the facts (a read-only mapping) that returns True or False. *clock* gives seconds, for
    approvals that expire.

    Raises ``BindingError`` when a guard is not bound or not known, or the context does not match.
    """

    def __init__(
        self,
        table: Table,
        context: Mapping[str, Any] | None = None,
        guards: Mapping[str, Guard] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.table = table
        self._clock = clock
        self._guards = bound_guards(table, guards or {})
        self._validators = table.validators
        self._state = table.initial
        self._revision = 0
        self._context: dict[str, Any] = {}
        self._visits: dict[str, int] = {table.initial: 1}
        self._ledger = Ledger()
        self._approvals: dict[tuple[str, str], tuple[int, float]] = {}
        self._next_id = 1
        problem = self._write(context or {})
        if problem is not None:
            raise BindingError(problem)
        self._revision = 0

    # Reading

    @property
    def state(self) -> str:
        """The current state."""
        return self._state

    @property
    def revision(self) -> int:
        """Counts moves and context changes."""
        return self._revision

    @property
    def context(self) -> Mapping[str, Any]:
        """A read-only view of the facts."""
        return freeze(self._context)  # type: ignore[no-any-return]

    @property
    def finished(self) -> bool:
        """Whether the state is terminal."""
        return self.table.states[self._state].terminal

    @property
    def refusals(self) -> int:
        """How many calls were refused so far."""
        return self._ledger.refusals

    @property
    def calls(self) -> Mapping[str, int]:
        """Tool -> successful calls so far."""
        return Counts(self.table.tools, dict(self._ledger.successes))

    @property
    def in_flight(self) -> tuple[str, ...]:
        """The ids of calls that were reserved and not yet settled, oldest first."""
        return tuple(self._ledger.in_flight)

    @property
    def allowed_tools(self) -> tuple[str, ...]:
        """The tools to offer now: the state's own, narrowed by each tool's ``when``, in declared order."""
        tools = self.table.tools
        return tuple(name for name in self.table.states[self._state].tools if self._offered(tools[name]))

    @property
    def events(self) -> tuple[str, ...]:
        """The events that the state reacts to and the application may send."""
        events = self.table.events
        return tuple(name for name in self.table.events_of(self._state) if not events[name].reserved)

    # Moving

    def send(self, event: str, payload: Any = None) -> Step:
        """Raise *event* with *payload*. The answer says what happened; only ``moved`` changed anything.

        An event that a tool emits is refused (``reserved``): only that tool's result raises it.
        """
        info = self.table.events.get(event)
        if info is not None and info.reserved:
            reason = f"{event} is raised by tools only; declare `source: any` under `events` to send it"
            return Step("reserved", self._state, event, reason=reason)
        try:
            body = private_copy({} if payload is None else payload)[0]
        except NotJson as error:
            return Step("invalid_payload", self._state, event, reason=str(error))
        return self._raise(event, body, {})

    def transition_to(self, target: str) -> Step:
        """Ask for a state by name, under ``topology: open``."""
        answers: dict[str, object] = {}
        while True:
            step = self.table.request(self._state, target, self._facts(), answers)
            if step.code != "guard_needed" or step.guard is None:
                return self._apply(step, {})
            answers[step.guard] = self._ask(step.guard, {**self._facts(), "target": target})

    def update(self, changes: Mapping[str, Any]) -> None:
        """Write facts of the application into the context. Raises ``SessionError`` when they do not match its schema."""
        problem = self._write(changes)
        if problem is not None:
            raise SessionError(problem)

    # Calling tools

    def check(self, tool: str, arguments: Any = None) -> Decision:
        """Decide about a call without reserving it. Counts nothing."""
        return self._decide(tool, arguments)[0]

    def reserve(self, tool: str, arguments: Any = None, call_id: str | None = None) -> Decision:
        """Decide about a call and, when it is allowed, put it in flight: it counts against every limit until it is settled.

        *call_id* names the call, or one is made. A refusal is counted and changes nothing else.
        """
        ledger = self._ledger
        if call_id is not None and call_id in ledger.in_flight:
            ledger.refusals += 1
            return self._deny(
                tool, "duplicate_call_id", f"call id {call_id!r} is in flight already", "use a fresh call id"
            )
        decision, body, key = self._decide(tool, arguments)
        if not decision.allowed:
            ledger.refusals += 1
            return decision
        self._approvals.pop((tool, key), None)
        if call_id is None:
            call_id = self._fresh_id()
        ledger.put(call_id, self.table.tools[tool], key, body)
        return decision._replace(call_id=call_id, arguments=freeze(body))

    def reserve_batch(self, calls: Iterable[tuple[str, str, Any]]) -> dict[str, Decision]:
        """Decide about the calls of one batch, ``(call id, tool, arguments)`` each, in order: one answer per call id."""
        return {call_id: self.reserve(tool, arguments, call_id) for call_id, tool, arguments in calls}

    def commit(self, call_id: str, result: Any = None, failed: bool = False) -> Settled:
        """Settle a call with its result, which may write facts, raise an event and move the machine.

        *failed* is the tool's own error flag; ``failed_when`` of the tool is asked too. Raises ``SessionError`` when the call
        is not in flight.
        """
        call = self._take(call_id)
        facts = {**self._facts(), "args": call.arguments, "result": decode_result(result)}
        notes: list[str] = []
        failed = failed or self._looks_failed(call.tool, facts, notes)
        self._ledger.settle(call, failed)
        settled = self._raise_outcome(call_id, call, failed, facts, notes)
        loop, fallback = self._check_budget(call, notes)
        return settled._replace(loop=loop, fallback=fallback, notes=tuple(notes))

    def release(self, call_id: str) -> None:
        """Give a reservation back: the call was not made. Raises ``SessionError`` when it is not in flight."""
        self._ledger.give_back(self._take(call_id))

    def approve(self, tool: str, arguments: Any = None) -> None:
        """A person says yes to *tool* with exactly these *arguments*: good for one call, in this state and revision.

        Raises ``SessionError`` when the tool needs no approval or the arguments are not JSON.
        """
        info = self.table.tools.get(tool)
        if info is None or info.approval is None:
            raise SessionError(f"`{tool}` is not a tool that needs an approval")
        try:
            key = _call_key(tool, private_copy(arguments or {})[1])
        except NotJson as error:
            raise SessionError(str(error)) from None
        self._approvals[tool, key] = (self._revision, self._clock() + info.approval / 1000)

    # Deciding

    def _decide(self, tool: str, arguments: Any) -> tuple[Decision, dict[str, Any], str]:
        try:
            body, text = private_copy({} if arguments is None else arguments)
        except NotJson as error:
            return self._deny(tool, "invalid_arguments", f"the arguments are {error}"), {}, ""
        key = _call_key(tool, text)
        info = self.table.tools.get(tool) if isinstance(tool, str) else None
        if info is None:
            near = difflib.get_close_matches(str(tool), self.table.tools, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            return self._deny(tool, "unknown_tool", f"`{tool}` is not a tool of this policy{hint}"), body, key
        refusal = self._refusal(info, body, key)
        return refusal or Decision("allow", "ok", "", tool, self._state), body, key

    def _refusal(self, tool: ToolInfo, body: Any, key: str) -> Decision | None:
        name, state = tool.name, self.table.states[self._state]
        if state.terminal:
            return self._deny(name, "session_ended", f"the session has ended in {state.name}")
        if name not in state.tools:
            path = path_to_offer(self.table, state.name, name)
            return self._deny(name, "not_in_state", f"`{name}` is not available in {state.name}", _unlock(name, path))
        if tool.when is not None and not (verdict := self._holds(tool.when)).holds:
            return self._deny(name, "condition_false", f"`{name}` is not available: {verdict.reason}")
        if not isinstance(body, dict):
            return self._deny(name, "invalid_arguments", "the arguments are not a JSON object")
        validator = self._validators.get(name)
        if validator is not None and (problem := validator.error(body)) is not None:
            return self._deny(name, "invalid_arguments", problem, "call it with arguments that match its schema")
        for condition in tool.require:
            if not (verdict := self._holds(condition, args=body)).holds:
                return self._deny(name, "requirement_failed", f"`{name}` is refused: {verdict.reason}")
        limit = self._ledger.overstepped(tool, key, state)
        if limit is not None:
            return self._deny(name, limit.code, limit.reason, limit.unlock)
        return self._unapproved(tool, key)

    def _unapproved(self, tool: ToolInfo, key: str) -> Decision | None:
        if tool.approval is None:
            return None
        # The revision changes with every move and every write, so it stands for the state too; the table for the digest.
        revision, expires = self._approvals.get((tool.name, key), (-1, 0.0))
        if revision == self._revision and self._clock() < expires:
            return None
        reason = f"a person must approve `{tool.name}` with these arguments"
        return self._refuse("ask", tool.name, "approval_required", reason, "an approval of exactly this call")

    def _deny(self, tool: str, code: str, reason: str, unlock: str = "") -> Decision:
        return self._refuse("deny", tool, code, reason, unlock)

    def _refuse(self, verdict: str, tool: str, code: str, reason: str, unlock: str) -> Decision:
        return Decision(verdict, code, reason, tool, self._state, self._callable(), unlock)

    def _callable(self) -> tuple[str, ...]:
        """The offered tools that no limit would refuse now."""
        tools, state = self.table.tools, self.table.states[self._state]
        return tuple(n for n in self.allowed_tools if self._ledger.overstepped(tools[n], None, state) is None)

    # Conditions and facts

    def _facts(self) -> dict[str, Any]:
        table = self.table
        return {
            "context": self._context,
            "calls": Counts(table.tools, self._ledger.successes),
            "visits": Counts(table.states, self._visits),
            "state": self._state,
        }

    def _offered(self, tool: ToolInfo) -> bool:
        return tool.when is None or self._holds(tool.when).holds

    def _holds(self, condition: int, **more: Any) -> Verdict:
        facts = {**self._facts(), **more}
        answers: dict[str, object] = {}
        verdict = self.table.condition(condition, facts)
        while verdict.needed is not None:
            answers[verdict.needed] = self._ask(verdict.needed, facts)
            verdict = self.table.condition(condition, facts, answers)
        return verdict

    def _ask(self, guard: str, facts: Mapping[str, Any]) -> object:
        """The answer of an external guard; what it raises is an answer too, and grants nothing."""
        try:
            answer = self._guards[guard](freeze(facts))
        except Exception as error:
            return error
        close = getattr(answer, "close", None)
        if close is not None and hasattr(answer, "__await__"):
            close()  # a coroutine that nobody awaits would warn later, far from here
        return answer

    def _looks_failed(self, tool: ToolInfo, facts: Mapping[str, Any], notes: list[str]) -> bool:
        if tool.failed_when is None:
            return False
        verdict = self.table.condition(tool.failed_when, facts)
        if verdict.needed is not None:
            verdict = self.table.condition(tool.failed_when, facts, {verdict.needed: self._ask(verdict.needed, facts)})
        if verdict.holds:
            return True
        if verdict.undecided:
            notes.append(f"{verdict.reason}; the call counts as failed")
            return True
        return False

    # Settling

    def _raise_outcome(
        self, call_id: str, call: InFlight, failed: bool, facts: dict[str, Any], notes: list[str]
    ) -> Settled:
        settled = Settled(call_id, call.tool.name, failed)
        event, writes = (call.tool.on_failure, {}) if failed else self._outcome(call.tool, facts, notes)
        if event is None:
            if writes and (problem := self._write(writes)) is not None:
                notes.append(problem)
                return settled
            return settled._replace(wrote=tuple(writes))
        payload = {"tool": call.tool.name, "args": call.arguments, "result": facts["result"]}
        step = self._raise(event, payload, writes)
        if not step.moved:
            notes.append(f"{event} moved nothing: {step.reason}")
            return settled._replace(event=event, step=step)
        return settled._replace(event=event, step=step, wrote=tuple(step.writes))

    def _outcome(self, tool: ToolInfo, facts: dict[str, Any], notes: list[str]) -> tuple[str | None, dict[str, Any]]:
        """The first entry of ``emits`` whose ``when`` holds: its event and the facts it writes."""
        for emit in tool.emits:
            if emit.when is not None:
                verdict = self._holds(emit.when, args=facts["args"], result=facts["result"])
                if verdict.undecided:
                    notes.append(verdict.reason)
                if not verdict.holds:
                    continue
            try:
                return emit.event, {} if emit.sets is None else self.table.writes(emit.sets, facts)
            except EvaluationError as error:
                notes.append(f"{error}; nothing was written" + (f" and {emit.event} not raised" if emit.event else ""))
                return None, {}
        return None, {}

    def _raise(self, event: str, payload: Any, writes: dict[str, Any]) -> Step:
        facts = {**self._facts(), "event": payload}
        answers: dict[str, object] = {}
        step = self.table.step(self._state, event, facts, answers)
        while step.code == "guard_needed" and step.guard is not None:
            answers[step.guard] = self._ask(step.guard, facts)
            step = self.table.step(self._state, event, facts, answers)
        return self._apply(step, writes)

    def _apply(self, step: Step, writes: Mapping[str, Any]) -> Step:
        """Carry out a move with everything it writes, or nothing of it."""
        if not step.moved or step.target is None:
            return step
        together = {**writes, **step.writes}
        if together and (problem := self._write(together)) is not None:
            return Step("set_failed", step.source, step.event, reason=problem)
        self._enter(step.target)
        return step._replace(writes=freeze(together))

    def _enter(self, target: str) -> None:
        self._visits[target] = self._visits.get(target, 0) + 1
        self._revision += 1
        if target != self._state:
            self._state = target
            self._ledger.begin_episode()

    def _check_budget(self, call: InFlight, notes: list[str]) -> tuple[Loop | None, Step | None]:
        """After a call was settled in its own episode: is the budget spent, and where does the machine go then?"""
        state = self.table.states[self._state]
        loop, spent = self._ledger.loop(call, state)
        if not spent or state.budget is None or state.budget.fallback in (None, state.name):
            return loop, None
        budget = state.budget
        step = self.table.enter(self._state, "", budget.fallback or "", self._facts(), "fallback")
        if not step.moved:
            notes.append(f"the fallback was not entered: {step.reason}")
        return loop, self._apply(step, {})

    def _write(self, changes: Mapping[str, Any]) -> str | None:
        """Write facts, all or nothing; the problem in words when they do not match the schema of the context."""
        try:
            merged, text = private_copy({**self._context, **changes})
        except NotJson as error:
            return f"the context is {error}"
        if len(text) > MAX_CONTEXT:
            return f"the context would grow beyond {MAX_CONTEXT:,} characters of JSON"
        validator = self._validators.get(CONTEXT)
        if validator is not None and (problem := validator.error(merged)) is not None:
            return problem
        self._context = merged
        self._revision += 1
        return None

    def _take(self, call_id: str) -> InFlight:
        call = self._ledger.in_flight.pop(call_id, None)
        if call is None:
            raise SessionError(f"call {call_id!r} is not in flight: it was never allowed, or settled already")
        return call

    def _fresh_id(self) -> str:
        while (name := f"call-{self._next_id}") in self._ledger.in_flight:
            self._next_id += 1
        self._next_id += 1
        return name


def _call_key(tool: str, canonical_arguments: str) -> str:
    return f"{tool}\n{canonical_arguments}"


def _unlock(tool: str, path: tuple[str, ...] | None) -> str:
    if path is None:
        return f"nothing from here leads to a state that offers `{tool}`"
    return f"reachable by {' then '.join(path)}"
