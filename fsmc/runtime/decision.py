"""What a session answers: decisions about calls and what became of settled ones."""

from __future__ import annotations

from collections.abc import Mapping

from fsmc.runtime.annotations import Any, NamedTuple
from fsmc.runtime.infos import Step
from fsmc.runtime.values import View

NO_ARGUMENTS: Mapping[str, Any] = View({})


class Decision(NamedTuple):
    """The answer to "may this call be made now?". Nothing but ``allow`` permits the call.

    ``verdict`` is ``allow``, ``deny`` or ``ask`` (a person must approve these exact arguments). ``code`` is stable:
    ``ok``, ``unknown_tool``, ``not_in_state``, ``session_ended``, ``condition_false``, ``invalid_arguments``,
    ``requirement_failed``, ``max_calls``, ``parallel_calls``, ``budget_exhausted``, ``repeated_call``, ``approval_required``, ``duplicate_call_id``,
    ``invalid_call_id``, ``needs_async``, ``stale``, ``internal_error``.
    ``reason`` is a sentence the model can act on, ``unlock`` says what would make the call possible, ``allowed_tools`` are the
    tools that could be called instead (empty on ``allow``). ``call_id`` is that of a reserved call, or the one given with a
    refused one, or empty. Of a reserved call ``arguments`` holds the checked copy to call the tool with; else it is empty. ``shadow`` says that the call goes through although the policy refuses it.
    """

    verdict: str
    code: str
    reason: str
    tool: str
    state: str
    allowed_tools: tuple[str, ...] = ()
    unlock: str = ""
    call_id: str = ""
    arguments: Mapping[str, Any] = NO_ARGUMENTS
    shadow: bool = False

    def __bool__(self) -> bool:
        """``if session.reserve(...):`` means what it says: only ``allow`` is true."""
        return self.verdict == "allow"

    @property
    def allowed(self) -> bool:
        """Whether the call may be made."""
        return self.verdict == "allow"


class Loop(NamedTuple):
    """A spent tool budget: ``mode`` is ``limit`` or ``repeated``, ``made`` calls were made of ``limit`` allowed."""

    state: str
    mode: str
    tool: str
    made: int
    limit: int


class Settled(NamedTuple):
    """What became of a committed call.

    ``failed`` says whether it counts as failed. ``event`` is the event that its result raised, ``step`` what that event did.
    ``wrote`` are the context fields that were written. ``loop`` is set when this call spent the budget (once per episode) and
    ``fallback`` is the move that followed. ``notes`` are remarks: an event that moved nothing, a condition with an error.
    """

    tool: str
    failed: bool
    event: str | None = None
    step: Step | None = None
    wrote: tuple[str, ...] = ()
    loop: Loop | None = None
    fallback: Step | None = None
    notes: tuple[str, ...] = ()
