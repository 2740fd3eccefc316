"""What one file of settings and the command line say together about rules, levels and files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fsmc.findings import Finding
from fsmc.linter import keeps_from_reading
from fsmc.rules import all_rules
from fsmc.settings.model import DEFAULTS, KEYS, Entry, Settings
from fsmc.settings.selectors import closest, levels, selector

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def in_force(settings: Settings, options: Iterable[Entry]) -> list[Entry]:
    """Every value that counts, by key. ``--select`` begins anew; the other options about rules come on top of the file.

    Of a value that there is only one of, that of the command line counts, then that of the file, then the default.
    """
    given = {entry.key for entry in options}
    dropped = {"select", "ignore", "extend-select"} if "select" in given else set()
    dropped |= given & {"fail-on", "baseline"}
    entries = [entry for entry in settings.entries if entry.key not in dropped] + list(options)
    there = {entry.key for entry in entries}
    entries += [entry for entry in DEFAULTS if entry.key not in there]
    return sorted(entries, key=lambda entry: KEYS.index(entry.key))


class Judge:
    """Decides about the findings of every file that the same settings count for."""

    def __init__(self, settings: Settings, options: Sequence[Entry]) -> None:
        self._folder = settings.folder
        entries = in_force(settings, options)
        self.fail_on = next(entry.value for entry in entries if entry.key == "fail-on")
        baseline = next((entry.value for entry in settings.of("baseline")), None)
        self.baseline = None if baseline is None else os.path.join(self._folder, baseline)
        selected = _selected(_selected({rule.code for rule in all_rules()}, settings.entries), options)
        self._off = {rule.code for rule in all_rules()} - selected
        self._levels = levels((entry.about or "", entry.value) for entry in settings.of("severity"))
        self._excluded = _spec(settings.values("exclude"))
        by_pattern: dict[str, set[str]] = {}
        for entry in settings.of("per-file-ignores"):
            found = selector(entry.value)
            by_pattern.setdefault(entry.about or "", set()).update(found.codes if found is not None else ())
        self._per_file = [(_spec([pattern]), codes) for pattern, codes in by_pattern.items()]

    def excludes(self, path: str, is_folder: bool) -> bool:
        """Whether a walk passes over an absolute *path*."""
        if self._excluded is None:
            return False
        from fsmc.globs import relative, says

        return says(self._excluded, relative(path, self._folder) + ("/" if is_folder else "")) is True

    def reported(self, path: str, findings: Sequence[Finding], stubborn: set[str]) -> Sequence[Finding]:
        """What is left of *findings* in an absolute *path*; the codes of those that had to stay as they are go to *stubborn*."""
        off = self._off | self._ignored_in(path)
        left = []
        for finding in findings:
            level = self._levels.get(finding.code, finding.level)
            if finding.code not in off and level == finding.level:
                left.append(finding)
            elif keeps_from_reading(finding):
                stubborn.add(finding.code)
                left.append(finding)
            elif finding.code not in off:
                left.append(finding._replace(level=level))
        return left

    def _ignored_in(self, path: str) -> set[str]:
        if not self._per_file:
            return set()
        from fsmc.globs import relative, takes_in

        name = relative(path, self._folder)
        return {code for spec, codes in self._per_file if spec is not None and takes_in(spec, name) for code in codes}


def _selected(before: set[str], entries: Iterable[Entry]) -> set[str]:
    """The codes that are on when *entries* come on top of *before*: whoever means a rule more closely decides."""
    values: dict[str, list[str]] = {"select": [], "extend-select": [], "ignore": []}
    for entry in entries:
        if entry.key in values:
            values[entry.key].append(entry.value)
    selecting = any(entry.key == "select" for entry in entries)
    chosen = set()
    for rule in all_rules():
        on = closest(values["select"] + values["extend-select"], rule.code)
        off = closest(values["ignore"], rule.code)
        if on > off or (on == off == -1 and not selecting and rule.code in before):
            chosen.add(rule.code)
    return chosen


def _spec(lines: list[str]) -> GitIgnoreSpec | None:
    if not lines:
        return None
    from fsmc.globs import patterns

    return patterns(lines)
