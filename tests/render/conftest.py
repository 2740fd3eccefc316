"""Readers of pictures, where their programs are installed, and names that hurt."""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections.abc import Iterator

import pytest

from tests.render.readers import MermaidReader, mermaid_folder
from tests.support import optional_data

AWKWARD = [
    "end", "state", "note", "class", "classDef", "direction", "direction TB", "style", "default", "[*]", "-->", "--", ":::x",
    "a-->b", "a;b", "a:b", ":a", "a:", "a:b:c", "#", "#59;", "#quot;", "&lt;", "&amp;amp;", "%%", "%%{init: {}}%%", "<br>",
    "<br/>", "<b>bold</b>", "<script>alert(1)</script>", "{", "}", "{{x}}", "<<fork>>", "[[fork]]", "a\\nb", "\\N", "\\", "\\\\",
    "a\\", '"', '"quoted"', "'", "`code`", "*a*", "**a**", "_a_", "__init__", "a_b_c", "~~a~~", "[x](y)", "1. one", "- item", "$$x$$",
    "$$$", "fa:fa-car", "fab:fa-github", "http://example.com/?a=1&b=2", "ﬂ°°59¶ß", "ﬂ", "node", "graph", "edge", "subgraph", "digraph",
    "strict", "HTML <table>", "日本語", "שלום", "\u202eabc\u202c", "e\u0301", "👩‍👩‍👧", "naïve", "a  b", " a ", "\u00a0", "\u2028", "tab stop", "s0", "g0",
    "start", "<", ">", "<>", "&", "a b", "the end", "\ufffd", "style x:#fff;", "classDef y fill:#fff;", "end note", "|", "^", "@", "?", "😀",
]  # fmt: skip


def legal(name: str) -> bool:
    return name != "" and not any(unicodedata.category(character) in ("Cc", "Cs") for character in name)


def naughty() -> list[str]:
    """Our own awkward names, and the big list of naughty strings where it is at hand."""
    folder = optional_data("torture/blns")
    names = [*AWKWARD, *(json.loads((folder / "blns.json").read_text(encoding="utf-8")) if folder else ())]
    return [name for name in dict.fromkeys(names) if legal(name)]


@pytest.fixture(scope="session")
def mermaid() -> Iterator[MermaidReader]:
    folder, reason = mermaid_folder()
    if folder is None:
        pytest.skip(reason)
    reader = MermaidReader(folder)
    yield reader
    reader.close()


@pytest.fixture(scope="session")
def dot() -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed: no dot")
