"""Spans and counters, read back from the SDK's own exporters in memory."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import table

pytest.importorskip("opentelemetry.sdk", reason="needs opentelemetry-sdk")

from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from fsmc.runtime.errors import CallRefused, SessionError
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from fsmc.telemetry import instrument

ROOT = Path(__file__).resolve().parents[2]

DESK = """
    fsmc: 1
    id: desk
    version: "7"
    initial: OPEN
    topology: cyclic
    long_running: true
    context: {type: object, properties: {seen: {type: integer}}}
    guards:
      bank: {external: true}
    tools:
      look: {effect: read, emits: [{set: {seen: args.n}}]}
      pay: {approval: true, emits: [{event: PAID}], on_failure: DECLINED}
      bill: {effect: read, emits: [{event: BILLED}]}
    states:
      OPEN:
        tools: [look, pay]
        tool_budget: {limit: 3, fallback: HELP}
        transitions:
          - {event: PAID, target: DONE}
          - {event: DECLINED, target: HELP}
          - {event: LEAVE, target: HELP}
          - {event: ASK, target: HELP, guard: bank}
      HELP:
        tools: [bill]
        transitions: [{event: BACK, target: OPEN}, {event: BILLED, target: OPEN}]
      DONE: {type: terminal}
"""


class Kept(NamedTuple):
    """What the SDK keeps in memory, and the providers that feed it."""

    spans: InMemorySpanExporter
    metrics: InMemoryMetricReader
    tracers: TracerProvider
    meters: MeterProvider

    def instrument(self, session: Session, **options: Any) -> Session:
        return instrument(session, self.tracers, self.meters, **options)

    def told(self) -> list[ReadableSpan]:
        return list(self.spans.get_finished_spans())

    def last(self) -> dict[str, Any]:
        return dict(self.told()[-1].attributes or {})

    def counts(self) -> dict[tuple[str, ...], int]:
        """(counter, label values in the order of their names) -> count, without the policy's id."""
        data = self.metrics.get_metrics_data()
        found: dict[tuple[str, ...], int] = {}
        if data is None:
            return found
        for metric in data.resource_metrics[0].scope_metrics[0].metrics:
            for point in metric.data.data_points:
                labels = dict(point.attributes or {})
                assert labels.pop("fsmc.policy.id") == "desk"
                found[(metric.name, *(str(labels[name]) for name in sorted(labels)))] = point.value
        return found


@pytest.fixture
def kept() -> Kept:
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    return Kept(spans, reader, tracers, MeterProvider([reader]))


@pytest.fixture(scope="module")
def desk() -> Table:
    return table(DESK)


def yes(facts: Mapping[str, Any]) -> bool:
    return True


def no(facts: Mapping[str, Any]) -> bool:
    return False


@pytest.fixture
def session(desk: Table, kept: Kept) -> Session:
    return kept.instrument(desk.session(guards={"bank": yes}), conversation_id="c-1")


def test_a_call_is_a_span_from_reserve_to_commit(session: Session, kept: Kept, desk: Table) -> None:
    decision = session.reserve("look", {"n": 5})
    assert not kept.told()
    session.commit(decision.call_id or "", "a result")
    (span,) = kept.told()
    assert span.name == "execute_tool look"
    assert span.kind is trace.SpanKind.INTERNAL
    assert span.status.status_code is StatusCode.UNSET
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.conversation.id": "c-1",
        "fsmc.policy.id": "desk",
        "fsmc.policy.version": "7",
        "fsmc.policy.digest": desk.digest,
        "fsmc.state": "OPEN",
        "fsmc.verdict": "allow",
        "fsmc.code": "ok",
        "fsmc.shadow": False,
        "fsmc.failed": False,
        "fsmc.wrote": ("seen",),
        "fsmc.revision": 1,
    }
    assert kept.counts() == {("fsmc.decisions", "ok", "allow", "look"): 1}


def test_the_names_are_those_of_the_conventions(session: Session, kept: Kept) -> None:
    names = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    session.reserve("bill")
    known = {value for name, value in vars(names).items() if name.startswith("GEN_AI_")}
    assert {name for name in kept.last() if name.startswith("gen_ai.")} <= known
    assert names.GenAiOperationNameValues.EXECUTE_TOOL.value == kept.last()["gen_ai.operation.name"]


def test_a_refused_call_is_a_failed_span(session: Session, kept: Kept) -> None:
    assert not session.reserve("bill", {"secret": 1}, "c-9").allowed
    (span,) = kept.told()
    assert span.name == "execute_tool bill"
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "not_in_state")
    found = kept.last()
    assert (found["error.type"], found["fsmc.code"], found["fsmc.verdict"]) == ("not_in_state", "not_in_state", "deny")
    assert kept.counts() == {
        ("fsmc.decisions", "not_in_state", "deny", "bill"): 1,
        ("fsmc.refusals", "not_in_state", "bill"): 1,
    }


def test_a_call_to_be_approved_has_not_failed(session: Session, kept: Kept) -> None:
    assert session.reserve("pay").verdict == "ask"
    (span,) = kept.told()
    assert span.status.status_code is StatusCode.UNSET
    assert kept.last()["fsmc.code"] == "approval_required"
    assert kept.counts()[("fsmc.refusals", "approval_required", "pay")] == 1


def test_names_that_nobody_declared_make_no_series(session: Session, kept: Kept) -> None:
    session.reserve("rm -rf" + "x" * 1000)
    session.send("MADE_UP")
    call, event = kept.told()
    assert call.name == "execute_tool"
    assert len(str((call.attributes or {})["gen_ai.tool.name"])) <= 200
    assert event.name == "fsmc.send"
    assert (event.attributes or {})["fsmc.event"] == "_OTHER"
    assert kept.counts() == {
        ("fsmc.decisions", "unknown_tool", "deny", "_OTHER"): 1,
        ("fsmc.refusals", "unknown_tool", "_OTHER"): 1,
    }


def test_telling_raises_no_more_than_the_session_does(desk: Table, kept: Kept) -> None:
    class Odd:
        def __bool__(self) -> bool:
            raise RuntimeError("ask me not")

    session = kept.instrument(desk.session(guards={"bank": yes}), content=True)
    odd: Any = [Odd()]
    assert not session.reserve(odd, Odd(), odd).allowed
    assert not session.reserve_batch([(odd, odd, Odd())])[0].allowed
    assert not session.send(odd, Odd()).moved
    assert not session.transition_to(odd).moved
    assert [span.name for span in kept.told()] == [
        "execute_tool", "execute_tool", "fsmc.send", "fsmc.transition_to",
    ]  # fmt: skip


def test_a_result_that_moves_is_an_event_of_the_span(session: Session, kept: Kept) -> None:
    session.approve("pay")
    with session.call("pay") as call:
        call.result = {"ok": True}
    (span,) = kept.told()
    (event,) = span.events
    assert event.name == "fsmc.transition"
    assert dict(event.attributes or {}) == {
        "fsmc.source": "OPEN", "fsmc.event": "PAID", "fsmc.target": "DONE", "fsmc.kind": "transition", "fsmc.code": "moved",
    }  # fmt: skip
    assert kept.counts()[("fsmc.moves", "transition", "OPEN", "DONE")] == 1


def test_a_failed_call_says_so(session: Session, kept: Kept) -> None:
    session.approve("pay")
    with pytest.raises(ZeroDivisionError), session.call("pay"):
        raise ZeroDivisionError("the card 1234")
    (span,) = kept.told()
    assert (span.status.status_code, kept.last()["error.type"]) == (StatusCode.ERROR, "tool_error")
    assert "1234" not in span.to_json()


def test_a_released_call_ends_its_span(session: Session, kept: Kept) -> None:
    with session.call("look", {"n": 1}):
        pass
    assert kept.last()["fsmc.released"] is True
    assert kept.told()[0].status.status_code is StatusCode.UNSET
    with pytest.raises(SessionError):
        session.release("call-1")
    assert len(kept.told()) == 1


def test_a_spent_budget_is_counted_and_told_on_the_span(session: Session, kept: Kept) -> None:
    for n in range(3):
        session.commit(session.reserve("look", {"n": n}).call_id or "")
    last = kept.told()[-1]
    assert [event.name for event in last.events] == ["fsmc.transition", "fsmc.loop"]
    assert dict(last.events[1].attributes or {}) == {
        "fsmc.state": "OPEN", "fsmc.mode": "limit", "fsmc.made": 3, "fsmc.limit": 3,
    }  # fmt: skip
    assert kept.counts()[("fsmc.loops", "limit", "OPEN", "look")] == 1
    assert kept.counts()[("fsmc.moves", "fallback", "OPEN", "HELP")] == 1


def test_events_are_spans(session: Session, kept: Kept) -> None:
    assert session.send("LEAVE").moved
    assert not session.send("LEAVE").moved
    assert not session.transition_to("OPEN").moved
    moved, stayed, asked = kept.told()
    assert [moved.name, stayed.name, asked.name] == ["fsmc.send LEAVE", "fsmc.send LEAVE", "fsmc.transition_to OPEN"]
    assert (moved.attributes or {})["fsmc.target"] == "HELP"
    assert (moved.attributes or {})["fsmc.revision"] == 1
    assert (stayed.attributes or {})["fsmc.code"] == "no_transition"
    assert stayed.status.status_code is StatusCode.UNSET
    assert kept.counts() == {("fsmc.moves", "transition", "OPEN", "HELP"): 1}


def test_what_only_reads_leaves_no_trace(session: Session, kept: Kept) -> None:
    assert session.check("look", {"n": 1}).allowed
    assert session.can("LEAVE")
    assert (session.state, session.allowed_tools, session.table.id) == ("OPEN", ("look", "pay"), "desk")
    assert session.snapshot()["state"] == "OPEN"
    assert not kept.told() and not kept.counts()


def test_content_is_recorded_only_when_asked(desk: Table, kept: Kept) -> None:
    for content in (False, True):
        session = kept.instrument(desk.session(guards={"bank": yes}), content=content)
        session.commit(session.reserve("look", {"n": 5}).call_id or "", {"a": [1]})
        session.reserve("bill", {"who": object()})
        session.reserve("bill", {"who": "me"})
        session.send("GONE")
    quiet, loud = kept.told()[:4], kept.told()[4:]
    for span in quiet:
        names = set(span.attributes or {})
        assert not names & {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "fsmc.reason", "fsmc.notes"}
    look, odd, bill, gone = [span.attributes or {} for span in loud]
    assert json.loads(str(look["gen_ai.tool.call.arguments"])) == {"n": 5}
    assert json.loads(str(look["gen_ai.tool.call.result"])) == {"a": [1]}
    assert odd["gen_ai.tool.call.arguments"] == "<dict>"
    assert bill["gen_ai.tool.call.arguments"] == '{"who":"me"}'
    assert bill["fsmc.reason"] == "`bill` is not available in OPEN"
    assert "GONE" in str(gone["fsmc.reason"])


def test_inside_a_block_and_a_guarded_function_the_span_is_current(session: Session, kept: Kept) -> None:
    tracer = kept.tracers.get_tracer("the tool")

    @session.guard_tool
    def look(n: int) -> int:
        with tracer.start_as_current_span("query"):
            return n

    assert look(1) == 1
    with session.call("look", {"n": 2}) as call, tracer.start_as_current_span("query"):
        call.result = 2
    assert trace.get_current_span() is trace.INVALID_SPAN
    first, outer_first, second, outer_second = kept.told()
    for inner, outer in ((first, outer_first), (second, outer_second)):
        assert (inner.name, outer.name) == ("query", "execute_tool look")
        assert inner.parent is not None and outer.context is not None
        assert inner.parent.span_id == outer.context.span_id
    with pytest.raises(CallRefused), session.call("bill"):
        pass
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_asynchronous_calls_are_told_alike(desk: Table, kept: Kept) -> None:
    async def bank(facts: Mapping[str, Any]) -> bool:
        await asyncio.sleep(0)
        return True

    session = kept.instrument(desk.session(guards={"bank": bank}))

    @session.guard_tool
    async def look(n: int) -> str:
        await asyncio.sleep(0)
        with kept.tracers.get_tracer("the tool").start_as_current_span(f"query {n}"):
            return "found"

    async def run() -> None:
        await asyncio.gather(look(1), look(2))
        async with session.acall("look", {"n": 3}) as call:
            call.result = 3
        assert session.state == "HELP"
        await session.asend("BACK")
        await session.asend("ASK")
        await session.atransition_to("OPEN")

    asyncio.run(run())
    spans = {span.context.span_id: span for span in kept.told() if span.context}
    inner = [span for span in spans.values() if span.name.startswith("query")]
    outer = [spans[span.parent.span_id] for span in inner if span.parent]
    assert len({id(span) for span in outer}) == 2 and {span.name for span in outer} == {"execute_tool look"}
    assert [span.name for span in spans.values() if span.name.startswith("fsmc.")] == [
        "fsmc.send BACK", "fsmc.send ASK", "fsmc.transition_to OPEN",
    ]  # fmt: skip


def test_a_batch_is_a_span_each(session: Session, kept: Kept) -> None:
    answers = session.reserve_batch([("a", "look", {"n": 1}), ("b", "bill", None), ("c", "look", {"n": 2})])
    assert [answer.allowed for answer in answers] == [True, False, True]
    session.commit("c")
    session.commit("a")
    assert [(span.attributes or {})["gen_ai.tool.call.id"] for span in kept.told()] == ["b", "c", "a"]


def test_shadow_is_counted_once_each(desk: Table, kept: Kept) -> None:
    before = desk.session(guards={"bank": no}, shadow=True)
    before.reserve("bill")  # what happened before is not told again
    session = kept.instrument(before)
    decision = session.reserve("bill")
    assert decision.allowed and decision.shadow
    session.commit(decision.call_id or "")
    assert kept.last()["fsmc.shadow"] is True
    assert kept.told()[-1].status.status_code is StatusCode.UNSET
    session.send("ASK")
    counts = kept.counts()
    assert counts[("fsmc.shadowed", "not_in_state")] == 1
    assert counts[("fsmc.shadowed", "bank")] == 1
    assert not [key for key in counts if key[0] == "fsmc.refusals"]


def test_a_call_from_before_a_restart_is_told_with_its_result(desk: Table, kept: Kept) -> None:
    first = desk.session(guards={"bank": yes})
    first.reserve("look", {"n": 1}, "old")
    session = kept.instrument(desk.restore(first.snapshot(), guards={"bank": yes}))
    session.commit("old", "late")
    assert kept.told()[0].name == "execute_tool look"
    assert kept.last()["gen_ai.tool.call.id"] == "old"


def test_a_call_that_cannot_be_settled_keeps_its_span(session: Session, kept: Kept) -> None:
    session.reserve("look", {"n": 1})
    with pytest.raises(SessionError):
        session.commit("another")
    assert not kept.told()
    session.commit("call-1")
    assert len(kept.told()) == 1


def test_counters_of_a_provider_are_made_once(desk: Table, kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        session = kept.instrument(desk.session(guards={"bank": yes}))
        session.send("LEAVE")
    assert kept.counts() == {("fsmc.moves", "transition", "OPEN", "HELP"): 2}
    assert not [record for record in caplog.records if "opentelemetry" in record.name]


def test_without_an_sdk_nothing_is_recorded_and_nothing_fails(desk: Table) -> None:
    session = instrument(desk.session(guards={"bank": yes}))
    with session.call("look", {"n": 1}) as call:
        call.result = 1
    assert session.send("LEAVE").moved
    assert repr(session).startswith("<instrumented <fsmc.Session of 'desk' in HELP")


WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
try:
    import fsmc.telemetry
except ImportError as error:
    print(error)
"""


def test_without_the_package_the_error_names_the_extra() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "fsmc.telemetry needs the package opentelemetry-api: pip install 'fsmc[otel]'\n"
