"""``fsmc lint``: inputs, formats, exit codes, and behaviour on bad days."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, GOOD, Fsmc


def test_clean(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    done = fsmc("lint", "p.yaml")
    assert (done.code, done.out, done.err) == (0, "1 file checked, no findings\n", "")


def test_a_finding_is_shown_with_its_line(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD)
    done = fsmc("lint", "p.yaml")
    assert done.code == 1
    assert done.out == (
        "p.yaml:3:1: error[FSM010] unknown-key: unknown key `intial` in the policy\n"
        "  3 | intial: A\n"
        "    | ^^^^^^\n"
        "    = hint: did you mean `initial`?\n"
        "\n"
        "1 error in 1 file\n"
    )


def test_concise_and_json(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD)
    done = fsmc("lint", "--format", "concise", "p.yaml")
    assert done.out == "p.yaml:3:1: error FSM010 unknown-key: unknown key `intial` in the policy\n"
    report = json.loads(fsmc("lint", "--format", "json", "p.yaml").out)
    assert report["summary"] == {"files": 1, "error": 1, "warning": 0, "info": 0}
    assert report["findings"][0] == {
        "code": "FSM010", "rule": "unknown-key", "level": "error", "message": "unknown key `intial` in the policy",
        "path": "p.yaml", "line": 3, "column": 1, "length": 6, "hint": "did you mean `initial`?", "related": [], "trace": [],
        "where": ["intial"], "fix": {"message": "write `initial`", "edits": [{"start": 17, "end": 23, "text": "initial"}], "safe": True}, "page": "https://github.com/fsmc/fsmc/blob/main/docs/rules/FSM010.md",
    }  # fmt: skip


def test_fail_on(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD)
    assert fsmc("lint", "--fail-on", "never", "p.yaml").code == 0
    assert fsmc("lint", "--fail-on", "info", "p.yaml").code == 1


def test_standard_input(fsmc: Fsmc) -> None:
    assert fsmc("lint", "-", stdin=GOOD).code == 0
    done = fsmc("lint", "-", "--stdin-filename", "x.toml", "--format", "concise", stdin="fsmc = ")
    assert done.out.startswith("x.toml:1:8: error FSM001")


def test_folders_take_policies_and_tables_only(fsmc: Fsmc, folder: Path) -> None:
    for name in ("b/p.yaml", "a/q.yml", "a/.hidden/p.yaml", "node_modules/p.yaml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(BAD)
    (folder / "compose.yaml").write_text("services: {fsmc: {image: x}}\n")
    (folder / "notes.json").write_text('["fsmc"]')
    (folder / "readme.txt").write_text(BAD)
    (folder / "good.yaml").write_text(GOOD)
    assert fsmc("compile", "good.yaml", "-o", "table.json").code == 0
    done = fsmc("lint", ".", "--format", "json")
    assert [finding["path"] for finding in json.loads(done.out)["findings"]] == ["a/q.yml", "b/p.yaml"]
    assert json.loads(done.out)["summary"]["files"] == 4


def test_a_broken_policy_in_a_folder_is_not_passed_over(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text("fsmc: 1\nid: [\n")
    assert fsmc("lint", ".").code == 1
    (folder / "p.yaml").write_text("other: [fsmc\n")
    assert fsmc("lint", ".").code == 2


def test_globs_and_repeated_names(fsmc: Fsmc, folder: Path) -> None:
    for name in ("b.yaml", "a.yaml", "[x].yaml"):
        (folder / name).write_text(GOOD)
    os.symlink("a.yaml", "link.yaml")
    assert fsmc("lint", "*.yaml", "a.yaml", ".").out == "3 files checked, no findings\n"
    assert fsmc("lint", "[x].yaml").out == "1 file checked, no findings\n"
    assert fsmc("lint", "*.toml").code == 2


@pytest.mark.parametrize("name", ["missing.yaml", "", "a\0b", "\ud800"])
def test_unreadable_input(fsmc: Fsmc, name: str) -> None:
    done = fsmc("lint", name)
    assert done.code == 2
    assert done.err.startswith("fsmc: ")
    assert done.err.count("\n") == 1


def test_a_folder_without_a_policy(fsmc: Fsmc, folder: Path) -> None:
    (folder / "empty").mkdir()
    done = fsmc("lint", "empty")
    assert done.code == 2
    assert "empty holds no policy" in done.err


def test_the_rest_is_checked_when_one_input_is_unreadable(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD)
    done = fsmc("lint", "missing.yaml", "p.yaml")
    assert done.code == 2
    assert "FSM010" in done.out


def test_tables(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    fsmc("compile", "p.yaml", "-o", "t.json")
    assert fsmc("lint", "t.json").out == "1 file checked, no findings\n"
    text = (folder / "t.json").read_text()
    (folder / "t.json").write_text(text.replace('"read"', '"write"'))
    done = fsmc("lint", "t.json")
    assert done.code == 2
    assert "digest does not match" in done.err
    (folder / "t.json").write_text(text.replace("fsmc-table/1", "fsmc-table/9"))
    assert "compile the policy again" in fsmc("lint", "t.json").err
    (folder / "t.json").write_text(text[:-20])
    assert fsmc("lint", "t.json").code == 1


def test_colour(fsmc: Fsmc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "p.yaml").write_text(BAD)
    assert "\x1b[" not in fsmc("lint", "p.yaml").out
    assert "\x1b[1;31m" in fsmc("lint", "--color", "always", "p.yaml").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in fsmc("lint", "p.yaml").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in fsmc("lint", "p.yaml").out


def test_nothing_raw_reaches_the_terminal(fsmc: Fsmc, folder: Path) -> None:
    name = "e\x1b[31mvil\u202e.yaml"
    text = 'fsmc: 1\nid: t\ninitial: "\\e[2J"\nstates: {A: {"\\e[31mtol\\u202e": 1}} # \u202e\u009b\n'
    (folder / name).write_text(text, encoding="utf-8")
    done = fsmc("lint", name)
    assert done.code == 1
    assert not [c for c in done.out + done.err if not c.isprintable() and c != "\n"]


def test_errors_of_usage(fsmc: Fsmc) -> None:
    assert fsmc("lint").code == 2
    assert fsmc("lint", "--nope").code == 2
    done = fsmc("lnt")
    assert done.code == 2
    assert "did you mean `lint`?" in done.err
    assert fsmc().code == 2
    assert fsmc("--help").code == 0
    assert fsmc("lint", "-h").code == 0
    assert fsmc("--version").out.startswith("fsmc 0")


def test_an_internal_error_is_one_line(fsmc: Fsmc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "p.yaml").write_text(GOOD)

    def broken(document: object) -> None:
        raise KeyError("x\x1b[31m")

    monkeypatch.setattr("fsmc.cli.lint.lint_document", broken)
    done = fsmc("lint", "p.yaml")
    assert done.code == 3
    assert done.err.startswith("fsmc: internal error: KeyError: ")
    assert "Traceback" not in done.err
    assert "\x1b" not in done.err
    monkeypatch.setenv("FSMC_DEBUG", "1")
    done = fsmc("lint", "p.yaml")
    assert done.code == 3
    assert "Traceback" in done.err


def test_an_interrupt_is_quiet(fsmc: Fsmc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "p.yaml").write_text(GOOD)

    def interrupted(document: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fsmc.cli.lint.lint_document", interrupted)
    done = fsmc("lint", "p.yaml")
    assert done.code == 130
    assert not done.err.strip()


def process(*arguments: str, **options: object) -> subprocess.Popen[str]:
    root = Path(__file__).parent.parent.parent
    environ = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.Popen(
        [sys.executable, "-m", "fsmc", *arguments], env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        **options,  # type: ignore[call-overload]
    )  # fmt: skip


def test_a_closed_pipe_is_quiet(folder: Path) -> None:
    text = BAD + "".join(f"  S{i}: {{tols: []}}\n" for i in range(60))
    for i in range(30):
        (folder / f"p{i}.yaml").write_text(text)
    with process("lint", "--format", "json", ".", cwd=folder) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert started.stderr.read() == ""
    assert started.returncode == 141


def test_the_console_entry_ends_with_the_code_and_all_output(folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD)
    out, err = (started := process("lint", "p.yaml", cwd=folder)).communicate()
    assert started.returncode == 1
    assert out.endswith("1 error in 1 file\n")
    assert err == ""


def test_a_terminal_that_knows_only_ascii(folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD.replace("id: good", "id: 漢字").replace("intial", "漢intial"), encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "fsmc", "lint", "p.yaml"]
    done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"\\u6f22intial" in done.stdout
