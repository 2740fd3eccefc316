"""Recorded runs, whatever their format, as one neutral sequence of records.

A reader is a module with a ``NAME``, ``recognises(documents)`` and ``read(documents, name)``; to add a format, write one and
list it in ``READERS``. What every reader yields is in ``fsmc.trace.records``.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.trace.load import load_documents
from fsmc.trace.records import Run, TraceError

FORMATS = ("auto", "fsmc", "openai-chat")


def read(data: bytes, name: str, format: str = "auto") -> Iterator[Run]:
    """The runs in *data*, one or many. *name* is shown in reports; *format* is one of ``FORMATS``.

    Raises ``TraceError`` when the text is no JSON or JSON Lines, or nothing recognises it.
    """
    from fsmc.trace import native, openai_chat

    readers = {reader.NAME: reader for reader in (native, openai_chat)}
    documents = load_documents(data, name)
    if format != "auto":
        if format not in readers:
            raise TraceError(name, f"unknown trace format {format!r}: one of {', '.join(FORMATS)}")
        return readers[format].read(documents, name)
    for reader in readers.values():
        if reader.recognises(documents):
            return reader.read(documents, name)
    raise TraceError(name, f"not a trace that fsmc can read: expected one of {', '.join(FORMATS[1:])}")


__all__ = ["FORMATS", "Run", "TraceError", "read"]
