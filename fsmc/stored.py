"""Compiled tables in files: telling one from a policy. Standard library only, so that loading a table stays light."""

from __future__ import annotations

import os
import stat
from typing import Any

_MARK = b'"fsmc-table/'
# Far above any real table; what is larger is not read into memory to find that out.
_MAX_BYTES = 512 * 1024 * 1024


def table_data(data: bytes) -> dict[str, Any] | None:
    """The data of the compiled table that *data* holds, unverified; None when it is something else."""
    if _MARK not in data:
        return None
    import json

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    marked = isinstance(value, dict) and str(value.get("format")).startswith("fsmc-table/")
    return value if marked else None


def read_table_data(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """The data of the compiled table at *path*; None when there is none, for whatever reason."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_BYTES:
            return None
        with open(path, "rb") as file:
            if file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
                return None
            file.seek(0)
            return table_data(file.read())
    except (OSError, ValueError):
        return None
