"""Text to JSON documents: a file holds one JSON value, or one a line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from fsmc.trace.records import TraceError

# As deep as a policy may be. Python's own bound differs from version to version, and with how deep the caller stands.
MAX_DEPTH = 100


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
    documents = []
    good = torn = 0  # lines that hold a record, and those that look like parts of one value over several lines
    for number, line in enumerate(text.split("\n"), 1):
        if stripped := line.strip():
            documents.append(document := _decoded(number, line))
            good += isinstance(document.value, (dict, list))
            torn += document.error is not None and (stripped[-1] == "," or len(stripped) == 1)
    if len(documents) > 1 and good > 0 and good >= torn:
        return documents
    raise TraceError(name, f"not JSON and not JSON Lines: {whole.error}")


def decode(text: str) -> Any:
    """The value of a JSON text. Raises ``JSONDecodeError``, or another ``ValueError`` that says what is refused.

    Refused are equal keys, numbers that are not finite or too long, half characters, and more than ``MAX_DEPTH`` levels.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_integer
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and deeper_than(value, MAX_DEPTH):
        raise ValueError(_TOO_DEEP)
    # Only an escape can bring half a character in.
    if ("\\ud" in text or "\\uD" in text) and _has_half_characters(value):
        raise ValueError("a \\u escape is half of a character")
    return value


def decode_arguments(arguments: Any) -> tuple[Any, str | None]:
    """Arguments as the model gave them: a text is decoded; the problem in words where it is no JSON. Empty means none."""
    if arguments is None or arguments == "":
        return {}, None
    if not isinstance(arguments, str):
        return arguments, None
    document = _decoded(0, arguments)
    return document.value, document.error


def deeper_than(value: Any, levels: int) -> bool:
    """Whether *value* has containers nested more than *levels* deep."""
    layer = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(levels):
        layer = [
            item
            for container in layer
            for item in (container.values() if isinstance(container, Mapping) else container)
            if isinstance(item, _CONTAINERS)
        ]
        if not layer:
            return False
    return True


_CONTAINERS = (Mapping, list, tuple)
_TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep"


def _decoded(line: int, text: str) -> Document:
    try:
        return Document(line, decode(text))
    except json.JSONDecodeError as error:
        return Document(line, None, f"{error.msg} (line {error.lineno + max(0, line - 1)} column {error.colno})")
    except ValueError as error:
        return Document(line, None, str(error))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {shortened(key)!r} is given twice")
            seen.add(key)
    return found


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number that JSON can say")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {shortened(text)} is too large")
    return number


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # Python does not read thousands of digits
        raise ValueError(f"the number {shortened(text)} has too many digits") from None


def shortened(text: str) -> str:
    """*text* for a message, not too long."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def _has_half_characters(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
