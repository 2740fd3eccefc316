"""Policies that several traps share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fsmc import Session, Settled
from tests.support import table

Facts = Mapping[str, Any]

CLINIC = """
    fsmc: 1
    id: clinic
    initial: TRIAGE
    topology: cyclic
    long_running: true
    context: {type: object, properties: {role: {type: string}, total: {type: integer}}}
    tools:
      classify: {effect: read, emits: [{event: CLASSIFIED}]}
      find_slot: {effect: read}
      book: {max_calls: 1, emits: [{event: BOOKED}], on_failure: LOST}
      call_human: {}
    states:
      TRIAGE:
        tools: [classify]
        tool_budget: {limit: 3, fallback: HELP}
        transitions: [{event: CLASSIFIED, target: BOOKING}]
      BOOKING:
        tools: [find_slot, book]
        tool_budget: {limit: 3, fallback: HELP}
        transitions:
          - {event: BOOKED, target: DONE}
          - {event: LOST, target: HELP}
          - {event: AGAIN, target: BOOKING}
          - {event: BACK, target: TRIAGE}
      HELP:
        tools: [call_human]
        tool_budget: {limit: 3}
        transitions: [{event: RECOVERED, target: BOOKING}]
      DONE: {type: terminal}
"""

GUARDED = """
    fsmc: 1
    id: guarded
    initial: A
    topology: cyclic
    long_running: true
    guards: {bank: {external: true}}
    tools:
      look: {effect: read}
      pay: {when: bank}
    states:
      A:
        tools: [look, pay]
        tool_budget: {limit: 1, fallback: C}
        transitions: [{event: GO, target: B, guard: bank}, {event: LEAVE, target: C}]
      B: {transitions: [{event: BACK, target: A}]}
      C: {transitions: [{event: BACK, target: A}, {event: END, target: Z}]}
      Z: {type: terminal}
"""

clinic_table = table(CLINIC)
guarded_table = table(GUARDED)


def clinic(**options: Any) -> Session:
    return clinic_table.session(**options)


def booking(**options: Any) -> Session:
    """A conversation that is ready to book."""
    session = clinic(**options)
    made(session, "classify")
    return session


def guarded(bank: Callable[[Facts], object], **options: Any) -> Session:
    return guarded_table.session({}, {"bank": bank}, **options)


def made(session: Session, tool: str, arguments: Any = None, result: Any = "ok") -> Settled:
    """A call that must be allowed, with its result."""
    decision = session.reserve(tool, arguments)
    assert decision.allowed and decision.call_id is not None, decision
    return session.commit(decision.call_id, result)


class Held:
    """An asynchronous guard that is pending until it is told."""

    def __init__(self) -> None:
        self.asked: list[asyncio.Future[bool]] = []

    async def __call__(self, facts: Facts) -> bool:
        self.asked.append(asyncio.get_running_loop().create_future())
        return await self.asked[-1]

    async def started(self, call: Awaitable[Any]) -> asyncio.Future[Any]:
        """*call* as a task that has come to ask this guard."""
        already = len(self.asked)
        task = asyncio.ensure_future(call)
        while len(self.asked) == already:
            await asyncio.sleep(0)
        return task
