"""What a walk through a folder leaves out."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fsmc.discovery import inputs
from tests.cli.conftest import GOOD, Fsmc


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(GOOD)


def ignore(folder: Path, *lines: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("\n".join(lines) + "\n")


def found(path: str = ".") -> list[str]:
    return [os.path.relpath(each.path).replace(os.sep, "/") for each in inputs([path]) if each.error is None]


def test_files_and_folders_that_git_ignores_are_left_out(folder: Path) -> None:
    put(folder, "a.yaml", "draft-a.yaml", "build/a.yaml", "sub/build/a.yaml", "sub/a.yaml")
    ignore(folder, "# drafts", "draft-*", "", "build/")
    assert found() == ["a.yaml", "sub/a.yaml"]


def test_the_nearest_file_and_its_last_line_decide(folder: Path) -> None:
    put(folder, "a.yaml", "keep.yaml", "sub/a.yaml", "sub/b.yaml", "sub/deep/a.yaml")
    ignore(folder, "*.yaml", "!keep.yaml")
    ignore(folder / "sub", "!a.yaml", "/deep/a.yaml")
    assert found() == ["keep.yaml", "sub/a.yaml"]


def test_what_an_ignored_folder_holds_cannot_come_back(folder: Path) -> None:
    put(folder, "build/a.yaml", "b.yaml")
    ignore(folder, "build/", "!build/a.yaml")
    ignore(folder / "build", "!a.yaml")
    assert found() == ["b.yaml"]


def test_parents_count_up_to_the_root_of_the_repository(folder: Path) -> None:
    put(folder, "repo/sub/a.yaml", "repo/sub/b.yaml", "repo/sub/c.yaml")
    (folder / "repo" / ".git").mkdir()
    ignore(folder, "a.yaml")
    ignore(folder / "repo", "/sub/b.yaml")
    assert found("repo/sub") == ["repo/sub/a.yaml", "repo/sub/c.yaml"]
    assert found("repo") == ["repo/sub/a.yaml", "repo/sub/c.yaml"]
    (folder / "repo" / ".git").rmdir()
    assert found("repo/sub") == ["repo/sub/a.yaml", "repo/sub/b.yaml", "repo/sub/c.yaml"]


def test_who_names_an_ignored_file_or_folder_wants_it(folder: Path) -> None:
    put(folder, "build/a.yaml", "build/b.yaml")
    (folder / ".git").mkdir()
    ignore(folder, "build/")
    ignore(folder / "build", "b.yaml")
    assert found("build") == ["build/a.yaml"]
    assert found("build/b.yaml") == ["build/b.yaml"]


def test_a_folder_of_which_nothing_is_left(fsmc: Fsmc, folder: Path) -> None:
    put(folder, "a.yaml")
    ignore(folder, "*")
    done = fsmc("lint", ".")
    assert done.code == 2
    assert "what .gitignore and `exclude` leave out is not looked at" in done.err


@pytest.mark.parametrize("line", ["!", "[z-a]", "a\\", "\0", "(((", "/", "\udcff"])
def test_a_line_that_is_no_pattern_says_nothing(folder: Path, line: str) -> None:
    put(folder, "a.yaml", "b.yaml")
    (folder / ".gitignore").write_bytes(f"{line}\nb.yaml\n".encode("utf-8", "surrogateescape"))
    assert found() == ["a.yaml"]


def test_a_folder_with_that_name_and_a_link_into_nowhere(folder: Path) -> None:
    put(folder, "a.yaml", "sub/b.yaml")
    (folder / ".gitignore").mkdir()
    os.symlink(".gitignore", folder / "sub" / ".gitignore")
    assert found() == ["a.yaml", "sub/b.yaml"]


PATTERNS = [
    "*.yaml",
    "!a.yaml",
    "/a.yaml",
    "sub",
    "sub/",
    "/sub/*",
    "!/sub/deep/",
    "deep/**",
    "**/b.yaml",
    "sub/**/c.yaml",
]


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
@pytest.mark.parametrize("first", PATTERNS)
def test_git_agrees(folder: Path, first: str) -> None:
    names = ["a.yaml", "b.yaml", "sub/a.yaml", "sub/b.yaml", "sub/deep/a.yaml", "sub/deep/c.yaml", "other/sub/b.yaml"]
    put(folder, *names)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q"], check=True, env=environment)
    for second in PATTERNS:
        for nested in ("", "!b.yaml", "deep/", "!deep/"):
            ignore(folder, first, second)
            ignore(folder / "sub", nested)
            listed = ["git", "ls-files", "--others", "--exclude-standard", "*.yaml"]
            kept = subprocess.run(listed, check=True, capture_output=True, text=True, env=environment).stdout.split()
            assert sorted(found()) == sorted(kept), (first, second, nested)
