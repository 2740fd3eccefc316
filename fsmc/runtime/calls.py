"""A tool call as a block: reserved on entry, settled on exit."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

from fsmc.runtime import log
from fsmc.runtime.annotations import TYPE_CHECKING, Any
from fsmc.runtime.decision import Decision, Settled
from fsmc.runtime.errors import CallRefused, SessionError
from fsmc.runtime.values import described

if TYPE_CHECKING:
    from fsmc.runtime.session import Session

_NOTHING: Any = object()


class _Call:
    """What both kinds of block hold."""

    __slots__ = ("_arguments", "_call_id", "_decision", "_released", "_session", "_tool", "result", "settled")

    def __init__(self, session: Session, tool: str, arguments: Any, call_id: str | None) -> None:
        self._session = session
        self._tool = tool
        self._arguments = arguments
        self._call_id = call_id
        self._decision: Decision | None = None
        self._released = False
        self.result: Any = _NOTHING
        self.settled: Settled | None = None

    @property
    def decision(self) -> Decision:
        """The decision that let the call through."""
        if self._decision is None:
            raise SessionError("the call was not entered")
        return self._decision

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments as they were checked: call the tool with these."""
        return self.decision.arguments

    def release(self) -> None:
        """Give the call back: it was not made after all."""
        self._released = True

    def _enter(self, decision: Decision) -> None:
        if not decision.allowed:
            raise CallRefused(decision)
        self._decision = decision
        self._released = False
        self.result = _NOTHING
        self.settled = None

    def _outcome(self, error: BaseException | None) -> tuple[str, Any, bool] | None:
        """What to commit, as (call id, result, failed); None when there is nothing, and the call is given back."""
        call_id = self.decision.call_id
        if error is not None and not self._released:
            return call_id, described(error), True
        if self._released or self.result is _NOTHING:
            self._session.release(call_id)
            if not self._released:
                log.given_back(self._session.table.id, self._tool, call_id)
            return None
        return call_id, self.result, False


class ToolCall(_Call):
    """``with session.call(...) as call``: set ``call.result``; after the block ``call.settled`` says what became of it."""

    __slots__ = ()

    def __enter__(self) -> ToolCall:
        self._enter(self._session._reserve_plainly(self._tool, self._arguments, self._call_id))
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        outcome = self._outcome(error)
        if outcome is not None:
            self.settled = self._session.commit(*outcome)


class AsyncToolCall(_Call):
    """``async with session.acall(...) as call``."""

    __slots__ = ()

    async def __aenter__(self) -> AsyncToolCall:
        self._enter(await self._session.areserve(self._tool, self._arguments, self._call_id))
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        outcome = self._outcome(error)
        if outcome is not None:
            self.settled = await self._session.acommit(*outcome)
