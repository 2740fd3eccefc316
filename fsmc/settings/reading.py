"""From a file to settings. Whatever it says that means nothing is an error with its place: a typing error would hide findings."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import NoReturn

from fsmc.findings import FAIL_ON, LEVELS
from fsmc.policy.wording import kind
from fsmc.settings.model import KEYS, Entry, Settings, SettingsError
from fsmc.settings.selectors import selector, unknown
from fsmc.source import Document, MappingNode, Place, SequenceNode, Value, parse
from fsmc.source.reading import MAX_BYTES, printable
from fsmc.spelling import did_you_mean
from fsmc.stored import read_at_most

PROJECT = "pyproject.toml"
# Without one of these a project file has no [tool.fsmc], and need not be parsed.
_MENTIONED = re.compile(
    rb"""\btool["']?\s*\.\s*["']?fsmc|^\s*\[\s*["']?tool["']?\s*\]|^\s*["']?tool["']?\s*=""", re.MULTILINE
)
_SELECTORS = ("select", "ignore", "extend-select")


def read_settings(path: str, required: bool = False) -> Settings | None:
    """The settings in the file at *path*; None for a ``pyproject.toml`` without any, and for a policy of that name.

    Raises ``SettingsError``, also for those where they are *required*.
    """
    shown = _shown(path)
    project = os.path.basename(path) == PROJECT
    data = _data(path, shown)
    if project and not _MENTIONED.search(data) and not required:
        return None
    document = parse(data, shown, "toml")
    if document.root is None:
        problem = document.problems[0]
        raise _Reader(document).error(problem.place, problem.message)
    found = _Reader(document).settings(project, os.path.dirname(os.path.abspath(path)))
    if found is None and required:
        raise SettingsError(f"{shown} has no [tool.fsmc] table" if project else f"{shown} is a policy, not settings")
    return found


def _shown(path: str) -> str:
    try:
        return os.path.relpath(path)
    except (OSError, ValueError):  # another drive, or the current folder is gone
        return path


def _data(path: str, shown: str) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SettingsError(f"{shown} is not a regular file, and cannot hold settings")
        with open(path, "rb") as file:
            return read_at_most(file, MAX_BYTES + 1)
    except FileNotFoundError:
        raise SettingsError(f"{shown} does not exist") from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}") from None


class _Reader:
    """Reads one file."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def settings(self, project: bool, folder: str) -> Settings | None:
        """What the file says."""
        root = self._document.root
        assert isinstance(root, MappingNode)
        if not project:
            return None if "fsmc" in root else self._top(root, "the settings", "[lint]", folder)
        tools = root.get("tool")
        if not isinstance(tools, MappingNode) or "fsmc" not in tools:
            return None
        return self._top(self._table(tools, "fsmc", "[tool.fsmc]"), "[tool.fsmc]", "[tool.fsmc.lint]", folder)

    def error(self, place: Place, message: str, hint: str | None = None) -> SettingsError:
        """What is wrong at a place."""
        where = f"{self._document.path}:{place.line}:{place.column}"
        return SettingsError(f"{where}: {message}; {hint}" if hint else f"{where}: {message}")

    def _top(self, table: MappingNode, name: str, lint: str, folder: str) -> Settings:
        for key in table:
            if key != "lint":
                hint = f"it belongs in {lint}" if key in KEYS else None
                self._unknown_key(table, key, ("lint",), name, hint)
        if "lint" not in table:
            return Settings((), folder, self._document.path)
        rules = self._table(table, "lint", lint)
        for key in rules:
            if key not in KEYS:
                self._unknown_key(rules, key, KEYS, lint)
        return Settings(tuple(self._entries(rules)), folder, self._document.path)

    def _unknown_key(
        self, table: MappingNode, key: str, known: Iterable[str], name: str, hint: str | None = None
    ) -> NoReturn:
        known = tuple(known)
        hint = hint or did_you_mean(key, known) or "known keys: " + ", ".join(f"`{each}`" for each in known)
        raise self.error(table.key_place(key), f"unknown key `{printable(key)}` in {name}", hint)

    def _entries(self, table: MappingNode) -> Iterator[Entry]:
        for key in table:
            if key in _SELECTORS:
                rules = list(self._rules(table, key, key))
                if key == "select" and not rules:
                    hint = "leave it out to have everything reported"
                    raise self.error(table.value_place(key), "`select` is empty, so nothing would be reported", hint)
                yield from rules
            elif key == "exclude":
                for text, place in self._texts(table, key):
                    self._pattern(text, place)
                    yield Entry(key, text, self._origin(place))
            elif key == "per-file-ignores":
                files = self._table(table, key, f"`{key}`")
                for pattern in files:
                    self._pattern(pattern, files.key_place(pattern))
                    yield from self._rules(files, pattern, key, pattern)
            elif key == "severity":
                levels = self._table(table, key, f"`{key}`")
                for rule in levels:
                    self._selector(rule, levels.key_place(rule))
                    level, place = self._text(levels, rule)
                    yield Entry(key, self._one_of(level, place, LEVELS), self._origin(place), rule)
            else:
                text, place = self._text(table, key)
                if key == "fail-on":
                    self._one_of(text, place, FAIL_ON)
                elif not text:
                    raise self.error(place, f"`{key}` is empty; it names a file")
                yield Entry(key, text, self._origin(place))

    def _rules(self, table: MappingNode, name: str, key: str, about: str | None = None) -> Iterator[Entry]:
        for text, place in self._texts(table, name):
            self._selector(text, place)
            yield Entry(key, text, self._origin(place), about)

    def _origin(self, place: Place) -> str:
        return f"{self._document.path}:{place.line}"

    def _table(self, owner: MappingNode, key: str, name: str) -> MappingNode:
        found = owner[key]
        if isinstance(found, MappingNode):
            return found
        raise self.error(owner.value_place(key), f"{name} must be a table, not {kind(found)}")

    def _text(self, owner: MappingNode, key: str) -> tuple[str, Place]:
        return self._as_text(owner[key], owner.value_place(key), key), owner.value_place(key)

    def _texts(self, owner: MappingNode, key: str) -> Iterator[tuple[str, Place]]:
        found = owner[key]
        if not isinstance(found, SequenceNode):
            raise self.error(owner.value_place(key), f"`{printable(key)}` must be a list of texts, not {kind(found)}")
        for number, item in enumerate(found):
            place = found.value_place(number)
            yield self._as_text(item, place, key, "items of "), place

    def _as_text(self, value: Value, place: Place, key: str, of: str = "") -> str:
        if isinstance(value, str):
            return value
        raise self.error(place, f"{of}`{printable(key)}` must be text, not {kind(value)}")

    def _selector(self, text: str, place: Place) -> None:
        if selector(text) is None:
            raise self.error(place, *unknown(text))

    def _pattern(self, text: str, place: Place) -> None:
        from fsmc.globs import is_pattern

        if not text.strip() or not is_pattern(text):
            raise self.error(place, f"`{printable(text)}` is no pattern of files", "write them as in a .gitignore")

    def _one_of(self, text: str, place: Place, known: tuple[str, ...]) -> str:
        if text in known:
            return text
        hint = did_you_mean(text, known) or "known are " + ", ".join(f"`{each}`" for each in known)
        raise self.error(place, f"`{printable(text)}` is no level", hint)
