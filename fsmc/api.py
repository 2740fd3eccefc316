"""The functions of ``import fsmc``: a policy or a table in, a frozen table, findings or a picture out.

Loading a compiled table imports the standard library and ``fsmc.runtime``, nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from fsmc.runtime.annotations import TYPE_CHECKING, Any
from fsmc.runtime.errors import FsmcError
from fsmc.runtime.table import Table
from fsmc.stored import read_table_parts

if TYPE_CHECKING:
    from fsmc.findings import Finding
    from fsmc.simulation import RunReport


class PolicyError(FsmcError):
    """A policy has findings at error level and cannot be compiled; ``findings`` holds all of them, warnings too."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__(self.findings)

    def __str__(self) -> str:
        from fsmc.report.concise import concise

        return "the policy has errors\n" + concise(self.findings).rstrip("\n")


def load(path: str | os.PathLike[str]) -> Table:
    """The frozen table of the policy or compiled table at *path*.

    Raises ``PolicyError`` when the policy has errors, ``TableError`` when a table was damaged or changed, and ``InputError``
    when the file cannot be read.
    """
    _check_path(path, "load")
    parts = read_table_parts(path)
    return Table._of(parts) if parts is not None else compile(path)


def compile(path: str | os.PathLike[str]) -> Table:
    """The frozen table of the policy at *path*. Raises ``PolicyError`` when it has errors."""
    _check_path(path, "compile")
    from fsmc.source import read

    return Table.compiled(table_of(read(path)))


def table_of(document: Any, source_map: bool = False) -> dict[str, Any]:
    """The table of a policy that was read, as JSON data. Raises ``PolicyError`` when it has errors."""
    from fsmc.compiler import compile_policy
    from fsmc.linter import load_policy

    policy, findings = load_policy(document)
    if policy is None or any(finding.level == "error" for finding in findings):
        raise PolicyError(findings)
    return compile_policy(policy, source_map)


def lint(path: str | os.PathLike[str]) -> list[Finding]:
    """What is wrong with the policies at *path*: a file, a folder or a glob. Raises ``InputError`` for unreadable input.

    No settings are read: neither ``fsmc.toml`` nor ``pyproject.toml``, and no baseline. Comments such as ``# fsmc: ignore[CODE]``
    count, and of a folder what ``.gitignore`` files name is left out.
    """
    _check_path(path, "lint")
    from fsmc.linter import lint

    return lint(path)


def render(source: Table | str | os.PathLike[str], format: str = "mermaid", **options: Any) -> str | bytes:
    """A diagram of a table, or of the policy or table at a path, as ``mermaid``, ``dot`` or ``svg`` (text) or ``png`` (bytes)."""
    table = _table(source, "render")
    from fsmc.rendering import render

    return render(table, format, **options)


def simulate(
    source: Table | str | os.PathLike[str], *traces: str | os.PathLike[str], input_format: str = "auto", **options: Any
) -> list[RunReport]:
    """Recorded runs through a table, or the policy or table at a path: one report a run, in order.

    *options* are those of ``fsmc.simulation.simulate``: ``context``, ``guards``, ``approve``. Raises ``TraceError`` for a file
    that is no trace and ``BindingError`` for options that do not fit the policy.
    """
    table = _table(source, "simulate")
    for trace in traces:
        _check_path(trace, "simulate", "a trace")
    from fsmc.simulation import simulate
    from fsmc.trace import read_file

    return [simulate(table, run, **options) for trace in traces for run in read_file(trace, input_format)]


def _table(source: Any, function: str) -> Table:
    if isinstance(source, Table):
        return source
    _check_path(source, function, "a policy or table, or a `fsmc.Table`")
    return load(source)


def _check_path(path: object, function: str, what: str = "a policy or table") -> None:
    """Refuse what is no path in a sentence: a number would be taken for an open file, and data for who knows what."""
    if isinstance(path, (str, bytes, os.PathLike)):
        return
    kind = "`fsmc.Table`" if isinstance(path, Table) else f"{type(path).__name__}"
    hint = "; `fsmc.Table(data)` freezes the data of a compiled table" if isinstance(path, dict) else ""
    raise TypeError(f"fsmc.{function} takes the path of {what}, not a value of type {kind}{hint}")
