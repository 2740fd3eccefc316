"""Links lead somewhere, and lines fit a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import PAGES, PLAYED, ROOT, anchors, blocks, links

MAX_WIDTH = 120

pages = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])


@pages
def test_links_resolve(page: Path) -> None:
    for link in links(page.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name} links to {link}"
        assert target.resolve().is_relative_to(ROOT)
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{page.name} links to {link}"


def test_there_are_links_to_resolve() -> None:
    found = [link for page in PAGES for link in links(page.read_text(encoding="utf-8")) if "://" not in link]
    assert len(found) > 20 and any("#" in link for link in found)


def test_every_page_is_reached_from_the_readme() -> None:
    def linked(page: Path) -> set[Path]:
        found = links(page.read_text(encoding="utf-8"))
        return {(page.parent / link.partition("#")[0]).resolve() for link in found if "://" not in link}

    near = linked(ROOT / "README.md")
    assert set(PLAYED) - {ROOT / "README.md"} <= near
    rules = ROOT / "docs" / "rules" / "README.md"
    assert rules in near and set(PAGES) - set(PLAYED) - {rules} <= linked(rules)


@pytest.mark.parametrize("page", PLAYED, ids=[page.name for page in PLAYED])
def test_prose_fits_a_screen(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    fenced = {number for block in blocks(text) for number in range(block.first - 1, block.last + 2)}
    for number, line in enumerate(text.split("\n"), 1):
        if number not in fenced and not line.startswith("|"):
            assert len(line) <= MAX_WIDTH, f"{page.name}:{number}"
