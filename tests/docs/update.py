"""Makes anew what the documentation shows: tables of keys, printed output, the picture. ``python -m tests.docs.update``

Read the difference before keeping it: the tests compare the pages with the same code.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import fsmc
from tests.docs.pages import PLAYED, ROOT, blocks, with_blocks
from tests.docs.playing import desk, play
from tests.docs.reference import with_tables

POLICY = ROOT / "policies" / "booking" / "policy.yaml"
PICTURE = ROOT / "docs" / "img" / "booking.svg"


def updated(page: str, folder: Path) -> str:
    """The text of a page with its tables, diagrams and printed output made anew."""
    page = with_tables(page)
    drawn = str(fsmc.render(POLICY, "mermaid"))
    page = with_blocks(page, {block: drawn for block in blocks(page) if block.language == "mermaid"})
    with desk(folder):
        return with_blocks(page, dict(play(page, folder)))


def drawn_picture() -> bytes:
    """The picture of the README."""
    return str(fsmc.render(POLICY, "svg", tools=True)).encode()


def main() -> None:
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(drawn_picture())
    for path in PLAYED:
        with tempfile.TemporaryDirectory() as folder:
            before = path.read_text(encoding="utf-8")
            after = updated(before, Path(folder))
        if after != before:
            path.write_text(after, encoding="utf-8", newline="\n")
            print(f"updated {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
