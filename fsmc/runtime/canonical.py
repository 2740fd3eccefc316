"""Canonical JSON (RFC 8785, for values without floats) and the digest over it."""

from __future__ import annotations

import json
import sys

from fsmc.runtime.annotations import Any

# From here on OpenSSL, which is five times as fast, has earned the time that `hashlib` takes to load it, unless it is loaded.
_LARGE = 500_000


def canonical_json(value: Any) -> str:
    """The canonical text of *value*.

    For data whose keys are ASCII and whose numbers are integers within ±(2^53 - 1), which is what a table holds, this is
    RFC 8785 to the byte. Raises ``ValueError`` for NaN and infinities, ``TypeError`` for what JSON cannot say.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def text_digest(text: str) -> str:
    """``sha256:`` and the hexadecimal SHA-256 of *text* in UTF-8."""
    data = text.encode()
    return "sha256:" + (_fast_sha256(data) if len(data) >= _LARGE or "hashlib" in sys.modules else _quick_sha256(data))


def _fast_sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _quick_sha256(data: bytes) -> str:
    """The same from the module that ``hashlib`` itself falls back to, where this Python has it."""
    try:
        own = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:
        return _fast_sha256(data)
    digest: str = own.sha256(data).hexdigest()
    return digest
