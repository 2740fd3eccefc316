"""From what a user names (files, folders, globs, standard input) to what is to be linted, each once, in a stable order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from fsmc.runtime.errors import FsmcError, TableError
from fsmc.source import Document, MappingNode, SourceError, parse, read
from fsmc.stored import read_table_data, table_data

if TYPE_CHECKING:
    from fsmc.runtime.table import Table

SUFFIXES = (".yaml", ".yml", ".toml", ".json")
_SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__"))


class InputError(FsmcError):
    """An input cannot be read, or names nothing."""


class Input(NamedTuple):
    """One input as read: the document of a policy, a compiled table, or the reason why it is neither."""

    path: str
    document: Document | None = None
    table: Table | None = None
    error: str | None = None


def inputs(
    paths: Iterable[str], stdin: Callable[[], bytes] | None = None, stdin_name: str = "<stdin>"
) -> Iterator[Input]:
    """Everything that *paths* name, in the order given; a folder's files are in order of name.

    Of a folder only policies and compiled tables are taken; a file that is named itself is always taken. ``-`` calls *stdin*,
    where there is one.
    """
    seen: set[str] = set()
    for path in paths:
        if path == "-" and stdin is not None:
            if path not in seen:
                seen.add(path)
                yield _from_bytes(stdin(), stdin_name)
            continue
        for name in _matches(path):
            yield from _folder(name, seen) if os.path.isdir(name) else _file(name, seen)


def open_input(path: str) -> Input:
    """The policy or compiled table at *path*."""
    data = read_table_data(path)
    if data is not None:
        return _with_table(path, data)
    try:
        return Input(path, document=read(path))
    except SourceError as error:
        return Input(path, error=str(error))


def _from_bytes(data: bytes, name: str) -> Input:
    table = table_data(data)
    if table is not None:
        return _with_table(name, table)
    try:
        return Input(name, document=parse(data, name))
    except SourceError as error:
        return Input(name, error=str(error))


def _with_table(path: str, data: dict[str, object]) -> Input:
    from fsmc.runtime.table import Table  # only a table pays for the import

    try:
        return Input(path, table=Table(data))
    except TableError as error:
        return Input(path, error=f"{path}: {error}")


def _matches(path: str) -> list[str]:
    """The files of a glob in order of name; *path* itself where it is none, or exists under that very name."""
    if os.path.lexists(path) or not any(character in path for character in "*?["):
        return [path]
    import glob

    return sorted(glob.glob(path, recursive=True)) or [path]


def _identity(path: str) -> str:
    try:
        return os.path.normcase(os.path.realpath(path))
    except ValueError:  # a name that no file system takes; reading it will say so
        return path


def _file(path: str, seen: set[str]) -> Iterator[Input]:
    identity = _identity(path)
    if identity not in seen:
        seen.add(identity)
        yield open_input(path)


def _folder(folder: str, seen: set[str]) -> Iterator[Input]:
    denied: list[OSError] = []
    empty = True
    for parent, folders, files in os.walk(folder, onerror=denied.append):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _SKIPPED_FOLDERS)
        for name in sorted(files):
            path = os.path.join(parent, name)
            if not name.lower().endswith(SUFFIXES) or not os.path.isfile(path):
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
        yield Input(folder, error=f"{folder} holds no policy: no {kinds} file with a top-level `fsmc` key")


def _member(path: str) -> Input | None:
    """The file of a folder, if it is a policy or a table, or cannot be read and so may be one."""
    try:
        with open(path, "rb") as file:
            if b"fsmc" not in file.read():
                return None
    except OSError:
        pass
    found = open_input(path)
    document = found.document
    if document is None or (isinstance(document.root, MappingNode) and "fsmc" in document.root):
        return found
    if document.root is None and _looks_like_policy(document.text):
        return found
    return None


def _looks_like_policy(text: str) -> bool:
    """Whether a file that cannot be parsed was meant to be a policy: a line or the text starts with the key ``fsmc``."""
    import re

    return re.search(r"""^[ \t{]*["']?fsmc["']?[ \t]*[:=]""", text, re.MULTILINE) is not None
