"""Patterns of files as ``.gitignore`` writes them: read with pathspec, which only who has such patterns imports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from pathspec import GitIgnoreSpec

# The group of pathspec's expressions that matches the slash behind a folder of which the path is only a part.
_FOLDER = "ps_d"


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """What *lines* say together; one that is no pattern says nothing."""
    return GitIgnoreSpec.from_lines([line for line in lines if is_pattern(line)])


def is_pattern(line: str) -> bool:
    """Whether a line can be read as a pattern."""
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


def takes_in(spec: GitIgnoreSpec, name: str) -> bool:
    """Whether *spec* means the file of that relative name, or a folder it is in."""
    return spec.match_file(name)


def says(spec: GitIgnoreSpec, name: str) -> bool | None:
    """What the last pattern says that means *name* itself, not a folder it is in; a folder's name ends with a slash.

    So git reads it on its way down: it never asks about what a folder holds that is left out.
    """
    for pattern in reversed(list(spec.patterns)):
        found = pattern.match_file(name) if pattern.include is not None else None
        if found is not None and not _of_a_folder(found.match, name):
            return pattern.include
    return None


def relative(path: str, folder: str) -> str:
    """The name of *path* from *folder* on, with forward slashes."""
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _of_a_folder(match: re.Match[str], name: str) -> bool:
    return _FOLDER in match.re.groupindex and -1 < match.end(_FOLDER) < len(name)
