"""Where the project and the pages of its rules are on the web. Reports name these places; nothing is ever fetched."""

from __future__ import annotations

PROJECT = "https://github.com/fsmc/fsmc"


def rule_page(code: str) -> str:
    """The page that explains one code."""
    return f"{PROJECT}/blob/main/docs/rules/{code}.md"
