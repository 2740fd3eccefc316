"""What the ``.gitignore`` files of a folder, its parents up to the root of the repository, and the folders below it leave out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fsmc.stored import read_at_most

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"
_MAX_BYTES = 1024 * 1024


class Ignored:
    """Asked about everything that a walk meets, from *top* down. What a folder that is left out holds is not asked about.

    Outside a repository only the files from *top* down count. Where *top* itself is left out, whoever named it wants it
    nevertheless, and what its parents say does not count.
    """

    def __init__(self, top: str) -> None:
        self._specs: dict[str, GitIgnoreSpec] = {}
        top = os.path.abspath(top)
        above = _parents_in_repository(top)
        self._first = above[0] if above else top
        for folder in above:
            self._read(folder)
        if above and self.leaves_out(top, True):
            self._first = top
            self._specs.clear()

    def enter(self, folder: str, names: list[str]) -> None:
        """A walk comes to *folder*, which holds files of these *names*."""
        if NAME in names:
            self._read(os.path.abspath(folder))

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        """Whether *path* is left out: the nearest file that says something about it decides, and in it the last line."""
        if not self._specs:
            return False
        path = os.path.abspath(path)
        folder = os.path.dirname(path)
        while True:
            spec = self._specs.get(folder)
            if spec is not None:
                from fsmc.globs import relative, says

                said = says(spec, relative(path, folder) + ("/" if is_folder else ""))
                if said is not None:
                    return said
            if folder == self._first or folder == os.path.dirname(folder):
                return False
            folder = os.path.dirname(folder)

    def _read(self, folder: str) -> None:
        if folder in self._specs:
            return
        try:
            with open(os.path.join(folder, NAME), "rb") as file:
                text = read_at_most(file, _MAX_BYTES).decode("utf-8", "surrogateescape")
        except OSError:  # git says so, and goes on
            return
        from fsmc.globs import patterns

        self._specs[folder] = patterns(text.splitlines())


def _parents_in_repository(top: str) -> list[str]:
    """The folders above *top* from the root of its repository down; none where it is the root, or in no repository."""
    found: list[str] = []
    folder = top
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        found.insert(0, parent)
        folder = parent
    return found
