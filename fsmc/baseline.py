"""A baseline: the findings that a project has decided to live with for now, known by where they are in the structure of a policy.

    {"format": "fsmc-baseline/1", "findings": [{"path": ..., "code": ..., "where": [...], "fingerprint": ...}, ...]}

One finding a line, sorted, so that two branches seldom touch the same line. Only the fingerprint counts; the rest is for
people. Paths are relative to the folder of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from fsmc.findings import Finding
from fsmc.fingerprint import fingerprints
from fsmc.portable import portable_text
from fsmc.runtime.annotations import NamedTuple
from fsmc.source.errors import InputError
from fsmc.stored import read_at_most

FORMAT = "fsmc-baseline/1"
_MAX_BYTES = 64 * 1024 * 1024


class Row(NamedTuple):
    """One finding that a baseline lists."""

    path: str
    code: str
    where: tuple[str, ...]
    fingerprint: str


class Comparison(NamedTuple):
    """Findings against a baseline: those that it does not list, how many it does, and its rows that no longer occur."""

    new: list[Finding]
    known: int
    gone: list[Row]


def rows(findings: Sequence[Finding], folder: str) -> list[Row]:
    """The row of each of *findings*, which have their names (``linter.with_names``), in a baseline in *folder*."""

    def named(path: str) -> str:
        return relative_path(path, folder)

    return [
        Row(named(finding.path), finding.code, tuple(map(portable_text, finding.where)), fingerprint)
        for finding, fingerprint in zip(findings, fingerprints(findings, named), strict=True)
    ]


def relative_path(path: str, folder: str) -> str:
    """*path* as a baseline in *folder* calls it."""
    with suppress(OSError, ValueError):  # another drive, or no path
        path = os.path.relpath(path, folder)
    return portable_text(path.replace(os.sep, "/"))


def compare(findings: Sequence[Finding], listed: Iterable[Row], checked: Iterable[str], folder: str) -> Comparison:
    """*findings* against the rows of a baseline in *folder*. A row of a file that was not *checked* may still occur."""
    known = {row.fingerprint for row in listed}
    found = [row.fingerprint for row in rows(findings, folder)]
    new = [finding for finding, fingerprint in zip(findings, found, strict=True) if fingerprint not in known]
    seen, names = set(found), {relative_path(path, folder) for path in checked}
    gone = [row for row in listed if row.path in names and row.fingerprint not in seen]
    return Comparison(new, len(findings) - len(new), gone)


def updated(findings: Sequence[Finding], listed: Iterable[Row], checked: Iterable[str], folder: str) -> list[Row]:
    """The rows of a baseline that lists *findings*, and keeps what it said of files that are there and were not *checked*."""
    names = {relative_path(path, folder) for path in checked}
    kept = [row for row in listed if row.path not in names and os.path.lexists(os.path.join(folder, row.path))]
    return sorted({*rows(findings, folder), *kept})


def baseline_text(listed: Iterable[Row]) -> str:
    """The text of a baseline; the same rows always give the same bytes."""
    lines = ",\n".join(f"    {json.dumps(row._asdict())}" for row in sorted(set(listed)))
    findings = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{{\n  "format": "{FORMAT}",\n  "findings": {findings}\n}}\n'


def read_baseline(path: str) -> list[Row]:
    """The rows of the baseline at *path*. Raises ``InputError``."""
    try:
        with open(path, "rb") as file:
            data = read_at_most(file, _MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; `--update` writes it") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _MAX_BYTES:
        raise InputError(f"{path} is larger than {_MAX_BYTES // 2**20} MiB, and so no baseline")
    return [Row(row["path"], row["code"], tuple(row["where"]), row["fingerprint"]) for row in _findings(path, data)]


def _findings(path: str, data: bytes) -> list[dict[str, Any]]:
    from fsmc.runtime.schemas import quick_check

    try:
        value = json.loads(data)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: this is not JSON, and so no baseline") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON that can be read, and so no baseline") from None
    version = value.get("format") if isinstance(value, dict) else None
    if version != FORMAT and isinstance(version, str) and version.startswith("fsmc-baseline/"):
        raise InputError(f"{path} is a baseline of another version: this fsmc reads {FORMAT}")
    if not quick_check("baseline-v1")(value):
        raise InputError(f"{path} is not a baseline: it does not match `fsmc schema baseline`")
    found: list[dict[str, Any]] = value["findings"]
    return found
