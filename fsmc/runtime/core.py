"""The engine of a session: every decision and every move, without knowing how a guard is called.

It asks for the outcome of an external guard through ``ask``, which answers or raises: ``NeedsAwait`` where a plain call meets an
asynchronous guard, ``Pending`` where the answer has to be awaited first. Nothing is changed before the last guard of an
operation has answered (what a call counts is taken back), so ``Session`` can await and start the operation again with the
answers it has: plain and asynchronous calls share every line. Where the session changed meanwhile, a transition is stale.
"""

from __future__ import annotations

from fsmc.runtime.annotations import Any
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.decision import Decision, Loop, Settled
from fsmc.runtime.errors import EvaluationError, SessionError
from fsmc.runtime.infos import Step, ToolInfo
from fsmc.runtime.ledger import InFlight, undeclared_tool
from fsmc.runtime.machine import Machine, NeedsAwait
from fsmc.runtime.values import NotJson, decode_result, decoded_arguments, freeze, named, private_copy
from fsmc.runtime.words import did_you_mean

# A refusal names the way to a state that offers the tool up to this many moves.
_LONGEST_WAY = 6
# How often the event of a result is decided again because the session moved while a guard was pending.
_ATTEMPTS = 10


class Core(Machine):
    """The whole of a conversation: a machine whose tools are called."""

    __slots__ = ()

    # Deciding about calls

    def decide(self, tool: Any, arguments: Any) -> tuple[Decision, Any, str]:
        """The decision about a call, the private copy of its arguments, and the key that identical calls share."""
        began = self.revision
        info = self.table._tools.get(str.__str__(tool)) if isinstance(tool, str) else None
        if info is None:
            return self._unknown_tool(tool), {}, ""
        try:
            refusal = self._unavailable(info)
            if refusal is not None:
                return refusal, {}, ""
            try:
                body, key = copied_call(info.name, arguments, self._compares(info))
            except NotJson as error:
                return self._deny(info.name, "invalid_arguments", f"the arguments are {error}"), {}, ""
            refusal = self._unacceptable(info, body, key)
        except NeedsAwait as needs:
            return self._deny(info.name, "needs_async", str(needs), "the same call with `await`"), {}, ""
        if refusal is None and self.revision != began:
            # A guard has moved the session or written facts: what was decided before it may no longer hold.
            reason = "the session changed while a guard was asked"
            refusal = self._deny(info.name, "stale", reason, "the same call again")
        granted = Decision("allow", "ok", "", info.name, self.row.state.name)
        return granted if refusal is None else refusal, body, key

    def _compares(self, tool: ToolInfo) -> bool:
        """Whether it matters that two calls of *tool* are identical."""
        budget = self.row.state.budget
        return tool.approval is not None or (budget is not None and budget.repeated is not None)

    def check(self, tool: Any, arguments: Any) -> Decision:
        """The decision alone."""
        return self.decide(tool, arguments)[0]

    def _unknown_tool(self, tool: Any) -> Decision:
        name = named(tool)
        # Only what is offered: a model is not told what it cannot see.
        hint = did_you_mean(name, self.row.state.tools)
        return self._deny(name, "unknown_tool", f"`{name}` is not a tool of this policy{hint}")

    def _unavailable(self, tool: ToolInfo) -> Decision | None:
        """The refusal of a call that the state does not offer, whatever its arguments."""
        name, row = tool.name, self.row
        state = row.state
        if state.terminal or name not in state.tools:
            refusal = row.refusals.get(name)
            if refusal is None:
                refusal = self._not_offered(name)
                if row.constant:
                    row.refusals[name] = refusal
            return refusal
        if tool.when is not None and not (verdict := self.holds(tool.when, self.facts())).holds:
            return self._deny(name, "condition_false", f"`{name}` is not available: {verdict.reason}")
        return None

    def _not_offered(self, tool: str) -> Decision:
        state = self.row.state
        if state.terminal:
            return self._deny(tool, "session_ended", f"the session has ended in {state.name}")
        unlock = _unlock(tool, self.table.way_to_offer(state.name, tool))
        return self._deny(tool, "not_in_state", f"`{tool}` is not available in {state.name}", unlock)

    def _unacceptable(self, tool: ToolInfo, body: Any, key: str) -> Decision | None:
        """The refusal of a call for its arguments, a limit or an approval; limits last, when no guard is left to ask."""
        name = tool.name
        if not isinstance(body, dict):
            return self._deny(name, "invalid_arguments", "the arguments are not a JSON object")
        validator = self._validators.get(name)
        if validator is not None and (problem := validator.error(body)) is not None:
            return self._deny(name, "invalid_arguments", problem, "arguments that match its schema")
        for condition in tool.require:
            if not (verdict := self.holds(condition, self.facts(args=body))).holds:
                return self._deny(name, "requirement_failed", f"`{name}` is refused: {verdict.reason}")
        limit = self.ledger.overstepped(tool, key, self.row.state)
        if limit is not None:
            return self._deny(name, *limit)
        if tool.approval is not None and (void := self._void(name, key)) is not None:
            reason = f"a person must approve `{name}` with these arguments{void}"
            return self._deny(name, "approval_required", reason, "an approval of exactly this call", "ask")
        return None

    def _void(self, tool: str, key: str) -> str | None:
        """Why there is no approval of a call, as the end of a sentence; None where there is one."""
        given = self.approvals.get((tool, key))
        if given is None:
            return ""
        # The revision changes with every move and every write, so it stands for the state too; the table for the digest.
        revision, expires = given
        if revision != self.revision:
            return "; the approval that was given is void, for the session has changed since"
        return None if self.clock() < expires else "; the approval that was given has expired"

    def _deny(self, tool: Any, code: str, reason: str, unlock: str = "", verdict: str = "deny") -> Decision:
        offered = self.offered()
        state, tools = self.row.state, self.table.tools
        now = tuple(name for name in offered if self.ledger.overstepped(tools[name], None, state) is None)
        return Decision(verdict, code, reason, tool, self.state, now, unlock)

    def reserve(self, tool: Any, arguments: Any, call_id: Any) -> Decision:
        """Decide about a call and put it in flight when it may be made."""
        body: Any = {}
        key = ""
        decision = self._bad_id(tool, call_id)
        if decision is None:
            decision, body, key = self.decide(tool, arguments)
            # Asked again: a guard may have reserved calls itself.
            if decision.allowed and (taken := self._bad_id(tool, call_id)) is not None:
                decision = taken
        if not decision.allowed:
            if not self._is_shadowed(decision.tool) or decision.code in ("invalid_call_id", "duplicate_call_id"):
                self.ledger.refusals += 1
                return decision._replace(call_id=call_id if isinstance(call_id, str) else "")
            self.count_shadowed(decision.code)
            decision = decision._replace(verdict="allow", shadow=True)
            try:
                body, key = copied_call(decision.tool, arguments)
            except NotJson:  # let through all the same, but nothing of it is kept
                body, key = copied_call(decision.tool, None)
        if (decision.tool, key) in self.approvals:
            self.approvals = {call: until for call, until in self.approvals.items() if call != (decision.tool, key)}
        if call_id is None:
            call_id = self._fresh_id()
        info = self.table._tools.get(decision.tool) or undeclared_tool(decision.tool)
        self.ledger.put(call_id, info, key, body, self.row.state)
        code, reason, tool, state, shadow = (
            decision.code,
            decision.reason,
            decision.tool,
            decision.state,
            decision.shadow,
        )
        return Decision(
            "allow", code, reason, tool, state, decision.allowed_tools, decision.unlock, call_id, freeze(body), shadow
        )

    def reserve_plainly(self, tool: Any, arguments: Any, call_id: Any) -> Decision:
        """``reserve`` of a call whose result will be committed plainly: refused where that would meet an asynchronous guard.

        Else the tool would have run before anybody knew.
        """
        info = self.table._tools.get(tool) if isinstance(tool, str) else None
        guard = None if info is None else self._awaited_by(info)
        if guard is None:
            return self.reserve(tool, arguments, call_id)
        self.ledger.refusals += 1
        reason = f"the result of `{named(tool)}` asks guard `{guard}`, which is asynchronous"
        return self._deny(
            named(tool), "needs_async", reason, "the same call with `async with` or an asynchronous function"
        )

    def _awaited_by(self, tool: ToolInfo) -> str | None:
        """The asynchronous guard, if any, that a result of *tool* may ask in this state."""
        if not self.asynchronous:
            return None
        table = self.table
        numbers = [tool.failed_when, *(emit.when for emit in tool.emits)]
        row = table._candidates[table._state_index[self.row.state.name]]
        events = {tool.on_failure, *(emit.event for emit in tool.emits)} - {None}
        numbers += [condition for event in events for _, condition, _, _ in row.get(event or "", ())]
        for number in numbers:
            guard = table._conditions[number].external if number is not None and number >= 0 else None
            if guard in self.asynchronous:
                return guard
        return None

    def refuse(self, tool: str, code: str, reason: str) -> Decision:
        """Refuse a call that could not even be put together."""
        self.ledger.refusals += 1
        return self._deny(tool, code, reason)

    def take(self, call_id: Any) -> InFlight:
        """Take a call out of flight, to settle it or give it back. Raises ``SessionError`` when it is not there."""
        call = self.ledger.in_flight.pop(call_id, None) if isinstance(call_id, str) else None
        if call is None:
            hint = "; give its `call_id`" if isinstance(call_id, Decision) else ""
            raise SessionError(
                f"call {named(call_id)!r} is not in flight: it was never allowed, or settled already{hint}"
            )
        return call

    def release(self, call_id: Any) -> None:
        """Give a call back that was not made."""
        self.ledger.give_back(self.take(call_id))

    def approve(self, tool: str, key: str, lifetime: int) -> None:
        """A person said yes to a call, for *lifetime* milliseconds; approvals that no call can use any more are dropped."""
        now = self.clock()
        self.ledger.changes += 1
        still = {k: (r, e) for k, (r, e) in self.approvals.items() if r == self.revision and now < e}
        self.approvals = {**still, (tool, key): (self.revision, now + lifetime / 1000)}

    def _bad_id(self, tool: Any, call_id: Any) -> Decision | None:
        if call_id is None:
            return None
        name = named(tool)
        if not isinstance(call_id, str):
            return self._deny(name, "invalid_call_id", f"a call id is a text, not {type(call_id).__name__}")
        if call_id in self.ledger.in_flight:
            return self._deny(name, "duplicate_call_id", f"call id {call_id!r} is in flight already", "a fresh call id")
        return None

    def _is_shadowed(self, name: Any) -> bool:
        return self.shadow if isinstance(self.shadow, bool) else isinstance(name, str) and name in self.shadow

    # Settling calls

    def take_and_commit(self, call_id: Any, result: Any, failed: bool) -> Settled:
        """``take`` and ``commit``."""
        return self.commit(self.take(call_id), call_id, result, failed)

    def commit(self, call: InFlight, call_id: str, result: Any, failed: bool) -> Settled:
        """Settle a call that was taken out of flight; it is put back when a plain call meets an asynchronous guard."""
        if hasattr(type(result), "__await__"):
            self.ledger.in_flight[call_id] = call
            raise SessionError("the result is a coroutine that was not awaited; the call stays in flight")
        counted, began = self.ledger.counted(call), self.revision
        try:
            return self._settle(call, result, failed)
        except NeedsAwait as needs:
            self.ledger.uncount(call, call_id, counted)
            raise SessionError(f"{needs}; the call stays in flight") from None
        except BaseException:  # a guard that waits, or an interrupt: a call is never lost
            if self.revision == began:
                self.ledger.uncount(call, call_id, counted)
            raise

    def _settle(self, call: InFlight, result: Any, failed: bool) -> Settled:
        notes: list[str] = []
        failed = failed is not False and failed is not None
        if call.tool.silent and not (failed and call.tool.on_failure):  # the result does not matter
            self.ledger.settle(call, failed)
            settled = Settled(call.tool.name, failed)
        else:
            facts = self.facts(args=call.arguments, result=decode_result(result, notes))
            failed = failed or self._looks_failed(call.tool, facts, notes)
            self.ledger.settle(call, failed)
            settled = self._outcome_of(call, failed, facts, notes)
        if call.episode is None:
            return settled._replace(notes=tuple(notes)) if notes else settled
        loop, fallback = self._check_budget(call, notes)
        return settled._replace(loop=loop, fallback=fallback, notes=tuple(notes))

    def _looks_failed(self, tool: ToolInfo, facts: dict[str, Any], notes: list[str]) -> bool:
        if tool.failed_when is None:
            return False
        verdict = self.holds(tool.failed_when, facts)
        if verdict.undecided:
            notes.append(f"{verdict.reason}; the call counts as failed")
        return verdict.holds or verdict.undecided

    def _outcome_of(self, call: InFlight, failed: bool, facts: dict[str, Any], notes: list[str]) -> Settled:
        settled = Settled(call.tool.name, failed)
        event, writes = (call.tool.on_failure, {}) if failed else self._outcome(call.tool, facts, notes)
        if event is None:
            if writes and (problem := self.write(writes)) is not None:
                notes.append(problem)
                return settled
            return settled._replace(wrote=tuple(writes)) if writes else settled
        payload = {"tool": call.tool.name, "args": call.arguments, "result": facts["result"]}
        step = self.occur(event, payload, writes)
        for _ in range(_ATTEMPTS):
            if step.code != "stale":
                break
            step = self.occur(event, payload, writes)
        if not step.moved:
            notes.append(f"{event} moved nothing: {step.reason}")
            return settled._replace(event=event, step=step)
        if step.note:
            notes.append(step.note)
        return settled._replace(event=event, step=step, wrote=tuple(step.writes))

    def _outcome(self, tool: ToolInfo, facts: dict[str, Any], notes: list[str]) -> tuple[str | None, dict[str, Any]]:
        """The first entry of ``emits`` whose ``when`` holds: its event and the facts it writes."""
        for emit in tool.emits:
            if emit.when is not None:
                verdict = self.holds(emit.when, facts)
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

    def _check_budget(self, call: InFlight, notes: list[str]) -> tuple[Loop | None, Step | None]:
        """After a call was settled in its own episode: is the budget spent, and where does the machine go then?"""
        state = self.row.state
        loop, spent = self.ledger.loop(call, state)
        if not spent or state.budget is None or state.budget.fallback is None or state.budget.fallback == state.name:
            return loop, None
        step = self.table.enter(self.state, "", state.budget.fallback, self.facts(), "fallback")
        if not step.moved:
            notes.append(f"the fallback was not entered: {step.reason}")
        return loop, self._apply(step, {}, may_veto=False)

    def _fresh_id(self) -> str:
        while (name := f"call-{self.next_id}") in self.ledger.in_flight:
            self.next_id += 1
        self.next_id += 1
        return name


def copied_call(tool: str, arguments: Any, keyed: bool = True) -> tuple[Any, str]:
    """A private copy of the arguments of a call, and where it is *keyed*, what identical calls share.

    None means none, and so does an empty text; another text is read as JSON, for that is how some providers send them. Raises
    ``NotJson``.
    """
    if isinstance(arguments, str):
        arguments = decoded_arguments(arguments)
    body = {} if arguments is None else private_copy(arguments)
    return body, f"{tool}\n{canonical_json(body)}" if keyed else ""


def _unlock(tool: str, path: tuple[str, ...] | None) -> str:
    if path is None:
        return f"nothing from here leads to a state that offers `{tool}`"
    if len(path) > _LONGEST_WAY:
        return f"reachable by {len(path)} moves, the first by {path[0]}"
    return f"reachable by {' then '.join(path)}"
