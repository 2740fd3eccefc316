"""Compiled tables in files: telling one from a policy. Standard library only, so that loading a table stays light."""

from __future__ import annotations

import os
import stat

from fsmc.runtime.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

    from fsmc.runtime.verify import TableParts

_MARK = b'"fsmc-table/'
# Far above any real table; what is larger is not read into memory to find that out.
_MAX_BYTES = 512 * 1024 * 1024
# The mark of a table stands near its start, behind the texts about the policy.
_HEAD = 8 * 1024 * 1024
_PIECE = 1024 * 1024


def table_parts(data: bytes) -> TableParts | None:
    """The compiled table that *data* holds, taken apart and unverified; None when it is something else.

    Raises ``TableError`` for a table that cannot be read.
    """
    if _MARK not in data:
        return None
    import json

    from fsmc.runtime.verify import parts_of_text

    try:
        return parts_of_text(data.decode(json.detect_encoding(data), "surrogatepass"))
    except (ValueError, RecursionError):
        return None


def holds_table(data: bytes) -> bool:
    """Whether *data* is a compiled table, be it a damaged one."""
    from fsmc.runtime.errors import TableError

    try:
        return table_parts(data) is not None
    except TableError:
        return True


def read_table_parts(path: str | os.PathLike[str]) -> TableParts | None:
    """The parts of the compiled table at *path*; None when there is none, for whatever reason. Raises as ``table_parts``."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_BYTES:
            return None
        with open(path, "rb") as file:
            if not _may_be_table(file.read(64)):
                return None
            file.seek(0)
            return table_parts(read_input(file))
    except (OSError, ValueError):
        return None


def read_input(file: BinaryIO, limit: int = _HEAD) -> bytes:
    """What *file* holds, as far as it is of use: *limit* bytes and one more, or all of what starts as a compiled table."""
    data = read_at_most(file, limit + 1)
    if len(data) > limit and _may_be_table(data) and _MARK in data:
        data += read_at_most(file, _MAX_BYTES - limit)
    return data


def read_at_most(file: BinaryIO, size: int) -> bytes:
    """The next *size* bytes of *file*, or all that are left. Takes memory for those that are there, not for *size*."""
    pieces: list[bytes] = []
    while size > 0 and (piece := file.read(min(size, _PIECE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _may_be_table(head: bytes) -> bool:
    return head[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
