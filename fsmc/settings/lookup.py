"""The settings that are nearest to a policy: those of its folder, or of the first parent that has some."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsmc.settings.model import Settings

NAMES = ("fsmc.toml", "pyproject.toml")  # the first one wins in a folder that has both


class Lookup:
    """Asked for many folders; each is looked at once. A run without settings pays for two calls of ``stat`` a folder."""

    def __init__(self) -> None:
        self._known: dict[str, Settings | None] = {}

    def of(self, folder: str) -> Settings | None:
        """The settings that count in an absolute *folder*. Raises ``SettingsError``."""
        passed: list[str] = []
        while folder not in self._known:
            passed.append(folder)
            found = _in(folder)
            parent = os.path.dirname(folder)
            if found is not None or parent == folder:
                self._known[folder] = found
                break
            folder = parent
        for below in passed:
            self._known[below] = self._known[folder]
        return self._known[folder]


def _in(folder: str) -> Settings | None:
    for name in NAMES:
        path = os.path.join(folder, name)
        if _is_there(path):
            from fsmc.settings.reading import read_settings

            found = read_settings(path)
            if found is not None:
                return found
    return None


def _is_there(path: str) -> bool:
    """Whether there is a file, be it one that cannot be read; a folder of that name is something else."""
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError):
        return False
    except OSError:
        return True
