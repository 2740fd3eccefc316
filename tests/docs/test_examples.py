"""Every example of the documentation does what the page shows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import fsmc
from tests.docs.pages import PLAYED, ROOT, blocks
from tests.docs.playing import desk, play
from tests.docs.update import PICTURE, POLICY, drawn_picture

STALE = "run `python -m tests.docs.update` and read the difference"
# Pages whose examples need an extra.
NEEDED = {"telemetry.md": "opentelemetry.sdk"}
LANGUAGES = {"yaml", "toml", "json", "jsonl", "console", "python", "mermaid", "sh", ""}

pages = pytest.mark.parametrize("page", PLAYED, ids=[page.name for page in PLAYED])


@pages
def test_the_examples_of_a_page_do_what_it_shows(page: Path, tmp_path: Path) -> None:
    if page.name in NEEDED:
        pytest.importorskip(NEEDED[page.name])
    with desk(tmp_path):
        for block, shown in play(page.read_text(encoding="utf-8"), tmp_path):
            assert block.text == shown, f"{page.name}:{block.first}: {STALE}"


@pages
def test_every_block_is_of_a_kind_that_is_played(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        assert block.language in LANGUAGES, f"{page.name}:{block.first}"
        if block.filename == "fsmc.toml":  # settings, which the commands below it read
            continue
        if block.language in ("yaml", "toml") and page.name != "ci.md":  # those are tried by tests/places
            assert block.text.startswith(("fsmc: 1\n", "fsmc = 1\n")), f"{page.name}:{block.first} is no policy"


def test_the_diagram_of_the_readme_is_what_render_prints() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    diagrams = [block.text for block in blocks(readme) if block.language == "mermaid"]
    assert diagrams == [fsmc.render(POLICY, "mermaid")], STALE


@pytest.mark.skipif(shutil.which("dot") is None, reason="drawing needs Graphviz")
def test_the_picture_shows_the_policy_as_it_is() -> None:
    # Versions of Graphviz place things differently, so only what is written in the picture is compared.
    assert _texts(PICTURE.read_bytes()) == _texts(drawn_picture()), STALE


def test_the_targets_that_a_page_names_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {
        word for b in blocks(readme) if b.language == "sh" for word in re.findall(r"^make (\w+)", b.text, re.MULTILINE)
    }
    assert named
    assert not {target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)}


def _texts(svg: bytes) -> list[bytes]:
    return sorted(re.findall(rb"<text[^>]*>([^<]*)</text>", svg))
