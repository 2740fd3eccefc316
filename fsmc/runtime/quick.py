"""Answers of a session that need no engine: what the row of its state holds for certain, where nobody watches.

Everything here may be taken away: the engine gives the same answers, a tenth as fast. Each method reads what it needs without
a lock, takes the turn (see ``fsmc.runtime.driver``), looks whether what it read still holds, changes a few counters, and gives the turn back.
Between taking and giving back there is no call, so that no other code runs there.
"""

from __future__ import annotations

from fsmc.runtime.annotations import Any
from fsmc.runtime.core import Core
from fsmc.runtime.decision import NO_ARGUMENTS, Decision, Settled
from fsmc.runtime.driver import Driver
from fsmc.runtime.infos import Step
from fsmc.runtime.machine import Heard

_RESULTS = frozenset((type(None), str, dict, list, int, float, bool))
_new = tuple.__new__


class QuickAnswers:
    """The methods of a session that are called most, and where they go on when there is no quick answer."""

    __slots__ = ("_core", "_driver")

    _core: Core
    _driver: Driver

    def send(self, event: str, payload: Any = None) -> Step:
        """Raise *event* with *payload*. The answer says what happened; only ``moved`` changed anything.

        An event that a tool emits is refused (``reserved``): only that tool's result raises it.
        """
        core = self._core
        if payload is not None or type(event) is not str or not core.quiet:
            return self._send(event, payload)
        # Read before the row: a move or a write that comes between counts it up.
        began = core.revision
        try:
            step, row, asks = core.row.moves[event]
            if asks is None:
                del core.turn
                try:
                    if core.revision == began:
                        core.row = row
                        core.ledger.episode = None
                        core.revision = began + 1
                        return step
                finally:
                    core.turn = True
                return self._send(event, None)
            target, test, guard = asks
            changes = core.ledger.changes
            if guard is not None:
                ask = core.guards[guard]
                try:
                    answer = ask(core.seen)
                except Exception as error:
                    answer = error
                if answer is not True:
                    return self._send(event, None, (guard, answer, began + changes))
            elif test is not None and test(core.known) is not True:
                return self._send(event, None)
            del core.turn
        except Exception:  # nothing certain, or another thread is at work
            return self._send(event, None)
        try:
            if core.revision == began and core.ledger.changes == changes:
                if core.visits is not None:
                    core.visits[target] += 1
                core.row = row
                core.ledger.episode = None
                core.revision = began + 1
                return step
        finally:
            core.turn = True
        return self._send(event, None)

    def check(self, tool: str, arguments: Any = None) -> Decision:
        """Decide about a call without reserving it. Counts nothing."""
        core = self._core
        if core.quiet:
            row = core.row
            try:
                if tool in row.refusals:
                    return row.refusals[tool]
                if arguments is None and tool in row.grants:
                    return row.grants[tool][0]
            except Exception:  # a name that cannot be looked up
                return self._check(tool, arguments)
        return self._check(tool, arguments)

    def reserve(self, tool: str, arguments: Any = None, call_id: str | None = None) -> Decision:
        """Decide about a call and, when it is allowed, put it in flight: it counts against every limit until it is settled.

        *call_id* names the call, or one is made. A refusal is counted and changes nothing else.
        """
        core = self._core
        if call_id is not None or not core.quiet:
            return self._reserve(tool, arguments, call_id)
        row, ledger = core.row, core.ledger
        call: Any = None
        refusal, name, state = None, "", ""
        try:
            if tool in row.refusals:
                refusal = row.refusals[tool]
            elif arguments is None:
                _, call, name, state = row.grants[tool]
            else:
                return self._reserve(tool, arguments, None)
            del core.turn
        except Exception:  # nothing certain, or another thread is at work
            return self._reserve(tool, arguments, None)
        try:
            current = core.row is row
            if current:
                if refusal is not None:
                    ledger.refusals += 1
                else:
                    number = core.next_id
                    call_id = f"call-{number}"
                    current = call_id not in ledger.in_flight
                    if current:
                        core.next_id = number + 1
                        ledger.in_flight[call_id] = call
                        ledger.changes += 1
        finally:
            core.turn = True
        if not current:
            return self._reserve(tool, arguments, None)
        if refusal is not None:
            return refusal
        return _new(Decision, ("allow", "ok", "", name, state, (), "", call_id, NO_ARGUMENTS, False))

    def commit(self, call_id: str, result: Any = None, failed: bool = False) -> Settled:
        """Settle a call with its result, which may write facts, raise an event and move the machine.

        *failed* is the tool's own error flag; ``failed_when`` of the tool is asked too. Raises ``SessionError`` when the call
        is not in flight.
        """
        core = self._core
        if failed is not False or not core.quiet or type(result) not in _RESULTS:
            return self._commit(call_id, result, failed)
        ledger = core.ledger
        try:
            call = ledger.in_flight[call_id]
            settled = call.certain
            if settled is None:
                return self._commit(call_id, result, failed)
            name = call.tool.name
            del core.turn
        except Exception:  # no such call, or another thread is at work
            return self._commit(call_id, result, failed)
        try:
            current = call_id in ledger.in_flight and ledger.in_flight[call_id] is call
            if current:
                del ledger.in_flight[call_id]
                successes = ledger.successes
                successes[name] = successes[name] + 1 if name in successes else 1
                ledger.changes += 1
        finally:
            core.turn = True
        return settled if current else self._commit(call_id, result, failed)

    # The engine, for everything else

    def _send(self, event: str, payload: Any, heard: Heard | None = None) -> Step:
        raise NotImplementedError

    def _check(self, tool: str, arguments: Any) -> Decision:
        raise NotImplementedError

    def _reserve(self, tool: str, arguments: Any, call_id: str | None) -> Decision:
        raise NotImplementedError

    def _commit(self, call_id: str, result: Any, failed: bool) -> Settled:
        raise NotImplementedError
