"""Sessions in OpenTelemetry: a span for every tool call and every event sent, counters for what was decided.

Needs the extra ``otel`` (``pip install 'fsmc[otel]'``), which is the API alone: without an SDK that the application sets up,
everything here does nothing. Names follow the GenAI semantic conventions where they have one, and begin with ``fsmc.`` elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextvars import Token
from typing import Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from fsmc.runtime.calls import AsyncToolCall, ToolCall
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.decision import Decision, Loop, Settled
from fsmc.runtime.infos import Step
from fsmc.runtime.session import Session, batch_of
from fsmc.runtime.table import Table
from fsmc.runtime.values import thaw
from fsmc.runtime.wrapping import guarded

try:
    from opentelemetry import context, metrics, trace
except ImportError as missing:
    raise ImportError(
        "fsmc.telemetry needs the package opentelemetry-api: pip install 'fsmc[otel]'", name=missing.name
    ) from None

S = TypeVar("S", bound=Session)
F = TypeVar("F", bound=Callable[..., Any])
Attributes = dict[str, Any]

# Names that a model or an application made up are no span names and no labels: there is no end of them.
_OTHER = "_OTHER"
_LONGEST = 200


def instrument(
    session: S,
    tracer_provider: trace.TracerProvider | None = None,
    meter_provider: metrics.MeterProvider | None = None,
    *,
    conversation_id: str | None = None,
    content: bool = False,
) -> S:
    """*session* as one that tells OpenTelemetry what is done through it; use the answer in its place.

    *conversation_id* becomes ``gen_ai.conversation.id``. With *content*, arguments, results and reasons are recorded too: they
    may hold what people typed. The providers are the global ones unless given.
    """
    # To a type checker it is the session that was given: it has every method and property, and delegates them.
    return cast(S, InstrumentedSession(session, tracer_provider, meter_provider, conversation_id, content))


class InstrumentedSession:
    """A session that delegates to another one and tells of it. What it does not define is the other session's own.

    Methods without a counter or span of their own: ``check``, ``can`` and everything that only reads.
    """

    __slots__ = ("_about", "_content", "_counters", "_current", "_session", "_shadowed", "_spans", "_tracer")

    def __init__(
        self,
        session: Session,
        tracer_provider: trace.TracerProvider | None,
        meter_provider: metrics.MeterProvider | None,
        conversation_id: str | None,
        content: bool,
    ) -> None:
        self._session = session
        self._tracer = trace.get_tracer("fsmc", tracer_provider=tracer_provider)
        self._counters = _counters(meter_provider or metrics.get_meter_provider())
        self._content = content
        self._about = _about(session.table, conversation_id)
        self._spans: dict[str, trace.Span] = {}
        self._shadowed = dict(session.shadowed)
        self._current = _Current(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def __repr__(self) -> str:
        return f"<instrumented {self._session!r}>"

    # Calling tools

    def reserve(self, tool: str, arguments: Any = None, call_id: str | None = None) -> Decision:
        """``Session.reserve``; the span of an allowed call stays open until it is settled."""
        began = time.time_ns()
        return self._decided(began, arguments, self._session.reserve(tool, arguments, call_id))

    async def areserve(self, tool: str, arguments: Any = None, call_id: str | None = None) -> Decision:
        """``Session.areserve``."""
        began = time.time_ns()
        return self._decided(began, arguments, await self._session.areserve(tool, arguments, call_id))

    def _reserve_plainly(self, tool: str, arguments: Any, call_id: str | None) -> Decision:
        began = time.time_ns()
        return self._decided(began, arguments, self._session._reserve_plainly(tool, arguments, call_id))

    def _refuse(self, tool: str, code: str, reason: str) -> Decision:
        began = time.time_ns()
        return self._decided(began, None, self._session._refuse(tool, code, reason))

    async def areserve_batch(self, calls: Iterable[tuple[str, str, Any]]) -> tuple[Decision, ...]:
        """``Session.areserve_batch``."""
        return tuple([await self.areserve(tool, arguments, call_id) for call_id, tool, arguments in batch_of(calls)])

    def reserve_batch(self, calls: Iterable[tuple[str, str, Any]]) -> tuple[Decision, ...]:
        """``Session.reserve_batch``."""
        began = time.time_ns()
        batch = list(calls)
        decisions = self._session.reserve_batch(batch)
        for (_, _, arguments), decision in zip(batch, decisions, strict=True):
            self._decided(began, arguments, decision)
        return decisions

    def commit(self, call_id: str, result: Any = None, failed: bool = False) -> Settled:
        """``Session.commit``; ends the call's span."""
        began = time.time_ns()
        return self._settled(began, call_id, result, self._session.commit(call_id, result, failed))

    async def acommit(self, call_id: str, result: Any = None, failed: bool = False) -> Settled:
        """``Session.acommit``."""
        began = time.time_ns()
        return self._settled(began, call_id, result, await self._session.acommit(call_id, result, failed))

    def release(self, call_id: str) -> None:
        """``Session.release``; ends the call's span."""
        self._session.release(call_id)
        span = self._spans.pop(call_id, None)
        if span is not None:
            span.set_attribute("fsmc.released", True)
            span.end()

    def call(self, tool: str, arguments: Any = None, call_id: str | None = None) -> ToolCall:
        """``Session.call``; inside the block the call's span is the current one."""
        return ToolCall(cast(Session, self._current), tool, arguments, call_id)

    def acall(self, tool: str, arguments: Any = None, call_id: str | None = None) -> AsyncToolCall:
        """``Session.acall``; inside the block the call's span is the current one."""
        return AsyncToolCall(cast(Session, self._current), tool, arguments, call_id)

    def guard_tool(self, function: Any = None, *, tool: str | None = None, refusal: str = "raise") -> Any:
        """``Session.guard_tool``; while the function runs the call's span is the current one."""
        session = cast(Session, self._current)
        if function is None:
            return lambda decorated: guarded(session, decorated, tool, refusal)
        return guarded(session, function, tool, refusal)

    # Moving

    def send(self, event: str, payload: Any = None) -> Step:
        """``Session.send`` in a span."""
        with self._moving("send", event, self._session.table.events) as span:
            return self._stepped(span, self._session.send(event, payload))

    async def asend(self, event: str, payload: Any = None) -> Step:
        """``Session.asend`` in a span."""
        with self._moving("send", event, self._session.table.events) as span:
            return self._stepped(span, await self._session.asend(event, payload))

    def transition_to(self, target: str) -> Step:
        """``Session.transition_to`` in a span."""
        with self._moving("transition_to", target, self._session.table.states) as span:
            return self._stepped(span, self._session.transition_to(target))

    async def atransition_to(self, target: str) -> Step:
        """``Session.atransition_to`` in a span."""
        with self._moving("transition_to", target, self._session.table.states) as span:
            return self._stepped(span, await self._session.atransition_to(target))

    # Telling

    def _decided(self, began: int, arguments: Any, made: Decision) -> Decision:
        tool = self._known_tool(made.tool)
        labels = {**self._label(), "gen_ai.tool.name": tool, "fsmc.code": made.code}
        self._counters.decisions.add(1, {**labels, "fsmc.verdict": made.verdict})
        if not made.allowed:
            self._counters.refusals.add(1, labels)
        self._count_shadowed()
        span = self._tool_span(made.tool, made.call_id, began)
        span.set_attributes({
            "fsmc.state": made.state, "fsmc.verdict": made.verdict, "fsmc.code": made.code,
            "fsmc.shadow": made.shadow, "fsmc.revision": self._session.revision,
        })  # fmt: skip
        if self._content and span.is_recording():
            given = made.arguments if made.allowed else arguments
            span.set_attributes(
                {"gen_ai.tool.call.arguments": _text({} if given is None else given), "fsmc.reason": made.reason}
            )
        if made.allowed and made.call_id:
            self._spans[made.call_id] = span
            return made
        if made.verdict == "deny":  # to be asked for an approval is no failure
            _mark_failed(span, made.code)
        span.end()
        return made

    def _settled(self, began: int, call_id: str, result: Any, made: Settled) -> Settled:
        # A call that was reserved before a restart has no span yet: its result is told at least.
        span = self._spans.pop(call_id, None) or self._tool_span(made.tool, call_id, began)
        span.set_attributes({"fsmc.failed": made.failed, "fsmc.revision": self._session.revision})
        if made.wrote:
            span.set_attribute("fsmc.wrote", made.wrote)
        for step in (made.step, made.fallback):
            if step is not None:
                self._count_move(step)
                span.add_event("fsmc.transition", _step_attributes(step, self._session.table))
        if made.loop is not None:
            self._count_loop(made.loop)
            span.add_event("fsmc.loop", _loop_attributes(made.loop))
        self._count_shadowed()
        if self._content and span.is_recording():
            span.set_attributes({"gen_ai.tool.call.result": _text(result), "fsmc.notes": made.notes})
        if made.failed:
            _mark_failed(span, "tool_error")
        span.end()
        return made

    def _stepped(self, span: trace.Span, made: Step) -> Step:
        self._count_move(made)
        self._count_shadowed()
        span.set_attributes(_step_attributes(made, self._session.table))
        span.set_attribute("fsmc.revision", self._session.revision)
        if self._content and made.reason:
            span.set_attribute("fsmc.reason", made.reason)
        return made

    def _tool_span(self, tool: Any, call_id: str | None, began: int) -> trace.Span:
        attributes = {
            **self._about,
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": str(tool)[:_LONGEST],
            "gen_ai.tool.type": "function",
        }
        if call_id is not None:
            attributes["gen_ai.tool.call.id"] = call_id
        known = self._known_tool(tool)
        name = "execute_tool" if known == _OTHER else f"execute_tool {known}"
        return self._tracer.start_span(name, attributes=attributes, start_time=began)

    def _moving(self, verb: str, name: str, known: Mapping[str, object]) -> Any:
        title = f"fsmc.{verb} {name}" if isinstance(name, str) and name in known else f"fsmc.{verb}"
        return self._tracer.start_as_current_span(title, attributes=self._about)

    def _known_tool(self, tool: Any) -> str:
        return tool if isinstance(tool, str) and tool in self._session.table.tools else _OTHER

    def _label(self) -> Attributes:
        return {"fsmc.policy.id": self._session.table.id}

    def _count_move(self, step: Step) -> None:
        if step.moved:
            labels = {"fsmc.source": step.source, "fsmc.target": step.target, "fsmc.kind": step.kind}
            self._counters.moves.add(1, {**self._label(), **cast(Attributes, labels)})

    def _count_loop(self, loop: Loop) -> None:
        labels = {"fsmc.state": loop.state, "fsmc.mode": loop.mode, "gen_ai.tool.name": loop.tool}
        self._counters.loops.add(1, {**self._label(), **labels})

    def _count_shadowed(self) -> None:
        """What the session counted since the last look: refused calls and the answers of guards in shadow."""
        for key, count in self._session.shadowed.items():
            more = count - self._shadowed.get(key, 0)
            if more > 0:
                self._shadowed[key] = count
                guard = key.removeprefix("guard ")
                label = {"fsmc.code": key} if guard == key else {"fsmc.guard": guard}
                self._counters.shadowed.add(more, {**self._label(), **label})


class _Current:
    """The session behind a block or a guarded function: what runs inside has the call's span as its current one."""

    __slots__ = ("_outer", "_tokens")

    def __init__(self, outer: InstrumentedSession) -> None:
        self._outer = outer
        self._tokens: dict[str, Token[context.Context]] = {}

    @property
    def table(self) -> Table:
        return self._outer._session.table

    def reserve(self, tool: str, arguments: Any, call_id: str | None = None) -> Decision:
        return self._attach(self._outer.reserve(tool, arguments, call_id))

    def _reserve_plainly(self, tool: str, arguments: Any, call_id: str | None = None) -> Decision:
        return self._attach(self._outer._reserve_plainly(tool, arguments, call_id))

    def _refuse(self, tool: str, code: str, reason: str) -> Decision:
        return self._outer._refuse(tool, code, reason)

    async def areserve(self, tool: str, arguments: Any, call_id: str | None = None) -> Decision:
        return self._attach(await self._outer.areserve(tool, arguments, call_id))

    def commit(self, call_id: str, result: Any = None, failed: bool = False) -> Settled:
        self._detach(call_id)
        return self._outer.commit(call_id, result, failed)

    async def acommit(self, call_id: str, result: Any = None, failed: bool = False) -> Settled:
        self._detach(call_id)
        return await self._outer.acommit(call_id, result, failed)

    def release(self, call_id: str) -> None:
        self._detach(call_id)
        self._outer.release(call_id)

    def _attach(self, made: Decision) -> Decision:
        if made.allowed and made.call_id:
            span = self._outer._spans[made.call_id]
            self._tokens[made.call_id] = context.attach(trace.set_span_in_context(span))
        return made

    def _detach(self, call_id: str) -> None:
        token = self._tokens.pop(call_id, None)
        if token is not None:
            context.detach(token)


class _Counters(NamedTuple):
    decisions: metrics.Counter
    refusals: metrics.Counter
    moves: metrics.Counter
    loops: metrics.Counter
    shadowed: metrics.Counter


_made: WeakKeyDictionary[metrics.MeterProvider, _Counters] = WeakKeyDictionary()


def _counters(provider: metrics.MeterProvider) -> _Counters:
    """The counters of a provider, made once: an SDK warns of an instrument that is made twice."""
    found = _made.get(provider)
    if found is None:
        meter = provider.get_meter("fsmc")
        found = _made[provider] = _Counters(
            meter.create_counter("fsmc.decisions", "{decision}", "Decisions about tool calls, by verdict and code"),
            meter.create_counter("fsmc.refusals", "{call}", "Tool calls that were refused, or wait for an approval"),
            meter.create_counter("fsmc.moves", "{move}", "Transitions that were made"),
            meter.create_counter("fsmc.loops", "{loop}", "Tool budgets that were spent"),
            meter.create_counter("fsmc.shadowed", "{decision}", "What shadow mode let through"),
        )
    return found


def _about(table: Table, conversation_id: str | None) -> Attributes:
    attributes = {"fsmc.policy.id": table.id, "fsmc.policy.digest": table.digest}
    if table.version is not None:
        attributes["fsmc.policy.version"] = table.version
    if conversation_id is not None:
        attributes["gen_ai.conversation.id"] = conversation_id
    return attributes


def _step_attributes(step: Step, table: Table) -> Attributes:
    event = step.event if step.event in table.events or not step.event else _OTHER
    found = {
        "fsmc.source": step.source, "fsmc.event": event, "fsmc.target": step.target, "fsmc.kind": step.kind,
        "fsmc.code": step.code,
    }  # fmt: skip
    return {name: value for name, value in found.items() if value}


def _loop_attributes(loop: Loop) -> Attributes:
    return {"fsmc.state": loop.state, "fsmc.mode": loop.mode, "fsmc.made": loop.made, "fsmc.limit": loop.limit}


def _mark_failed(span: trace.Span, kind: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(trace.Status(trace.StatusCode.ERROR, kind))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return canonical_json(thaw(value))
    except Exception:  # an object of the application may raise anything, and a decision never does
        return f"<{type(value).__name__}>"
