"""From what a user names (files, folders, globs, standard input) to what is to be linted, each once, in a stable order."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fsmc.runtime.annotations import NamedTuple
from fsmc.runtime.errors import TableError
from fsmc.source import Document, InputError, MappingNode, parse, read
from fsmc.stored import read_input, read_table_parts, table_parts

if TYPE_CHECKING:
    from fsmc.runtime.table import Table
    from fsmc.runtime.verify import TableParts

SUFFIXES = (".yaml", ".yml", ".toml", ".json")
_SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__"))


class Input(NamedTuple):
    """One input as read: the document of a policy, a compiled table, or the reason why it is neither."""

    path: str
    document: Document | None = None
    table: Table | None = None
    error: str | None = None


def inputs(
    paths: Iterable[str],
    stdin: Callable[[], bytes] | None = None,
    stdin_name: str = "<stdin>",
    policies_only: bool = False,
    excluded: Callable[[str, bool], bool] | None = None,
) -> Iterator[Input]:
    """Everything that *paths* name, in the order given; a folder's files are in order of name.

    Of a folder only policies and compiled tables are taken, without what ``.gitignore`` files name or *excluded* says, given a
    path and whether it is a folder. A file that is named itself is always taken, unless *policies_only* passes over those
    that are neither. ``-`` calls *stdin*, where there is one.
    """
    seen: set[str] = set()
    for path in paths:
        if path == "-" and stdin is not None:
            if path not in seen:
                seen.add(path)
                # What Python makes of bytes in a name that are no UTF-8: a table could not be written with it.
                yield _from_bytes(stdin(), re.sub("[\ud800-\udfff]", "\ufffd", stdin_name))
            continue
        for name in _matches(path):
            if os.path.isdir(name):
                yield from _folder(name, seen, excluded)
            else:
                yield from _file(name, seen, policies_only)


def open_input(path: str) -> Input:
    """The policy or compiled table at *path*."""
    return _table(path, read_table_parts, path) or _policy(path, read, path)


def _from_bytes(data: bytes, name: str) -> Input:
    return _table(name, table_parts, data) or _policy(name, parse, data, name)


def _policy(name: str, reading: Callable[..., Document], *what: Any) -> Input:
    try:
        return Input(name, document=reading(*what))
    except InputError as error:
        return Input(name, error=str(error))


def _table(name: str, reading: Callable[[Any], TableParts | None], what: Any) -> Input | None:
    try:
        parts = reading(what)
        if parts is None:
            return None
        from fsmc.runtime.table import Table  # only a table pays for the import

        return Input(name, table=Table._of(parts))
    except TableError as error:
        return Input(name, error=f"{name}: {error}")


def _matches(path: str) -> list[str]:
    """The files of a glob in order of name; *path* itself where it is none, or exists under that very name."""
    if os.path.lexists(path) or not _is_glob(path):
        return [path]
    return sorted(_expanded(path)) or [path]


def _expanded(pattern: str) -> Iterator[str]:
    """What a glob matches; a name with a leading dot only where the pattern has the dot.

    ``glob.glob`` would go through every link below ``**``, round and round where links lead back. Here ``**`` stands for real
    folders, like a folder that is named itself.
    """
    import fnmatch

    drive, rest = os.path.splitdrive(pattern)
    separators = os.sep + (os.altsep or "")
    parts = [part for part in re.split(f"[{re.escape(separators)}]", rest) if part]
    start = drive + (os.sep if rest[:1] in separators else "")
    seen: set[tuple[str, int]] = set()
    pending = [(start, 0)]
    while pending:
        base, number = pending.pop()
        if (base, number) in seen:
            continue
        seen.add((base, number))
        if number == len(parts):
            if base and (os.path.isdir(base) or rest[-1] not in separators):
                yield base
            continue
        part = parts[number]
        if part == "**":
            pending.append((base, number + 1))
            pending += [(os.path.join(base, name), number) for name in _folders(base)]
            if number + 1 == len(parts):
                pending += [(os.path.join(base, name), len(parts)) for name in _names(base)]
        elif _is_glob(part):
            names = [name for name in _names(base, part[0] == ".") if fnmatch.fnmatch(name, part)]
            pending += [(os.path.join(base, name), number + 1) for name in names]
        elif os.path.lexists(os.path.join(base, part)):
            pending.append((os.path.join(base, part), number + 1))


def _is_glob(text: str) -> bool:
    return any(character in text for character in "*?[")


def _names(folder: str, hidden: bool = False) -> list[str]:
    try:
        return [name for name in os.listdir(folder or os.curdir) if hidden or name[0] != "."]
    except (OSError, ValueError):
        return []


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder or os.curdir) as entries:
            return [e.name for e in entries if e.name[0] != "." and e.is_dir(follow_symlinks=False)]
    except (OSError, ValueError):
        return []


def _identity(path: str) -> str:
    try:
        return os.path.normcase(os.path.realpath(path))
    except ValueError:  # a name that no file system takes; reading it will say so
        return path


def _file(path: str, seen: set[str], policies_only: bool) -> Iterator[Input]:
    identity = _identity(path)
    if identity not in seen:
        seen.add(identity)
        found = _member(path) if policies_only else open_input(path)
        if found is not None:
            yield found


def _folder(folder: str, seen: set[str], excluded: Callable[[str, bool], bool] | None) -> Iterator[Input]:
    from fsmc.gitignore import Ignored

    denied: list[OSError] = []
    empty = True
    left_out = 0
    ignored = Ignored(folder)

    def wanted(path: str, is_folder: bool) -> bool:
        nonlocal left_out
        out = ignored.leaves_out(path, is_folder) or (excluded is not None and excluded(path, is_folder))
        left_out += out
        return not out

    for parent, folders, files in os.walk(folder, onerror=denied.append):
        ignored.enter(parent, files)
        shown = sorted(name for name in folders if name[0] != "." and name not in _SKIPPED_FOLDERS)
        folders[:] = [name for name in shown if wanted(os.path.join(parent, name), True)]
        for name in sorted(files):
            path = os.path.join(parent, name)
            if not name.lower().endswith(SUFFIXES) or not os.path.isfile(path) or not wanted(path, False):
                continue
            identity = _identity(path)
            found = None if identity in seen else _member(path)
            if found is not None:
                seen.add(identity)
                yield found
            empty = empty and identity not in seen
    for error in denied:
        yield Input(str(error.filename), error=f"{error.filename} cannot be read: {error.strerror}")
    if empty and not denied:
        kinds = ", ".join(SUFFIXES)
        but = "; what .gitignore and `exclude` leave out is not looked at" if left_out else ""
        yield Input(folder, error=f"{folder} holds no policy: no {kinds} file with a top-level `fsmc` key{but}")


def _member(path: str) -> Input | None:
    """The file of a folder, if it is a policy or a table, or cannot be read and so may be one."""
    try:
        with open(path, "rb") as file:
            if b"fsmc" not in read_input(file):
                return None
    except OSError:
        pass
    found = open_input(path)
    document = found.document
    if document is None or (isinstance(document.root, MappingNode) and "fsmc" in document.root):
        return found
    if document.root is None:
        from fsmc.policy.foreign import looks_like_policy

        return found if looks_like_policy(document.text) else None
    return None
