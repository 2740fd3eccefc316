"""One mutable conversation over a frozen table: what it offers, what it decides, how it moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from fsmc.runtime import log
from fsmc.runtime.annotations import TYPE_CHECKING, Any, TypeVar, overload
from fsmc.runtime.binding import Guard, bound_guards
from fsmc.runtime.core import Core, copied_call
from fsmc.runtime.decision import Decision, Settled
from fsmc.runtime.driver import QUICK, Driver
from fsmc.runtime.errors import BindingError, SessionError
from fsmc.runtime.hooks import NO_HOOKS, Hooks
from fsmc.runtime.infos import Step
from fsmc.runtime.machine import Heard, NeedsAwait, stale
from fsmc.runtime.quick import QuickAnswers
from fsmc.runtime.table import Table
from fsmc.runtime.values import Counts, NotJson, freeze, is_async_function, named
from fsmc.runtime.words import did_you_mean

if TYPE_CHECKING:
    from fsmc.runtime.calls import AsyncToolCall, ToolCall

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Session(QuickAnswers):
    """State, context, counters, calls in flight and approvals of one conversation. May be shared between threads.

    *context* are the facts known at the start, checked against the policy's schema. *guards* binds every external guard of the
    policy by name to a function of the facts (a read-only mapping) that returns True or False; an asynchronous one works only
    through the methods that begin with ``a``. *hooks* are told what happens. *shadow* lets calls through that the policy
    refuses, all of them or those of the named tools, and counts them; a guard named there always holds. *clock* gives seconds,
    for approvals that expire.

    Raises ``BindingError`` when a guard is not bound or not known, or the context does not match.
    """

    __slots__ = ()

    def __init__(
        self,
        table: Table,
        context: Mapping[str, Any] | None = None,
        guards: Mapping[str, Guard] | None = None,
        *,
        hooks: Hooks | None = None,
        shadow: bool | Iterable[str] = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._start(table, guards, hooks, shadow, clock)
        problem = self._core.write(context or {})
        if problem is not None:
            raise BindingError(problem)
        self._core.revision = 0

    def _start(
        self,
        table: Table,
        guards: Mapping[str, Guard] | None,
        hooks: Hooks | None,
        shadow: bool | Iterable[str],
        clock: Callable[[], float],
    ) -> None:
        bound = bound_guards(table, guards or {})
        driver = self._driver = Driver(bound)
        if hooks is not None and not isinstance(hooks, Hooks):
            raise BindingError(f"hooks are given as `fsmc.Hooks(after=...)`, not as {type(hooks).__name__}")
        core = self._core = driver.core = Core(table, driver.answer, hooks or NO_HOOKS, _shadow(table, shadow), clock)
        plain = bound
        if any(map(is_async_function, bound.values())):
            plain = {name: guard for name, guard in bound.items() if not is_async_function(guard)}
            core.asynchronous = frozenset(bound.keys() - plain.keys())
        if QUICK and core.shadow is False and not core.hooks.watching and not log.enabled():
            core.answer_quickly(plain)

    def __repr__(self) -> str:
        return f"<fsmc.Session of {self.table.id!r} in {self.state}, revision {self.revision}>"

    # Reading

    @property
    def table(self) -> Table:
        """The table that the session runs."""
        return self._core.table

    @property
    def state(self) -> str:
        """The current state."""
        return self._core.state

    @property
    def group(self) -> str:
        """The part of the state's name before its first colon, or all of it."""
        return self._core.state.partition(":")[0]

    @property
    def revision(self) -> int:
        """Counts moves and context changes: what an approval and a pending transition are bound to."""
        return self._core.revision

    @property
    def version(self) -> int:
        """Counts changes of any kind: what to compare before overwriting a stored snapshot."""
        return self._core.version

    @property
    def context(self) -> Mapping[str, Any]:
        """A read-only view of the facts as they are now."""
        return freeze(self._core.context)  # type: ignore[no-any-return]

    @property
    def finished(self) -> bool:
        """Whether the state is terminal."""
        return self._core.row.state.terminal

    @property
    def looping(self) -> bool:
        """Whether the budget of the state is spent."""
        core = self._core
        return self._driver.run(lambda: core.ledger.spent_up(core.row.state))

    @property
    def refusals(self) -> int:
        """How many calls were refused so far, for escalation."""
        return self._core.ledger.refusals

    @property
    def shadowed(self) -> Mapping[str, int]:
        """What shadow mode let through: code of the refusal -> how often."""
        return self._driver.run(freeze, self._core.shadowed)

    @property
    def calls(self) -> Mapping[str, int]:
        """Tool -> successful calls so far."""
        return Counts(self.table.tools, dict(self._core.ledger.successes))

    @property
    def in_flight(self) -> tuple[str, ...]:
        """The ids of calls that were reserved and not yet settled, oldest first."""
        flying = self._core.ledger.in_flight
        return self._driver.run(lambda: tuple(flying))

    @property
    def allowed_tools(self) -> tuple[str, ...]:
        """The tools to offer now: the state's own, narrowed by each tool's ``when``, in declared order.

        Raises ``SessionError`` where a ``when`` is an asynchronous guard: a tool would be missing without a word.
        """
        try:
            return self._driver.run(self._core.offered, True)
        except NeedsAwait as needs:
            raise SessionError(f"{needs}, here `await session.aallowed_tools()`") from None

    async def aallowed_tools(self) -> tuple[str, ...]:
        """``allowed_tools`` where a ``when`` is an asynchronous guard."""
        return await self._driver.await_guards(self._core.offered) or ()

    @property
    def events(self) -> tuple[str, ...]:
        """The events that the state reacts to and the application may send."""
        events = self.table.events
        return tuple(name for name in self.table.events_of(self._core.state) if not events[name].reserved)

    # Moving

    def _send(self, event: str, payload: Any, heard: Heard | None = None) -> Step:
        return self._logged(self._driver.run(self._core.send, event, payload, heard))

    async def asend(self, event: str, payload: Any = None) -> Step:
        """``send`` with asynchronous guards: ``stale`` when the session changed while one was pending."""
        source, began = self._core.state, self._core.revision
        step = await self._driver.await_guards(self._core.send, event, payload, moves=True)
        return self._logged(stale(source, named(event), began, self._core.revision) if step is None else step)

    def can(self, event: str, payload: Any = None) -> bool:
        """Whether *event* would move the machine now, whoever raises it. Changes nothing."""
        try:
            return self._driver.run(self._core.would, event, payload).moved
        except NeedsAwait:
            return False

    async def acan(self, event: str, payload: Any = None) -> bool:
        """``can`` with asynchronous guards."""
        step = await self._driver.await_guards(self._core.would, event, payload)
        return step is not None and step.moved

    def transition_to(self, target: str) -> Step:
        """Ask for a state by name, under ``topology: open``."""
        return self._logged(self._driver.run(self._core.request, target))

    async def atransition_to(self, target: str) -> Step:
        """``transition_to`` with an asynchronous ``transition_guard``."""
        source, began = self._core.state, self._core.revision
        step = await self._driver.await_guards(self._core.request, target, moves=True)
        return self._logged(stale(source, "", began, self._core.revision) if step is None else step)

    def update(self, changes: Mapping[str, Any]) -> None:
        """Write facts of the application into the context. Raises ``SessionError`` when they do not match its schema."""
        problem = self._driver.run(self._core.write, changes)
        if problem is not None:
            raise SessionError(problem)

    def reset_budget(self) -> None:
        """Open a fresh budget in the state as it is: a person looked, and the conversation may go on."""
        self._driver.run(self._core.ledger.begin_again)

    # Calling tools

    def _check(self, tool: str, arguments: Any) -> Decision:
        return self._driver.decide(self._core.check, tool, arguments)

    async def acheck(self, tool: str, arguments: Any = None) -> Decision:
        """``check`` with asynchronous guards."""
        return await self._driver.adecide(self._core.check, tool, arguments)

    def _reserve(self, tool: str, arguments: Any, call_id: str | None) -> Decision:
        return self._decided(self._driver.decide(self._core.reserve, tool, arguments, call_id))

    def _reserve_plainly(self, tool: str, arguments: Any = None, call_id: str | None = None) -> Decision:
        """``reserve`` for a call that is committed plainly."""
        if not self._core.asynchronous:
            return self.reserve(tool, arguments, call_id)
        return self._decided(self._driver.decide(self._core.reserve_plainly, tool, arguments, call_id))

    def _refuse(self, tool: str, code: str, reason: str) -> Decision:
        return self._decided(self._driver.decide(self._core.refuse, tool, code, reason))

    async def areserve(self, tool: str, arguments: Any = None, call_id: str | None = None) -> Decision:
        """``reserve`` with asynchronous guards: a session that changes while one is pending is asked again."""
        return self._decided(await self._driver.adecide(self._core.reserve, tool, arguments, call_id))

    def reserve_batch(self, calls: Iterable[tuple[str, str, Any]]) -> tuple[Decision, ...]:
        """Decide about the calls of one batch, ``(call id, tool, arguments)`` each: one answer each, in the same order."""
        return self._driver.run(self._reserve_all, calls)

    async def areserve_batch(self, calls: Iterable[tuple[str, str, Any]]) -> tuple[Decision, ...]:
        """``reserve_batch`` with asynchronous guards: one call after the other."""
        return tuple([await self.areserve(tool, arguments, call_id) for call_id, tool, arguments in batch_of(calls)])

    def _reserve_all(self, calls: Iterable[tuple[str, str, Any]]) -> tuple[Decision, ...]:
        return tuple(self._reserve(tool, arguments, call_id) for call_id, tool, arguments in batch_of(calls))

    def _commit(self, call_id: str, result: Any, failed: bool) -> Settled:
        return self._settled(self._driver.run(self._core.take_and_commit, call_id, result, failed))

    async def acommit(self, call_id: str, result: Any = None, failed: bool = False) -> Settled:
        """``commit`` with asynchronous guards. An event that became stale meanwhile is decided again where the session is."""
        settled = await self._driver.await_guards(self._core.take_and_commit, call_id, result, failed)
        assert settled is not None
        return self._settled(settled)

    def release(self, call_id: str) -> None:
        """Give a reservation back: the call was not made. Raises ``SessionError`` when it is not in flight."""
        self._driver.run(self._core.release, call_id)

    def call(self, tool: str, arguments: Any = None, call_id: str | None = None) -> ToolCall:
        """A call as a ``with`` block: reserved on entry, committed with its ``result`` on exit, released without one.

        Entering raises ``CallRefused`` when the policy refuses. A block that raises commits the call as failed.
        """
        from fsmc.runtime.calls import ToolCall

        return ToolCall(self, tool, arguments, call_id)

    def acall(self, tool: str, arguments: Any = None, call_id: str | None = None) -> AsyncToolCall:
        """``call`` as an ``async with`` block."""
        from fsmc.runtime.calls import AsyncToolCall

        return AsyncToolCall(self, tool, arguments, call_id)

    @overload
    def guard_tool(self, function: F, *, tool: str | None = None, refusal: str = "raise") -> F: ...

    @overload
    def guard_tool(  # noqa: F811
        self, function: None = None, *, tool: str | None = None, refusal: str = "raise"
    ) -> Callable[[F], F]: ...

    def guard_tool(  # noqa: F811
        self, function: Any = None, *, tool: str | None = None, refusal: str = "raise"
    ) -> Any:
        """*function* as one that runs only when the session allows it, plain or asynchronous; also as a decorator.

        It stands for the tool of its own name, or *tool*. See ``fsmc.runtime.wrapping.guarded``.
        """
        from fsmc.runtime.wrapping import guarded

        if function is None:
            return lambda decorated: guarded(self, decorated, tool, refusal)
        return guarded(self, function, tool, refusal)

    def approve(self, tool: str, arguments: Any = None) -> None:
        """A person says yes to *tool* with exactly these *arguments*: good for one call, in this state and revision.

        Raises ``SessionError`` when the tool needs no approval or the arguments are not JSON.
        """
        info = self.table.tools.get(tool) if isinstance(tool, str) else None
        if info is None or info.approval is None:
            asking = [name for name, other in self.table.tools.items() if other.approval is not None]
            hint = did_you_mean(named(tool), asking)
            raise SessionError(f"`{named(tool)}` is not a tool that needs an approval{hint}")
        try:
            body, key = copied_call(info.name, arguments)
        except NotJson as error:
            raise SessionError(f"the arguments are {error}") from None
        if not isinstance(body, dict):
            raise SessionError("the arguments are not a JSON object")
        self._driver.run(self._core.approve, info.name, key, info.approval)

    # Storing

    def snapshot(self) -> dict[str, Any]:
        """Everything that the session holds, as JSON data after ``schemas/session-v1.schema.json``."""
        from fsmc.runtime.snapshot import take

        return self._driver.run(take, self._core)

    @classmethod
    def restored(
        cls,
        table: Table,
        saved: Mapping[str, Any],
        guards: Mapping[str, Guard] | None = None,
        *,
        migrate: Mapping[str, str] | None = None,
        hooks: Hooks | None = None,
        shadow: bool | Iterable[str] = False,
        clock: Callable[[], float] = time.time,
    ) -> Session:
        """The session of a snapshot; see ``Table.restore``."""
        from fsmc.runtime.snapshot import restore

        session = cls.__new__(cls)
        session._start(table, guards, hooks, shadow, clock)
        restore(session._core, saved, migrate)
        return session

    # Telling

    def _logged(self, step: Step) -> Step:
        log.step(self.table.id, step)
        return step

    def _decided(self, decision: Decision) -> Decision:
        log.decision(self.table.id, decision)
        if decision.code != "ok":
            self._core.hooks.refusal(decision)
        return decision

    def _settled(self, settled: Settled) -> Settled:
        for step in (settled.step, settled.fallback):
            if step is not None:
                log.step(self.table.id, step)
        if settled.loop is not None:
            log.loop(self.table.id, settled.loop)
            self._core.hooks.looped(settled.loop)
        return settled


def batch_of(calls: Iterable[tuple[str, str, Any]]) -> list[tuple[str, str, Any]]:
    """The calls of a batch. Raises ``SessionError`` before any is decided when one is not made of its three parts."""
    found = list(calls)
    for call in found:
        if not isinstance(call, (tuple, list)) or len(call) != 3:
            raise SessionError(f"a call of a batch is (call id, tool, arguments), not {type(call).__name__}")
    return found


def _shadow(table: Table, shadow: bool | Iterable[str]) -> bool | frozenset[str]:
    if isinstance(shadow, bool):
        return shadow
    if isinstance(shadow, str):
        raise BindingError(f"shadow takes True or a list of names, not the text {shadow!r}")
    names = frozenset(shadow)
    external = {guard.name for guard in table.guards.values() if guard.external}
    unknown = sorted(names - table.tools.keys() - external)
    if unknown:
        hint = did_you_mean(unknown[0], table.tools.keys() | external)
        raise BindingError(f"shadow names `{unknown[0]}`, which is no tool and no external guard of this policy{hint}")
    return names
