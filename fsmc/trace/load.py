"""Text to JSON documents: a file holds one JSON value, or one a line."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from fsmc.trace.records import TraceError


class Document(NamedTuple):
    """One JSON value of a trace file. ``line`` is 0 when the file is a single value; ``error`` says why a line is no JSON."""

    line: int
    value: Any
    error: str | None = None


def load_documents(data: bytes, name: str) -> list[Document]:
    """The JSON values of a file: one, or one a line. A broken line is kept as an error so that the rest can be used."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TraceError(name, f"not UTF-8 text: byte {error.start + 1} cannot be decoded") from None
    if not text.strip():
        raise TraceError(name, "the file is empty")
    whole = _decoded(0, text)
    if whole.error is None:
        return [whole]
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    documents = [_decoded(number, line) for number, line in lines]
    if len(documents) > 1 and any(isinstance(document.value, (dict, list)) for document in documents):
        return documents
    raise TraceError(name, f"not JSON and not JSON Lines: {whole.error}")


def _decoded(line: int, text: str) -> Document:
    try:
        return Document(line, json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant))
    except RecursionError:
        return Document(line, None, "nested too deeply")
    except json.JSONDecodeError as error:
        return Document(line, None, f"{error.msg} (line {error.lineno + max(0, line - 1)} column {error.colno})")
    except ValueError as error:
        return Document(line, None, str(error))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return found


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number that JSON can say")


def decode_arguments(arguments: Any) -> tuple[Any, str | None]:
    """Arguments as the model gave them: a text is decoded; the problem in words where it is no JSON. Empty means none."""
    if arguments is None or arguments == "":
        return {}, None
    if not isinstance(arguments, str):
        return arguments, None
    document = _decoded(0, arguments)
    return document.value, document.error
