"""Settings as data: each value with where it came from."""

from __future__ import annotations

from fsmc.runtime.annotations import NamedTuple
from fsmc.runtime.errors import FsmcError

KEYS = ("select", "ignore", "extend-select", "per-file-ignores", "severity", "fail-on", "exclude", "baseline")
DEFAULT = "default"


class SettingsError(FsmcError):
    """Settings cannot be read, or say something that means nothing."""


class Entry(NamedTuple):
    """One value of one key. *about* is what it is for: the files of an ignored rule, the rule of a level.

    *origin* is ``default``, the name of an option, or a file and a line.
    """

    key: str
    value: str
    origin: str = DEFAULT
    about: str | None = None


DEFAULTS = (Entry("select", "FSM"), Entry("fail-on", "warning"))


class Settings(NamedTuple):
    """What one file says, in its order. Patterns and the baseline are relative to *folder*; *file* is how to call the file."""

    entries: tuple[Entry, ...] = ()
    folder: str = ""
    file: str | None = None

    def of(self, key: str) -> list[Entry]:
        """The values of a key."""
        return [entry for entry in self.entries if entry.key == key]

    def values(self, key: str) -> list[str]:
        """The values of a key, without where they came from."""
        return [entry.value for entry in self.of(key)]
