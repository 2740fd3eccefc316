"""The standard streams, which may be closed, full, or read by nobody any more.

Without standard output a command fails in one sentence. Standard error only carries remarks: where it cannot be written, they
are lost, and neither the result nor the exit code changes.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class PipeClosed(Exception):
    """Whoever reads standard output has gone."""


class OutputError(Exception):
    """Standard output cannot be written."""


def prepare() -> None:
    """Make both streams fit for any text. Raises ``OutputError`` when standard output is closed."""
    if sys.stderr is None:
        sys.stderr = _null_stderr()
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what the terminal cannot show is escaped, never an error
            stream.reconfigure(errors="backslashreplace")


def write(content: str | bytes) -> None:
    """Write to standard output, at once. Raises ``PipeClosed`` and ``OutputError``."""
    stream: Any = sys.stdout
    try:
        if isinstance(content, str):
            stream.write(content)
        else:
            stream.flush()
            stream.buffer.write(content)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
        raise PipeClosed from None
    except (OSError, ValueError) as error:
        _silence(stream)
        raise OutputError(f"standard output cannot be written: {getattr(error, 'strerror', None) or error}") from None


def say(text: str) -> None:
    """Write to standard error, if that is possible."""
    stream: Any = sys.stderr
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        _silence(stream)


def _silence(stream: Any) -> None:
    """Nothing that the stream still holds may complain once more when the interpreter flushes it."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass


def _null_stderr() -> Any:
    """A standard error that goes nowhere; no file that is opened later may become number 2."""
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.fstat(2)
    except OSError:
        os.dup2(null, 2)
    return open(null, "w", encoding="utf-8")
