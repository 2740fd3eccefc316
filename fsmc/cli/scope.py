"""The options that say what is reported, and what they make of the findings of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from fsmc.cli.files import note
from fsmc.cli.options import PATH, Decorator, option
from fsmc.findings import FAIL_ON, Finding
from fsmc.report import count_text, exit_code
from fsmc.report.style import printable
from fsmc.settings.scope import Scope

if TYPE_CHECKING:
    from fsmc.settings.model import Entry

_SELECTING = ("select", "ignore", "extend_select")


def settings_options(function: Any) -> Any:
    """The options that stand for settings; the command gets their values by name, for ``wanted_scope``."""
    for decorate in reversed(_options()):
        function = decorate(function)
    return function


def _options() -> list[Decorator]:
    rules: dict[str, Any] = {"metavar": "RULES", "multiple": True}
    return [
        option("--config", text="Take the settings of this file, not of the nearest one.", metavar="FILE", type=PATH),
        option("--isolated", text="Take the settings of no file.", is_flag=True),
        option(
            "--select", text="Report these rules only: codes (FSM204), beginnings of codes (FSM2) or names, by comma.", **rules
        ),
        option("--ignore", text="Do not report these rules.", **rules),
        option("--extend-select", text="Report these rules too, though a file ignores them.", **rules),
        option(
            "--fail-on", text="The lowest level of finding that makes the exit code 1; else the settings, or warning.",
            type=click.Choice(FAIL_ON),
        ),
    ]  # fmt: skip


def wanted_scope(given: Mapping[str, Any], baseline: str | None = None) -> Scope:
    """What the values of ``settings_options`` ask for. Raises ``SettingsError``."""
    if given["config"] is not None and given["isolated"]:
        raise click.UsageError("--config names a file of settings, and --isolated reads none; leave one of them out")
    entries = [entry for name in _SELECTING for entry in _rules(name, given[name])]
    entries += [*_one("fail-on", given["fail_on"]), *_one("baseline", baseline)]
    return Scope(entries, given["config"], given["isolated"])


def _one(key: str, value: str | None) -> list[Entry]:
    if value is None:
        return []
    from fsmc.settings.model import Entry

    return [Entry(key, value, f"--{key}")]


def _rules(name: str, texts: Sequence[str]) -> list[Entry]:
    if not texts:
        return []
    from fsmc.settings.model import Entry
    from fsmc.settings.selectors import selector, unknown

    key = name.replace("_", "-")
    rules = [rule.strip() for text in texts for rule in text.split(",") if rule.strip()]
    if not rules:
        raise click.UsageError(f"--{key} names no rule")
    for rule in rules:
        if selector(rule) is None:
            raise click.UsageError(f"--{key}: {'; '.join(unknown(rule))}")
    return [Entry(key, rule, f"--{key}") for rule in rules]


def compared(scope: Scope, findings: list[Finding], paths: Sequence[str], update: bool) -> list[Finding]:
    """*findings* without those that the baselines for *paths* list. With *update* they are written to list all there are.

    Raises ``InputError``.
    """
    files: dict[str, list[str]] = {}
    for path in paths:
        if (baseline := scope.baseline(path)) is not None:
            files.setdefault(baseline, []).append(path)
    if update and not files:
        raise click.UsageError("--update writes a baseline; name one with --baseline FILE, or in the settings")
    if not files:
        return findings
    from fsmc.linter import keeps_from_reading

    left = findings
    for baseline, checked in files.items():
        there = set(checked)
        hidable = [finding for finding in left if finding.path in there and not keeps_from_reading(finding)]
        hidden = _written(baseline, hidable, checked) if update else _hidden(baseline, hidable, checked)
        left = [finding for finding in left if id(finding) not in hidden]
    if update:
        scope.mark_stubborn(finding for finding in left if keeps_from_reading(finding))
    return left


def _hidden(baseline: str, findings: list[Finding], checked: Sequence[str]) -> set[int]:
    """The identities of the findings that a baseline lists."""
    from fsmc.baseline import compare, read_baseline

    new, known, gone = compare(findings, read_baseline(baseline), checked, _folder(baseline))
    said = []
    if known:
        said.append(f"hides {count_text('finding', known)}")
    if gone:
        said.append(
            f"lists {count_text('finding', len(gone))} that no longer occur{'s' * (len(gone) == 1)}; `--update` drops them"
        )
    if said:
        note(f"{_shown(baseline)} {' and '.join(said)}")
    return set(map(id, findings)) - set(map(id, new))


def _written(baseline: str, findings: list[Finding], checked: Sequence[str]) -> set[int]:
    """Writes a baseline that lists *findings*; their identities."""
    from fsmc.baseline import baseline_text, read_baseline, updated
    from fsmc.cli.files import write_result

    before = read_baseline(baseline) if os.path.lexists(baseline) else []
    after = updated(findings, before, checked, _folder(baseline))
    write_result(baseline, baseline_text(after).encode())
    added, dropped = len(set(after) - set(before)), len(set(before) - set(after))
    note(f"{_shown(baseline)} lists {count_text('finding', len(after))}: {added} new, {dropped} dropped")
    return set(map(id, findings))


def _folder(baseline: str) -> str:
    return os.path.dirname(os.path.abspath(baseline))


def _shown(baseline: str) -> str:
    return printable(os.path.relpath(baseline))


def verdict(scope: Scope, findings: Sequence[Finding], unreadable: bool) -> int:
    """The exit code of a run. Says which findings could not be hidden."""
    if codes := scope.stubborn():
        note(
            f"{', '.join(codes)} cannot be hidden or lowered: until that is mended, nothing else in the file is checked"
        )
    by_bound: dict[str, list[Finding]] = {}
    for finding in findings:
        by_bound.setdefault(scope.fail_on(finding.path), []).append(finding)
    return max((exit_code(found, bound) for bound, found in by_bound.items()), default=0) if not unreadable else 2
