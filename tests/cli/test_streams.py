"""Standard streams that are closed, full or endless; links, pipes and devices among the inputs."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import fsmc as api
from tests.cli.conftest import BAD, GOOD, Done, Fsmc

ROOT = Path(__file__).parents[2]
TRACE = '{"call": "look", "id": "a"}\n{"result": {}, "id": "a"}\n'
COMMANDS = (
    "lint p.yaml", "compile p.yaml", "show p.yaml", "render p.yaml", "codegen python p.yaml", "simulate p.yaml t.jsonl",
    "simulate p.yaml t.jsonl --format json", "explain cycle", "rules", "schema", "init new", "--help", "--version", "lint -h",
)  # fmt: skip

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the devices and the shell of Linux")


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "p.yaml").write_text(GOOD)
    (folder / "bad.yaml").write_text(BAD)
    (folder / "t.jsonl").write_text(TRACE)
    return folder


def shell(line: str, timeout: float = 30) -> Done:
    """``line`` with ``fsmc`` in it; its output and that of the shell's own redirections."""
    line = line.replace("fsmc ", f"{sys.executable} -m fsmc ", 1)
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", line], env=environ, capture_output=True, timeout=timeout, check=False)
    return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("output", [">&-", ">/dev/full"])
def test_standard_output_that_takes_nothing(files: Path, command: str, output: str) -> None:
    before = sorted(os.listdir())
    done = shell(f"fsmc {command} {output}")
    assert done.code == 2
    assert done.err.startswith("fsmc: standard output ") and done.err.count("\n") == 1
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    "command", [*COMMANDS, "lint bad.yaml", "compile bad.yaml", "lint missing", "lnt", "render p.yaml -o missing/x.svg"]
)
@pytest.mark.parametrize("output", ["2>&-", "2>/dev/full", "2>&- <&-"])
def test_standard_error_that_takes_nothing_changes_nothing(files: Path, command: str, output: str) -> None:
    expected = shell(f"fsmc {command}")
    if command == "init new":
        os.unlink("new.yaml")
    done = shell(f"fsmc {command} {output}")
    assert (done.code, done.out) == (expected.code, expected.out)
    if "2>&-" in output:
        assert done.err == ""


def test_a_table_on_standard_output_is_whole_without_standard_error(files: Path) -> None:
    shell("fsmc compile p.yaml 2>&- > t.json")
    assert api.load("t.json").id == "good"
    shell("fsmc compile p.yaml -o made.json 2>&- <&- >&-")
    assert not os.path.exists("made.json")


@pytest.mark.parametrize("command", ["lint -", "compile -", "show -", "simulate - t.jsonl", "simulate p.yaml -"])
def test_standard_input_that_is_closed(files: Path, command: str) -> None:
    done = shell(f"fsmc {command} <&-")
    assert (done.code, done.out) == (2, "")
    assert done.err == "fsmc: standard input is closed; name a file, or give it one with <\n"


def test_the_other_traces_are_played_when_standard_input_is_closed(files: Path) -> None:
    done = shell("fsmc simulate p.yaml - t.jsonl --format json <&-")
    assert done.code == 2
    assert len(json.loads(done.out)["runs"]) == 1


@pytest.mark.parametrize("command", ["lint -", "compile -", "simulate p.yaml t.jsonl --context @/dev/zero"])
def test_what_never_ends_is_not_read_to_its_end(files: Path, command: str) -> None:
    done = shell(f"ulimit -v 2000000; fsmc {command} </dev/zero")
    assert done.code in (1, 2)
    assert "internal error" not in done.err
    assert "MiB" in done.out + done.err


def test_endless_tables_and_policies(files: Path) -> None:
    for head in ("{", '{"format": "x", '):
        done = shell(
            f"ulimit -v 2000000; (printf '%s' '{head}'; yes ' ') | fsmc lint -".replace("fsmc lint", "fsmc  lint")
        )
        assert done.code == 1
        assert "FSM" in done.out


def test_a_table_may_be_larger_than_a_policy(fsmc: Fsmc, files: Path) -> None:
    fsmc("compile", "p.yaml", "-o", "t.json")
    text = (files / "t.json").read_bytes().rstrip(b"\n") + b" " * (9 * 2**20)
    (files / "t.json").write_bytes(text)
    assert fsmc("lint", "t.json").out == "1 file checked, no findings\n"
    assert fsmc("lint", "-", stdin=text).out == "1 file checked, no findings\n"
    assert api.load("t.json").id == "good"


def test_a_trace_that_is_too_large(fsmc: Fsmc, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmc.trace._MAX_BYTES", len(TRACE))
    assert fsmc("simulate", "p.yaml", "t.jsonl").code == 0
    assert fsmc("simulate", "p.yaml", "-", stdin=TRACE).code == 0
    for path in ("/dev/zero", "-"):
        done = fsmc("simulate", "p.yaml", path, stdin=TRACE + "\n")
        assert done.code == 2
        assert "larger than" in done.err


def test_pipes_and_links_in_a_folder_of_traces_are_passed_over(files: Path) -> None:
    os.mkdir("traces")
    os.mkfifo("traces/pipe.jsonl")
    os.symlink("/dev/zero", "traces/zero.jsonl")
    os.symlink("missing", "traces/dangling.jsonl")
    os.mkdir("traces/folder.json")
    done = shell("fsmc simulate p.yaml traces")
    assert (done.code, done.err) == (2, "fsmc: traces: holds no trace: no .jsonl or .json file\n")
    os.symlink("../t.jsonl", "traces/t.jsonl")
    assert shell("fsmc simulate p.yaml traces").code == 0
    assert shell("fsmc lint traces").code == 2


def test_a_glob_with_links_in_circles(files: Path) -> None:
    for name in ("a/b/c", "z"):
        os.makedirs(name)
    for number in range(4):
        os.symlink("..", f"a/b/up{number}")
        os.symlink(files, f"a/b/c/top{number}")
    (files / "a/b/q.yaml").write_text(GOOD)
    (files / "a/.hidden.yaml").write_text(BAD)
    for pattern in (
        "**/*.yaml",
        "**/**/**/*.yaml",
        f"{files}/**/q.yaml",
        "a/*/q.yaml",
        "./**/[q]?yaml",
        "**/b/**/*.yaml",
    ):
        done = shell(f"fsmc lint --fail-on never '{pattern}' --format json")
        found = json.loads(done.out)["summary"]["files"]
        assert (done.code, found) == (0, 3 if pattern in ("**/*.yaml", "**/**/**/*.yaml") else 1), pattern
    assert shell("fsmc lint '**'").code == 2
    assert shell("fsmc lint 'a/.h*'").code == 1
    assert shell("fsmc lint '**/nothing*'").code == 2


def test_a_name_of_standard_input_that_is_no_utf_8(files: Path) -> None:
    done = shell("fsmc compile - --source-map --stdin-filename \"$(printf 'a\\377.yaml')\" < p.yaml")
    assert done.code == 0
    assert json.loads(done.out)["source_map"]["file"] == "a\ufffd.yaml"
    assert shell("fsmc lint - --stdin-filename \"$(printf 'a\\377.yaml')\" < bad.yaml").out.startswith(
        "a\ufffd.yaml:3:1"
    )


def test_the_longest_name_and_the_neighbours_of_a_result(fsmc: Fsmc, files: Path) -> None:
    name = "t" * 250 + ".json"
    (files / f".{name[:200]}.tmp").write_text("foreign")
    neighbours = {path: path.read_bytes() for path in files.iterdir()}
    assert fsmc("compile", "p.yaml", "-o", name).code == 0
    assert api.load(name).id == "good"
    (files / name).unlink()
    assert {path: path.read_bytes() for path in files.iterdir()} == neighbours
    assert fsmc("compile", "p.yaml", "-o", "/dev/full").code == 2
    assert fsmc("compile", "p.yaml", "-o", "a\0b").code == 2


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_result_has_the_mode_of_any_new_file(fsmc: Fsmc, files: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert fsmc("compile", "p.yaml", "-o", "t.json").code == 0
    finally:
        assert os.umask(before) == mask
    assert stat.S_IMODE(os.stat("t.json").st_mode) == 0o666 & ~mask


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 2}', "is given twice"),
        ('{"a": 1e400}', "too large"),
        ('{"a": NaN}', "NaN"),
        ('{"a": "\\ud800"}', "half of a character"),
        ('{"a": "\udcff"}', "is not UTF-8 text"),
        ("[" * 100_000, "levels deep"),
        ("@\0", "cannot be read"),
        ("@.", "cannot be read"),
    ],
)
def test_facts_that_json_cannot_say(fsmc: Fsmc, files: Path, text: str, said: str) -> None:
    done = fsmc("simulate", "p.yaml", "t.jsonl", "--context", text)
    assert done.code == 2
    assert said in done.err


def test_a_bad_header_does_not_stop_the_other_files(fsmc: Fsmc, files: Path) -> None:
    (files / "p.yaml").write_text(GOOD.replace("tools:", "context: {properties: {role: {enum: [x]}}}\ntools:", 1))
    (files / "bad.jsonl").write_text('{"trace": 1, "context": {"role": 5}}\n' + TRACE)
    done = fsmc("simulate", "p.yaml", "bad.jsonl", "t.jsonl", "--format", "json")
    runs = json.loads(done.out)["runs"]
    assert (done.code, [run["clean"] for run in runs]) == (1, [False, True])
    assert [finding["code"] for finding in runs[0]["findings"]] == ["bad_context"]
    assert fsmc("render", "p.yaml", "--trace", "bad.jsonl").code == 0


@pytest.mark.parametrize(
    "text", ['[{"role": []}, {"role": "user"}]', '{"role": {}}', "[]", "7", '{"call": []}', "{oops"]
)
def test_a_picture_of_a_damaged_trace_is_no_crash(fsmc: Fsmc, files: Path, text: str) -> None:
    (files / "t.jsonl").write_text(text)
    assert fsmc("render", "p.yaml", "--trace", "t.jsonl").code in (0, 2)


def test_too_little_memory_is_a_sentence(fsmc: Fsmc, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(document: object) -> None:
        raise MemoryError

    monkeypatch.setattr("fsmc.cli.lint.lint_document", greedy)
    done = fsmc("lint", "p.yaml")
    assert (done.code, done.err) == (2, "fsmc: there is not enough memory for this input\n")
