"""``fsmc config``"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from fsmc.cli.files import write_text
from fsmc.cli.options import PATH, format_option, subcommand
from fsmc.cli.scope import settings_options, wanted_scope
from fsmc.report.style import printable
from fsmc.settings.model import KEYS, Entry, Settings
from fsmc.source import InputError


@subcommand("config", "Show what is set for a policy, and where.")
@click.argument("path", metavar="[PATH]", default=".", type=PATH)
@format_option(("text", "json"))
@settings_options
def command(path: str, format_: str, **settings: Any) -> int:
    """Show each setting that counts for a policy or a folder, and where it comes from: the default, a file and a line, an option."""
    from fsmc.settings.judge import in_force

    if not os.path.lexists(path):
        raise InputError(f"{path} does not exist")
    scope = wanted_scope(settings)
    found = scope.settings(os.path.join(path, "policy.yaml") if os.path.isdir(path) else path) or Settings()
    entries = in_force(found, scope.entries)
    write_text(_json(found, entries) if format_ == "json" else _text(path, found, entries))
    return 0


def _json(settings: Settings, entries: Sequence[Entry]) -> str:
    import json

    rows = [{"key": entry.key, "about": entry.about, "value": entry.value, "origin": entry.origin} for entry in entries]
    return json.dumps({"file": settings.file, "settings": rows}, indent=2) + "\n"


def _text(path: str, settings: Settings, entries: Sequence[Entry]) -> str:
    source = f"from {settings.file}" if settings.file is not None else "no file of settings"
    rows = [(entry.key, _value(entry), entry.origin) for key in KEYS for entry in _or_none(key, entries)]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"{key:{widths[0]}}  {value:{widths[1]}}  {origin}" for key, value, origin in rows]
    return "\n".join([printable(f"{path}: {source}"), *map(printable, lines), ""])


def _or_none(key: str, entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.key == key] or [Entry(key, "none")]


def _value(entry: Entry) -> str:
    return entry.value if entry.about is None else f"{entry.about} = {entry.value}"
