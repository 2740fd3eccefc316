"""Other kinds of file that are given where a policy is expected, and the other way round."""

from __future__ import annotations

import json
import re
from typing import Any

_RECORDS = frozenset(("trace", "call", "result", "event", "approve", "goto", "release"))
_CHATS = ("messages", "traj")
_LONGEST = 1_000_000


def looks_like_policy(text: str) -> bool:
    """Whether a text was meant to be a policy, parsable or not: a line or the text starts with the key ``fsmc``."""
    return re.search(r"""^[ \t{]*["']?fsmc["']?[ \t]*[:=]""", text, re.MULTILINE) is not None


def looks_like_run(text: str) -> bool:
    """Whether a text seems to be a recorded run: records or chat messages, one a line or one JSON value."""
    text = text.lstrip()
    if text[:1] not in ("{", "["):
        return False
    first = text.partition("\n")[0]
    return any(_is_run(_value(part)) for part in dict.fromkeys((first, text)) if len(part) <= _LONGEST)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_run(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_run(value[0])
    if not isinstance(value, dict) or "fsmc" in value:
        return False
    return not _RECORDS.isdisjoint(value) or "role" in value or any(isinstance(value.get(key), list) for key in _CHATS)
