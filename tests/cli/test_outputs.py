"""``fsmc lint --format`` and ``--output``: several reports of one run, and what may go wrong with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsmc.report import FORMATS
from fsmc.report.job_summary import MAX_BYTES
from fsmc.report.outputs import Output, outputs
from tests.cli.conftest import BAD, GOOD, Fsmc
from tests.cli.test_lint import process
from tests.report.readers import annotations

LINE = "p.yaml:3:1: error FSM010 unknown-key: unknown key `intial` in the policy\n"


@pytest.mark.parametrize(
    ("chosen", "texts", "wanted"),
    [
        (False, [], [Output("text")]),
        (False, ["sarif:a.sarif"], [Output("text"), Output("sarif", "a.sarif")]),
        (False, ["github"], [Output("github")]),
        (False, ["github:-", "junit:b.xml"], [Output("github"), Output("junit", "b.xml")]),
        (False, ["json:"], [Output("json")]),
        (False, ["json:c:d.json"], [Output("text"), Output("json", "c:d.json")]),
        (True, ["sarif:a.sarif"], [Output("text"), Output("sarif", "a.sarif")]),
    ],
)
def test_what_is_written_where(chosen: bool, texts: list[str], wanted: list[Output]) -> None:
    assert outputs("text", chosen, texts) == wanted


def test_several_reports_of_one_run(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD)
    files = {format: f"report.{format}" for format in FORMATS}
    done = fsmc("lint", "p.yaml", *(f"--output={format}:{name}" for format, name in files.items()))
    assert done.code == 1
    assert "1 error in 1 file" in done.out
    for format, name in files.items():
        assert (folder / name).read_text() == fsmc("lint", "p.yaml", "--format", format).out
        assert "FSM010" in (folder / name).read_text()
    assert sorted(path.name for path in folder.iterdir()) == ["p.yaml", *sorted(files.values())]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output", "sarf:x"], "`sarf` is not a format of reports; did you mean `sarif`?"),
        (["--output", "zzzzz"], "formats: text, concise, json"),
        (["--output", "\x1b[31m"], "`\\x1b[31m` is not a format"),
        (["--output", ""], "`` is not a format"),
        (["--output", "json", "--output", "github:-"], "json and github would both go to standard output"),
        (["--format", "text", "--output", "json"], "text and json would both go to standard output"),
        (["--output", "json:x", "--output", "sarif:./x"], "json and sarif would both go to ./x"),
    ],
)
def test_errors_of_usage(fsmc: Fsmc, folder: Path, arguments: list[str], said: str) -> None:
    (folder / "p.yaml").write_text(GOOD)
    done = fsmc("lint", "p.yaml", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert [path.name for path in folder.iterdir()] == ["p.yaml"]


def test_a_file_that_cannot_be_written(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    done = fsmc("lint", "p.yaml", "--output", "sarif:missing/x.sarif", "--output", "json:x.json")
    assert done.code == 2
    assert done.err == "fsmc: missing/x.sarif cannot be written: No such file or directory\n"
    assert done.out == "1 file checked, no findings\n"
    assert json.loads((folder / "x.json").read_text())["findings"] == []
    done = fsmc("lint", "p.yaml", "--output", f"sarif:{folder}")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert sorted(path.name for path in folder.iterdir()) == ["p.yaml", "x.json"]


def test_a_checked_file_is_not_overwritten(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    os.symlink("p.yaml", "link.yaml")
    for name in ("p.yaml", "link.yaml"):
        done = fsmc("lint", "p.yaml", "--output", f"text:{name}")
        assert done.code == 2
        assert "one of the files that were checked" in done.err
    assert (folder / "p.yaml").read_text() == GOOD


def test_an_old_report_is_replaced_at_once_and_keeps_its_mode(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(BAD)
    old = folder / "report.txt"
    old.write_text("old")
    old.chmod(0o600)
    assert fsmc("lint", "p.yaml", "--output", "concise:report.txt").code == 1
    assert old.read_text() == LINE
    assert old.stat().st_mode & 0o777 == 0o600


def test_colours_go_to_the_terminal_only(fsmc: Fsmc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "p.yaml").write_text(BAD)
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = fsmc("lint", "p.yaml", "--output", "text:report.txt")
    assert "\x1b[" in done.out
    assert "\x1b[" not in (folder / "report.txt").read_text()
    for format in set(FORMATS) - {"text"}:
        assert "\x1b[" not in fsmc("lint", "p.yaml", "--format", format).out


def test_nothing_readable_is_a_report_all_the_same(fsmc: Fsmc) -> None:
    done = fsmc("lint", "gone.yaml", "--output", "github", "--output", "json:x.json", "--output", "sarif:x.sarif")
    assert done.code == 2
    assert done.err == "fsmc: gone.yaml does not exist\n"
    (told,) = annotations(done.out)
    assert (told.command, told.message) == ("error", "gone.yaml does not exist")
    assert json.loads(Path("x.json").read_text())["unreadable"] == ["gone.yaml does not exist"]
    assert not json.loads(Path("x.sarif").read_text())["runs"][0]["invocations"][0]["executionSuccessful"]


def test_the_job_summary_is_added_to(fsmc: Fsmc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "p.yaml").write_text(BAD)
    summary = folder / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    fsmc("lint", "p.yaml")
    assert summary.read_text() == "before\n"
    fsmc("lint", "p.yaml", "--format", "github")
    text = summary.read_text()
    assert text.startswith("before\n### fsmc lint\n\n1 error in 1 file\n")
    assert "| error | p.yaml&#58;3&#58;1 | [FSM010](" in text
    summary.write_text("x" * (MAX_BYTES - 50))
    fsmc("lint", "p.yaml", "--format", "github")
    assert summary.stat().st_size == MAX_BYTES - 50
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder))
    done = fsmc("lint", "p.yaml", "--format", "github")
    assert done.code == 1
    assert done.err.startswith("fsmc: the job summary cannot be written: ")


def test_names_that_no_terminal_should_see(fsmc: Fsmc, folder: Path) -> None:
    name = "e\x1b[31mvil:,%\u202e漢.yaml"
    (folder / name).write_text(BAD.replace("intial", '"int\\e[31m\\u202eial"'), encoding="utf-8")
    (told, *_) = annotations(fsmc("lint", name, "--format", "github").out)
    assert told.properties["file"] == name
    assert "\x1b" not in told.message
    for format in ("json", "gitlab"):
        assert name in json.dumps(json.loads(fsmc("lint", name, "--format", format).out), ensure_ascii=False).replace(
            "\\u001b", "\x1b"
        )


def test_a_name_that_is_not_unicode(fsmc: Fsmc, folder: Path) -> None:
    name = os.fsdecode(b"b\xff.yaml")
    try:
        (folder / name).write_text(BAD)
    except OSError:
        pytest.skip("this file system takes Unicode names only")
    for format in FORMATS:
        done = fsmc("lint", name, "--format", format, "--output", f"{format}:out.{format}")
        assert done.code == 1, done.err
        (folder / f"out.{format}").read_text(encoding="utf-8")
    assert "b%5Cudcff.yaml" in (folder / "out.sarif").read_text()


def test_windows_line_endings(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_bytes(BAD.replace("\n", "\r\n").encode())
    assert fsmc("lint", "p.yaml", "--format", "concise").out == LINE
    assert "\r" not in fsmc("lint", "p.yaml").out


def test_a_terminal_of_forty_columns(fsmc: Fsmc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.cli.test_newcomers import on_terminal

    (folder / "p.yaml").write_text(
        "fsmc: 1\nid: broken\ninitial: OPEN_FOR_EVERYBODY\nstates:\n"
        "  OPEN_FOR_EVERYBODY: {transitions: [{event: SOLVED, target: DNOE}, {event: PARKED, target: WAITING}]}\n"
        "  WAITING: {}\n  DONE: {type: terminal}\n"
    )
    shown = on_terminal(40, monkeypatch, "lint", "p.yaml")
    assert max(map(len, shown.splitlines())) <= 40
    assert any(line.endswith("^^^^") for line in shown.splitlines())
    lines = shown.splitlines()
    quoted = next(number for number, line in enumerate(lines) if "DNOE" in line and " | " in line)
    assert lines[quoted][lines[quoted + 1].index("^") :].startswith("DNOE")


@pytest.mark.parametrize("format", FORMATS)
def test_a_closed_pipe_is_quiet_and_files_are_written(folder: Path, format: str) -> None:
    text = BAD + "".join(f"  S{i}: {{tols: []}}\n" for i in range(60))
    for i in range(30):
        (folder / f"p{i}.yaml").write_text(text)
    with process("lint", "--format", format, "--output", "sarif:x.sarif", ".", cwd=folder) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert started.stderr.read() == ""
    assert started.returncode == 141
    assert json.loads((folder / "x.sarif").read_text())["runs"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_closed_standard_error_changes_nothing(folder: Path, format: str) -> None:
    (folder / "p.yaml").write_text(BAD)
    command = f'"{sys.executable}" -m fsmc lint p.yaml gone.yaml --format {format}'
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    shown = [
        subprocess.run(["sh", "-c", line], cwd=folder, env=environ, capture_output=True, check=False)
        for line in (command, f"{command} 2>&-")
    ]
    assert [done.returncode for done in shown] == [2, 2]
    assert shown[0].stdout == shown[1].stdout != b""


@pytest.mark.parametrize("format", FORMATS)
def test_a_terminal_that_knows_only_ascii(folder: Path, format: str) -> None:
    (folder / "p.yaml").write_text(BAD.replace("intial", "漢intial"), encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "fsmc", "lint", "p.yaml", "--format", format]
    done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    done.stdout.decode("utf-8")
