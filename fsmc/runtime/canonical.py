"""Canonical JSON (RFC 8785, for values without floats) and the digest over it."""

from __future__ import annotations

import hashlib
import json

from fsmc.runtime.annotations import Any


def canonical_json(value: Any) -> str:
    """The canonical text of *value*.

    For data whose keys are ASCII and whose numbers are integers within ±(2^53 - 1), which is what a table holds, this is
    RFC 8785 to the byte. Raises ``ValueError`` for NaN and infinities, ``TypeError`` for what JSON cannot say.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def text_digest(text: str) -> str:
    """``sha256:`` and the hexadecimal SHA-256 of *text* in UTF-8."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
