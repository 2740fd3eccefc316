"""Recorded runs, whatever their format, as one neutral sequence of records.

A reader is a module with a ``NAME``, ``recognises(documents)``, which says how many of the documents it can read, and
``read(documents, name)``, which gives at least one run; to add a format, write one and list it in ``read``. What every reader
yields is in ``fsmc.trace.records``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from fsmc.stored import read_at_most
from fsmc.trace.load import Document, load_documents
from fsmc.trace.records import Run, TraceError

FORMATS = ("auto", "fsmc", "openai-chat")
_MAX_BYTES = 512 * 2**20


class Reader(Protocol):
    """What a reader module offers."""

    NAME: str

    def recognises(self, documents: list[Document]) -> int: ...

    def read(self, documents: list[Document], name: str) -> Iterator[Run]: ...


def read_file(path: str | os.PathLike[str], format: str = "auto") -> Iterator[Run]:
    """``read`` for a file. Raises ``TraceError`` when it cannot be read."""
    name = os.fsdecode(path)
    try:
        with open(path, "rb") as file:
            data = read_at_most(file, _MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise TraceError(name, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return read(data, name, format)


def read_stream(file: BinaryIO, name: str, format: str = "auto") -> Iterator[Run]:
    """``read`` for what is left of an open file. Raises ``OSError`` too."""
    return read(read_at_most(file, _MAX_BYTES + 1), name, format)


def read(data: bytes, name: str, format: str = "auto") -> Iterator[Run]:
    """The runs in *data*, one or many. *name* is shown in reports; *format* is one of ``FORMATS``.

    Raises ``TraceError`` when the text is no JSON or JSON Lines, or nothing recognises it.
    """
    from fsmc.trace import native, openai_chat

    if len(data) > _MAX_BYTES:
        raise TraceError(name, f"larger than {_MAX_BYTES // 2**20} MiB; split it")
    foreign = _foreign(data)
    if foreign is not None:
        raise TraceError(name, f"not a trace: this looks like {foreign}")
    modules: tuple[Reader, ...] = (native, openai_chat)
    readers = {reader.NAME: reader for reader in modules}
    documents = load_documents(data, name)
    if format != "auto":
        if format not in readers:
            raise TraceError(name, f"unknown trace format {format!r}: one of {', '.join(FORMATS)}")
        return readers[format].read(documents, name)
    scores = {reader.NAME: reader.recognises(documents) for reader in modules}
    best = max(scores, key=lambda key: scores[key])  # the first of equals
    if scores[best]:
        return readers[best].read(documents, name)
    raise TraceError(name, f"not a trace that fsmc can read: expected one of {', '.join(FORMATS[1:])}")


def _foreign(data: bytes) -> str | None:
    """What else a file is, in words; None where it may well be a trace."""
    from fsmc.policy.foreign import looks_like_policy, looks_like_run
    from fsmc.source.reading import is_binary
    from fsmc.stored import holds_table

    if is_binary(data):
        return "a binary file"
    if holds_table(data):
        return "a compiled table"
    text = data[:100_000].decode("utf-8-sig", "replace")
    return "a policy" if looks_like_policy(text) and not looks_like_run(text) else None


__all__ = ["FORMATS", "Run", "TraceError", "read", "read_file", "read_stream"]
