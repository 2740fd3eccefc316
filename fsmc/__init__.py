"""Declarative policies for tool calling, compiled into frozen state machines.

>>> import fsmc
>>> table = fsmc.load("policy.yaml")  # or a compiled table
>>> table.step(table.initial, "IDENTIFIED").target

Importing this package imports nothing else; each name below is loaded when it is first used.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fsmc.api import PolicyError, compile, lint, load, render, simulate
    from fsmc.findings import Finding
    from fsmc.rendering.errors import RenderError
    from fsmc.runtime.decision import Decision, Loop, Settled
    from fsmc.runtime.errors import BindingError, CallRefused, FsmcError, SessionError, TableError
    from fsmc.runtime.hooks import Hooks
    from fsmc.runtime.infos import Step
    from fsmc.runtime.session import Session
    from fsmc.runtime.table import Table
    from fsmc.runtime.values import thaw
    from fsmc.simulation import RunReport
    from fsmc.source.errors import InputError
    from fsmc.trace.records import TraceError

__version__ = "0.1.0"

__all__ = [
    "BindingError",
    "CallRefused",
    "Decision",
    "Finding",
    "FsmcError",
    "Hooks",
    "InputError",
    "Loop",
    "PolicyError",
    "RenderError",
    "RunReport",
    "Session",
    "SessionError",
    "Settled",
    "Step",
    "Table",
    "TableError",
    "TraceError",
    "__version__",
    "compile",
    "lint",
    "load",
    "render",
    "simulate",
    "thaw",
]

_HOMES = {
    "BindingError": "fsmc.runtime.errors",
    "CallRefused": "fsmc.runtime.errors",
    "Decision": "fsmc.runtime.decision",
    "Finding": "fsmc.findings",
    "FsmcError": "fsmc.runtime.errors",
    "Hooks": "fsmc.runtime.hooks",
    "InputError": "fsmc.source.errors",
    "Loop": "fsmc.runtime.decision",
    "PolicyError": "fsmc.api",
    "RenderError": "fsmc.rendering.errors",
    "RunReport": "fsmc.simulation",
    "Session": "fsmc.runtime.session",
    "SessionError": "fsmc.runtime.errors",
    "Settled": "fsmc.runtime.decision",
    "Step": "fsmc.runtime.infos",
    "Table": "fsmc.runtime.table",
    "TableError": "fsmc.runtime.errors",
    "TraceError": "fsmc.trace.records",
    "compile": "fsmc.api",
    "lint": "fsmc.api",
    "load": "fsmc.api",
    "render": "fsmc.api",
    "simulate": "fsmc.api",
    "thaw": "fsmc.runtime.values",
}


if not TYPE_CHECKING:  # a type checker that saw this would take every name for granted

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        __import__(home)
        value: object = getattr(sys.modules[home], name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
