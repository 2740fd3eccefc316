"""Declarative policies for tool calling, compiled into frozen state machines.

>>> import fsmc
>>> table = fsmc.load("policy.yaml")  # or a compiled table
>>> table.step(table.initial, "IDENTIFIED").target

Importing this package imports nothing else; each name below is loaded when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fsmc.api import PolicyError, compile, lint, load, render, simulate
    from fsmc.findings import Finding
    from fsmc.runtime.decision import Decision
    from fsmc.runtime.errors import FsmcError, TableError
    from fsmc.runtime.infos import Step
    from fsmc.runtime.session import Session
    from fsmc.runtime.table import Table

__version__ = "0.1.0"

__all__ = [
    "Decision",
    "Finding",
    "FsmcError",
    "PolicyError",
    "Session",
    "Step",
    "Table",
    "TableError",
    "__version__",
    "compile",
    "lint",
    "load",
    "render",
    "simulate",
]

_HOMES = {
    "Decision": "fsmc.runtime.decision",
    "Finding": "fsmc.findings",
    "FsmcError": "fsmc.runtime.errors",
    "PolicyError": "fsmc.api",
    "Session": "fsmc.runtime.session",
    "Step": "fsmc.runtime.infos",
    "Table": "fsmc.runtime.table",
    "TableError": "fsmc.runtime.errors",
    "compile": "fsmc.api",
    "lint": "fsmc.api",
    "load": "fsmc.api",
    "render": "fsmc.api",
    "simulate": "fsmc.api",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
