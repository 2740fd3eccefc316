"""Recorded runs through the engine that applications use: what a policy would have decided, step by step.

The simulator drives a ``Session``; it decides nothing itself. A refused call moves nothing and its recorded result is passed
over, so the run goes on as the policy would have enforced it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fsmc.runtime.decision import Decision, Settled
from fsmc.runtime.errors import BindingError, SessionError
from fsmc.runtime.infos import Step
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from fsmc.trace.records import (
    Approval,
    Call,
    ContextChange,
    Event,
    Flaw,
    Goto,
    GuardOutcomes,
    Record,
    Release,
    Result,
    Run,
)  # fmt: skip


class StepReport(NamedTuple):
    """One record of a run and what became of it.

    ``verdict`` is ``allow``, ``deny`` or ``ask`` for calls; ``moved``, ``stayed`` or ``refused`` for events, results and
    requests; ``noted`` for everything else. ``code`` and ``reason`` are the decision's or the step's. ``state`` is the state
    after it, ``moves`` the moves it made. ``allowed_tools`` is what was allowed instead.
    """

    at: str
    kind: str
    subject: str
    arguments: Any
    verdict: str
    code: str
    reason: str
    state: str
    moves: tuple[Step, ...] = ()
    allowed_tools: tuple[str, ...] = ()
    unlock: str = ""
    notes: tuple[str, ...] = ()


class TraceFinding(NamedTuple):
    """Something wrong with the trace itself.

    ``code``: ``broken_record``, ``broken_arguments``, ``missing_result``, ``orphan_result``, ``duplicate_result``,
    ``duplicate_call``, ``bad_context``, ``bad_approval``, ``unknown_guard``, ``other_digest``.
    """

    at: str
    code: str
    message: str


class RunReport(NamedTuple):
    """A whole run. ``finished`` says whether it ended in a terminal state; ``open_calls`` were never settled."""

    name: str
    steps: tuple[StepReport, ...]
    findings: tuple[TraceFinding, ...]
    state: str
    finished: bool
    open_calls: tuple[str, ...]
    counts: Mapping[str, int]

    def __repr__(self) -> str:
        end = "finished" if self.finished else "not finished"
        return f"<fsmc.RunReport {self.name}: {'clean' if self.clean else 'not clean'}, {end} in {self.state}>"

    @property
    def violations(self) -> tuple[StepReport, ...]:
        """The steps that the policy refused or would have held: denied and unapproved calls, refused events."""
        return tuple(step for step in self.steps if step.verdict in ("deny", "ask", "refused"))

    @property
    def clean(self) -> bool:
        """Whether the run follows the policy and the trace is sound."""
        return not self.violations and not self.findings


def simulate(
    table: Table,
    run: Run,
    *,
    context: Mapping[str, Any] | None = None,
    guards: Mapping[str, bool] | None = None,
    approve: bool = False,
) -> RunReport:
    """Play *run* through a session of *table*.

    *context* are facts that the trace does not tell: what its header says goes first. *guards* are fixed outcomes of external
    guards. With *approve* every call that needs an approval gets it: for transcripts that do not record people.

    Raises ``BindingError`` when *context* does not match the policy or a guard is not an external one of it. Facts of the trace
    that do not match are a finding.
    """
    player = _Player(table, run, guards or {}, approve)
    if player.start(context or {}):
        player.play()
    return player.report()


class _NotRecorded(Exception):
    """An external guard was asked and the trace does not say what it answered."""


class _Waiting(NamedTuple):
    """A call that has no result yet."""

    at: str
    tool: str
    allowed: bool


class _Player:
    def __init__(self, table: Table, run: Run, guards: Mapping[str, bool], approve: bool) -> None:
        external = [guard.name for guard in table.guards.values() if guard.external]
        for name in guards:
            if name not in external:
                raise BindingError(_not_external(table, name))
        self._outcomes = dict(guards)
        self._guards_of_policy = {name: self._answer(name) for name in external}
        self._table = table
        self._run = run
        self._approve = approve
        self._steps: list[StepReport] = []
        self._findings: list[TraceFinding] = []
        # The calls of each id without a result, oldest first; at most one of them is allowed. Once an id was used it stays a
        # key: recorded runs do use an id again once its call has a result.
        self._waiting: dict[str, list[_Waiting]] = {}
        self._results_to_come = _results_to_come(run.records)
        self._session: Session

    def start(self, context: Mapping[str, Any]) -> bool:
        """Begin with the facts of the trace and *context*, or where those of the trace do not fit, without them."""
        if self._run.digest is not None and self._run.digest != self._table.digest:
            self._find("header", "other_digest", "the trace was recorded under another version of the policy")
        own = self._run.context
        problem = self._open({**context, **own})
        if problem is None:
            return True
        if not own and context and self._open({}) is None:
            raise problem  # the trace has no part in it
        self._find("header", "bad_context", str(problem))
        problem = self._open(context) if own else problem
        if problem is None:
            return True
        if own:
            self._find("header", "bad_context", f"the run cannot start without its facts: {problem}")
        for record in self._run.records:
            if isinstance(record, Flaw):
                self._flaw(record)
        return False

    def _open(self, facts: Mapping[str, Any]) -> BindingError | None:
        try:
            # A recorded run has no clock: approvals do not expire while it plays.
            self._session = Session(self._table, facts, self._guards_of_policy, clock=lambda: 0.0)
        except BindingError as error:
            return error
        return None

    def play(self) -> None:
        """Take every record in order."""
        handlers: dict[type, Callable[[Any], None]] = {
            Call: self._call, Result: self._result, Release: self._release, Event: self._event, Goto: self._goto,
            ContextChange: self._context, GuardOutcomes: self._guards, Approval: self._approval, Flaw: self._flaw,
        }  # fmt: skip
        for record in self._run.records:
            handlers[type(record)](record)
        for call_id in self._session.in_flight:
            at = next(call.at for call in self._waiting[call_id] if call.allowed)
            self._find(at, "missing_result", f"call {call_id} was allowed and has no result")

    def report(self) -> RunReport:
        """What became of the run."""
        session = getattr(self, "_session", None)
        return RunReport(
            name=self._run.name,
            steps=tuple(self._steps),
            findings=tuple(self._findings),
            state=session.state if session else self._table.initial,
            finished=session is not None and session.finished,
            open_calls=session.in_flight if session else (),
            counts=_counts(self._steps, self._findings),
        )

    def _answer(self, name: str) -> Callable[[Mapping[str, Any]], object]:
        def answer(facts: Mapping[str, Any]) -> bool:
            if name not in self._outcomes:
                raise _NotRecorded("its outcome is not recorded")
            return self._outcomes[name]

        return answer

    def _call(self, call: Call) -> None:
        session = self._session
        if session.check(call.tool, call.arguments).verdict == "ask" and self._approve:
            session.approve(call.tool, call.arguments)
        decision = session.reserve(call.tool, call.arguments, call.id)
        self._steps.append(_call_report(call, decision))
        waiting = self._waiting.setdefault(call.id, [])
        if len(waiting) >= next(self._results_to_come) and not any(other.allowed for other in waiting):
            waiting.clear()  # refused calls that have no result: an application that asks again may keep the id
        if waiting:
            self._find(call.at, "duplicate_call", f"call id {call.id} is still open, from {waiting[0].at}")
        waiting.append(_Waiting(call.at, call.tool, decision.allowed))

    def _result(self, result: Result) -> None:
        session, call_id = self._session, result.id
        if self._waiting.get(call_id):
            call = self._waiting[call_id].pop(0)
            if not call.allowed:
                self._note(result.at, "result", call.tool, "of the refused call, passed over")
                return
            before = session.state
            settled = session.commit(call_id, result.value, result.failed)
            self._steps.append(_result_report(result.at, settled, before, session.state))
        elif call_id in self._waiting:
            self._find(result.at, "duplicate_result", f"call {call_id} has a result already; this one is passed over")
        else:
            self._find(result.at, "orphan_result", f"no call has the id {call_id}; this result is passed over")

    def _release(self, release: Release) -> None:
        waiting = self._waiting.get(release.id)
        if not waiting:
            self._find(release.at, "orphan_result", f"no call with the id {release.id} is in flight")
        elif waiting.pop(0).allowed:
            self._session.release(release.id)
            self._note(release.at, "release", release.id, "given back")
        else:
            self._note(release.at, "release", release.id, "of the refused call, passed over")

    def _event(self, event: Event) -> None:
        self._steps.append(
            _step_report(event.at, "event", event.name, event.payload, self._session.send(event.name, event.payload))
        )

    def _goto(self, goto: Goto) -> None:
        self._steps.append(_step_report(goto.at, "goto", goto.state, None, self._session.transition_to(goto.state)))

    def _context(self, change: ContextChange) -> None:
        try:
            self._session.update(change.changes)
        except SessionError as error:
            self._find(change.at, "bad_context", str(error))
            return
        self._note(change.at, "context", ", ".join(change.changes), "written", change.changes)

    def _guards(self, record: GuardOutcomes) -> None:
        table = self._session.table
        for name, outcome in record.outcomes.items():
            if name not in table.guards or not table.guards[name].external:
                self._find(record.at, "unknown_guard", _not_external(table, name))
                continue
            self._outcomes[name] = outcome
            self._note(record.at, "guard", name, f"answers {str(outcome).lower()} from here on")

    def _approval(self, approval: Approval) -> None:
        try:
            self._session.approve(approval.tool, approval.arguments)
        except SessionError as error:
            self._find(approval.at, "bad_approval", str(error))
            return
        self._note(approval.at, "approve", approval.tool, "by a person", approval.arguments)

    def _flaw(self, flaw: Flaw) -> None:
        self._find(flaw.at, flaw.code, flaw.message)

    def _find(self, at: str, code: str, message: str) -> None:
        self._findings.append(TraceFinding(at, code, message))

    def _note(self, at: str, kind: str, subject: str, reason: str, arguments: Any = None) -> None:
        self._steps.append(StepReport(at, kind, subject, arguments, "noted", "", reason, self._session.state))


def _results_to_come(records: Sequence[Record]) -> Iterator[int]:
    """For each call, in order, how many results and releases its id has before the id is used again."""
    counted: list[int] = []
    since: Counter[str] = Counter()
    for record in reversed(records):
        if isinstance(record, (Result, Release)):
            since[record.id] += 1
        elif isinstance(record, Call):
            counted.append(since.pop(record.id, 0))
    return reversed(counted)


def _not_external(table: Table, name: str) -> str:
    """Why no outcome can be recorded for the guard *name*."""
    from fsmc.spelling import did_you_mean

    if name in table.guards:
        return f"the guard `{name}` is an expression of the policy: only external guards are answered from outside"
    external = [guard.name for guard in table.guards.values() if guard.external]
    hint = did_you_mean(name, external) or ("it has none" if not external else f"it has {', '.join(external[:8])}")
    return f"`{name}` is not an external guard of this policy; {hint}"


def _call_report(call: Call, decision: Decision) -> StepReport:
    return StepReport(
        call.at, "call", call.tool, call.arguments, decision.verdict, decision.code, decision.reason, decision.state,
        allowed_tools=decision.allowed_tools, unlock=decision.unlock,
    )  # fmt: skip


def _result_report(at: str, settled: Settled, before: str, after: str) -> StepReport:
    moves = tuple(step for step in (settled.step, settled.fallback) if step is not None and step.moved)
    parts = ["failed"] if settled.failed else []
    if settled.event is not None:
        parts.append(f"raises {settled.event}")
    if settled.wrote:
        parts.append(f"sets {', '.join(settled.wrote)}")
    if settled.loop is not None:
        loop = settled.loop
        parts.append(f"budget of {loop.state} spent: {loop.made} of {loop.limit} {_MODES[loop.mode]}")
    return StepReport(
        at, "result", settled.tool, None, "moved" if moves else "stayed", settled.step.code if settled.step is not None else "",
        ", ".join(parts), after, moves, notes=settled.notes,
    )  # fmt: skip


_MODES = {"limit": "calls", "repeated": "identical calls"}


def _step_report(at: str, kind: str, subject: str, payload: Any, step: Step) -> StepReport:
    moves = (step,) if step.moved else ()
    state = step.target if step.moved and step.target is not None else step.source
    reason = f"sets {', '.join(step.writes)}" if step.moved and step.writes else step.reason
    notes = (step.note,) if step.note else ()
    verdict = "moved" if step.moved else "refused"
    return StepReport(at, kind, subject, payload, verdict, step.code, reason, state, moves, notes=notes)


def move_label(step: Step) -> str:
    """What a move is called in a report: its event, or what else caused it."""
    if step.kind == "fallback":
        return "budget spent"
    label = step.event or "asked for"
    return f"{label}, visits spent" if step.kind == "exhausted" else label


def _counts(steps: list[StepReport], findings: list[TraceFinding]) -> dict[str, int]:
    """How often each thing happened, by name, in order of name."""
    counted: Counter[str] = Counter()
    for step in steps:
        if step.kind == "call":
            counted["calls"] += 1
            counted[step.verdict] += 1
            if step.verdict != "allow":
                counted[f"{step.verdict}: {step.code}"] += 1
        elif step.verdict == "refused":
            counted[f"{step.kind} refused: {step.code}"] += 1
        counted["moves"] += len(step.moves)
    for finding in findings:
        counted[f"trace: {finding.code}"] += 1
    return dict(sorted(counted.items()))


__all__ = ["RunReport", "StepReport", "TraceFinding", "move_label", "simulate"]
