"""Reading what a command is given and writing what it makes."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from fsmc.cli.streams import say, write
from fsmc.report.style import printable, wants_color
from fsmc.source import InputError
from fsmc.source.reading import MAX_BYTES
from fsmc.stored import read_input

if TYPE_CHECKING:
    from fsmc.discovery import Input


T = TypeVar("T")


def read_stdin() -> bytes:
    """The policy or table on standard input. Raises ``InputError``."""
    return from_stdin(lambda file: read_input(file, MAX_BYTES))


def from_stdin(read: Callable[[BinaryIO], T]) -> T:
    """What *read* makes of standard input. Raises ``InputError``."""
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file, or give it one with <")
    try:
        return read(sys.stdin.buffer)
    except OSError as error:
        raise InputError(f"standard input cannot be read: {error.strerror}") from None


def one_input(path: str, stdin_name: str = "<stdin>") -> Input:
    """The one policy or table at *path* (``-`` for standard input). Raises ``InputError``."""
    from fsmc.discovery import inputs

    if os.path.isdir(path):
        raise InputError(f"{path} is a directory; name a policy file inside it")
    found = next(inputs([path], read_stdin, stdin_name))
    if found.error is not None:
        raise InputError(found.error)
    return found


def write_text(text: str) -> None:
    """Write to standard output, as UTF-8 or with escapes where the terminal has another encoding."""
    write(text)


def note(text: str) -> None:
    """A line for the person at the terminal: standard error."""
    say(f"{printable(text)}\n")


def color_wanted(choice: str, stream: Any) -> bool:
    """What ``--color`` and the environment say about *stream*."""
    return choice == "always" or (choice == "auto" and wants_color(stream, os.environ))


def terminal_width(stream: Any) -> int | None:
    """How many columns the terminal behind *stream* has; None where it is no terminal."""
    if not stream.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def write_result(target: str, content: bytes, source: str | None = None) -> None:
    """Write a result to the file *target* at once or not at all, or to standard output for ``-``.

    Never over *source*, the file it was made from.
    """
    if target == "-":
        write(content)
        return
    try:
        if source is not None and os.path.exists(target) and os.path.samefile(source, target):
            raise click.UsageError(f"{printable(target)} is the input itself; name another file for the result")
        _replace(os.path.realpath(target), content)
    except (OSError, ValueError) as error:
        raise InputError(f"{target} cannot be written: {getattr(error, 'strerror', None) or error}") from None


def overwrite(path: str, content: bytes) -> None:
    """Write *content* over the file at *path*, at once or not at all, with the permissions it has. Raises ``InputError``."""
    real = os.path.realpath(path)
    try:
        mode = stat.S_IMODE(os.stat(real).st_mode)
        if not os.access(real, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _replace(real, content)
        os.chmod(real, mode)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from None


def _replace(path: str, content: bytes) -> None:
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "wb") as device:  # such as /dev/null: written to, not replaced
            device.write(content)
        return
    import tempfile

    mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(prefix=".fsmc-", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """Which permissions new files do not get. There is no way to ask but to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
