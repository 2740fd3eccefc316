"""The neutral records of a run. ``at`` says where a record was read: ``line 3``, ``message 7``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from fsmc.runtime.errors import FsmcError


class TraceError(FsmcError):
    """A trace file cannot be read at all. ``name`` is the file."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


class Call(NamedTuple):
    """The model called a tool. ``arguments`` is what it gave, decoded where it was text."""

    at: str
    id: str
    tool: str
    arguments: Any


class Result(NamedTuple):
    """What a call returned; ``failed`` is the tool's own error flag."""

    at: str
    id: str
    value: Any
    failed: bool


class Release(NamedTuple):
    """A call that was allowed was not made after all."""

    at: str
    id: str


class Event(NamedTuple):
    """The application sent an event."""

    at: str
    name: str
    payload: Any


class Goto(NamedTuple):
    """The application asked for a state by name."""

    at: str
    state: str


class ContextChange(NamedTuple):
    """The application wrote facts."""

    at: str
    changes: Mapping[str, Any]


class GuardOutcomes(NamedTuple):
    """What the external guards answer from here on."""

    at: str
    outcomes: Mapping[str, bool]


class Approval(NamedTuple):
    """A person approved exactly this call."""

    at: str
    tool: str
    arguments: Any


class Flaw(NamedTuple):
    """Something in the file that cannot be used; the rest still is.

    ``code`` is ``broken_record``, ``broken_arguments`` or ``orphan_result``.
    """

    at: str
    code: str
    message: str


Record = Call | Result | Release | Event | Goto | ContextChange | GuardOutcomes | Approval | Flaw


class Run(NamedTuple):
    """One conversation. ``context`` are the facts at its start; ``digest`` the table it was made under, where known."""

    name: str
    records: tuple[Record, ...]
    context: Mapping[str, Any] = MappingProxyType({})
    digest: str | None = None


def fresh_id(wanted: str, given: Collection[Any]) -> str:
    """An id for a call without one: *wanted*, or one like it that is none of those *given* in the trace."""
    while wanted in given:
        wanted += "'"
    return wanted
