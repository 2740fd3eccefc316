"""Recorded runs, whatever their format, as one neutral sequence of records.

A reader is a module with a ``NAME``, ``recognises(documents)`` and ``read(documents, name)``; to add a format, write one and
list it in ``read``. What every reader yields is in ``fsmc.trace.records``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Protocol

from fsmc.trace.load import Document, load_documents
from fsmc.trace.records import Run, TraceError

FORMATS = ("auto", "fsmc", "openai-chat")
_MAX_BYTES = 512 * 2**20


class Reader(Protocol):
    """What a reader module offers."""

    NAME: str

    def recognises(self, documents: list[Document]) -> bool: ...

    def read(self, documents: list[Document], name: str) -> Iterator[Run]: ...


def read_file(path: str | os.PathLike[str], format: str = "auto") -> Iterator[Run]:
    """``read`` for a file. Raises ``TraceError`` when it cannot be read."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise TraceError(name, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _MAX_BYTES:
        raise TraceError(name, f"larger than {_MAX_BYTES // 2**20} MiB; split it")
    return read(data, name, format)


def read(data: bytes, name: str, format: str = "auto") -> Iterator[Run]:
    """The runs in *data*, one or many. *name* is shown in reports; *format* is one of ``FORMATS``.

    Raises ``TraceError`` when the text is no JSON or JSON Lines, or nothing recognises it.
    """
    from fsmc.trace import native, openai_chat

    modules: tuple[Reader, ...] = (native, openai_chat)
    readers = {reader.NAME: reader for reader in modules}
    documents = load_documents(data, name)
    if format != "auto":
        if format not in readers:
            raise TraceError(name, f"unknown trace format {format!r}: one of {', '.join(FORMATS)}")
        return readers[format].read(documents, name)
    for reader in readers.values():
        if reader.recognises(documents):
            return reader.read(documents, name)
    raise TraceError(name, f"not a trace that fsmc can read: expected one of {', '.join(FORMATS[1:])}")


__all__ = ["FORMATS", "Run", "TraceError", "read", "read_file"]
