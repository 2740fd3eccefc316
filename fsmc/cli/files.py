"""Reading what a command is given and writing what it makes."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, Any

import click

from fsmc.discovery import InputError
from fsmc.report.style import printable, wants_color

if TYPE_CHECKING:
    from fsmc.discovery import Input


class PipeClosed(Exception):
    """Whoever reads standard output has gone."""


def read_stdin() -> bytes:
    """All of standard input."""
    return sys.stdin.buffer.read()


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
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise PipeClosed from None


def note(text: str) -> None:
    """A line for the person at the terminal: standard error."""
    print(printable(text), file=sys.stderr)


def color_wanted(choice: str, stream: Any) -> bool:
    """What ``--color`` and the environment say about *stream*."""
    return choice == "always" or (choice == "auto" and wants_color(stream, os.environ))


def write_result(target: str, content: bytes, source: str | None = None) -> None:
    """Write a result to the file *target* at once or not at all, or to standard output for ``-``.

    Never over *source*, the file it was made from.
    """
    if target == "-":
        _write_stdout(content)
        return
    try:
        if source is not None and os.path.exists(target) and os.path.samefile(source, target):
            raise click.UsageError(f"{printable(target)} is the input itself; name another file for the result")
        _replace(os.path.realpath(target), content)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from None


def _write_stdout(content: bytes) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise PipeClosed from None


def _replace(path: str, content: bytes) -> None:
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "wb") as device:  # such as /dev/null: written to, not replaced
            device.write(content)
        return
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        if os.path.exists(path):
            os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
