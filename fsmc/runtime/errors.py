"""What the runtime raises. A decision about a call or an event is never an exception; these are for misuse and bad files."""

from __future__ import annotations

from fsmc.runtime.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from fsmc.runtime.decision import Decision


class FsmcError(Exception):
    """Base of every error that fsmc raises on purpose."""


class TableError(FsmcError):
    """A compiled table cannot be used: not a table, of an unknown format, or its digest does not match its content."""


class BindingError(FsmcError):
    """A session cannot start: a guard is not bound, an unknown one is, or a schema has nothing to validate it."""


class SessionError(FsmcError):
    """A session was used against its contract: an unknown call id, a call settled twice, a snapshot of another policy."""


class CallRefused(FsmcError):
    """A guarded tool or a ``with session.call(...)`` block was refused; ``decision`` says why."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.reason)
        self.decision = decision


class EvaluationError(Exception):
    """An expression has no value for these facts; ``reason`` is a short sentence that says why. It stays within the runtime."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
