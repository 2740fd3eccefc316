"""What of the findings of a run is reported, file by file, as settings and options say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fsmc.findings import Finding
from fsmc.settings.lookup import Lookup

if TYPE_CHECKING:
    from fsmc.settings.judge import Judge
    from fsmc.settings.model import Entry, Settings


class Scope:
    """Asked about every file of a run. Where nobody set anything, it costs a look into a dictionary.

    *entries* are the values that the command line gives; they win over those of files. *config* is the one file to take
    settings from, instead of the nearest; *isolated* takes them from none. Raises ``SettingsError``.
    """

    def __init__(self, entries: Sequence[Entry] = (), config: str | None = None, isolated: bool = False) -> None:
        self.entries = entries
        self._isolated = isolated
        self._baseline = next((entry.value for entry in entries if entry.key == "baseline"), None)
        self._lookup = Lookup()
        self._judges: dict[str, Judge | None] = {}
        self._by_settings: dict[str, Judge] = {}
        self._stubborn: set[str] = set()
        self._given: Settings | None = None
        if config is not None:
            from fsmc.settings.reading import read_settings

            self._given = read_settings(config, required=True)

    def settings(self, path: str) -> Settings | None:
        """What a file says about *path*; None where none does. Raises ``SettingsError``."""
        if self._isolated or self._given is not None:
            return self._given
        return self._lookup.of(os.path.dirname(_absolute(path)))

    def judge(self, path: str) -> Judge | None:
        """What counts for *path*; None where nothing was set. Raises ``SettingsError``."""
        folder = os.path.dirname(path)
        if folder not in self._judges:
            self._judges[folder] = self._made(self.settings(path))
        return self._judges[folder]

    def excluded(self, path: str, is_folder: bool) -> bool:
        """Whether a walk through a folder passes *path* over."""
        judge = self.judge(path)
        return judge is not None and judge.excludes(_absolute(path), is_folder)

    def reported(self, path: str, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Those of the *findings* of a file that were not ruled out, at the levels that were set."""
        judge = self.judge(path)
        return findings if judge is None else judge.reported(_absolute(path), findings, self._stubborn)

    def baseline(self, path: str) -> str | None:
        """The baseline for *path*."""
        judge = self.judge(path)
        return self._baseline or (None if judge is None else judge.baseline)

    def fail_on(self, path: str) -> str:
        """The lowest level of a finding in *path* that counts as a failure."""
        judge = self.judge(path)
        return "warning" if judge is None else judge.fail_on

    def stubborn(self) -> list[str]:
        """The codes that were ruled out or lowered, and are reported nevertheless."""
        return sorted(self._stubborn)

    def mark_stubborn(self, findings: Iterable[Finding]) -> None:
        """Note that *findings* were to be hidden in another way."""
        self._stubborn.update(finding.code for finding in findings)

    def _made(self, settings: Settings | None) -> Judge | None:
        if settings is None and not self.entries:
            return None
        key = "" if settings is None else settings.file or ""
        if key not in self._by_settings:
            from fsmc.settings.judge import Judge
            from fsmc.settings.model import Settings

            self._by_settings[key] = Judge(settings or Settings(), self.entries)
        return self._by_settings[key]


def _absolute(path: str) -> str:
    try:
        return os.path.abspath(path)
    except (OSError, ValueError):
        return path
