"""Paths and texts as every machine can read them, whatever this one calls them."""

from __future__ import annotations

import os


def portable_path(path: str) -> str:
    """*path* relative to the current folder where it is below it, else as given; with forward slashes."""
    try:
        below = os.path.join(os.getcwd(), "")
        whole = os.path.abspath(path)
    except (OSError, ValueError):  # the folder is gone, or this is no path
        return portable_text(path)
    if whole.startswith(below) and whole != below:
        path = whole[len(below) :]
    return portable_text(path.replace(os.sep, "/"))


def portable_text(text: str) -> str:
    """*text* with escapes for lone surrogates, which no encoding of Unicode can carry."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
