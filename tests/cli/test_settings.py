"""What a project wants reported: files of settings, options, and `fsmc config`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fsmc.settings.lookup import Lookup
from tests.cli.conftest import BAD, Fsmc

# An undefined state, a dead end, and a state that nothing leads to.
POLICY = """\
fsmc: 1
id: flawed
initial: OPEN
states:
  OPEN:
    transitions:
      - {event: PARKED, target: WAITING}
      - {event: DONE, target: DONE}
  WAITING: {}
  LOST: {type: terminal}
  DONE: {type: terminal}
"""
FOUND = ["FSM208", "FSM206"]


@pytest.fixture
def policy(folder: Path) -> Path:
    (folder / "sub").mkdir()
    (folder / "sub" / "p.yaml").write_text(POLICY)
    return folder / "sub" / "p.yaml"


def codes(fsmc: Fsmc, *arguments: str) -> list[str]:
    done = fsmc("lint", "--format", "json", *arguments)
    assert done.code in (0, 1), done.err
    return [finding["code"] for finding in json.loads(done.out)["findings"]]


def settings(folder: Path, text: str, name: str = "fsmc.toml") -> None:
    (folder / name).write_text(text)


def test_without_settings_everything_is_reported(fsmc: Fsmc, policy: Path) -> None:
    assert codes(fsmc, "sub/p.yaml") == FOUND


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('select = ["FSM2"]', FOUND),
        ('select = ["dead-end"]', ["FSM208"]),
        ('select = ["fsm208", "FSM206"]', FOUND),
        ('ignore = ["FSM2"]', []),
        ('ignore = ["FSM206"]', ["FSM208"]),
        ('select = ["FSM2"]\nignore = ["FSM208"]', ["FSM206"]),
        ('select = ["FSM208"]\nignore = ["FSM2"]', ["FSM208"]),
        ('ignore = ["FSM2"]\nextend-select = ["unreachable-state"]', ["FSM206"]),
        ('select = ["FSM4"]\nextend-select = ["FSM208"]', ["FSM208"]),
        ('select = ["FSM208"]\nignore = ["dead-end"]', []),
        ('[lint.per-file-ignores]\n"sub/" = ["FSM2"]', []),
        ('[lint.per-file-ignores]\n"p.yaml" = ["FSM206"]', ["FSM208"]),
        ('[lint.per-file-ignores]\n"/p.yaml" = ["FSM206"]', FOUND),
        ('[lint.per-file-ignores]\n"**/*.yaml" = ["cycle"]\n"sub/*" = ["dead-end", "FSM206"]', []),
        ("", FOUND),
    ],
)
@pytest.mark.parametrize("project", [False, True])
def test_rules_are_chosen(fsmc: Fsmc, folder: Path, policy: Path, text: str, left: list[str], project: bool) -> None:
    text = f"[lint]\n{text}"
    if project:
        settings(folder, '[project]\nname = "x"\n' + text.replace("[lint", "[tool.fsmc.lint"), "pyproject.toml")
    else:
        settings(folder, text)
    assert codes(fsmc, "sub") == left


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ("--select dead-end", ["FSM208"]),
        ("--select FSM2", FOUND),
        ("--select FSM2 --ignore FSM206", ["FSM208"]),
        ("--ignore FSM208", []),
        ("--extend-select FSM206", FOUND),
        ("--extend-select FSM206,cycle --ignore FSM208", ["FSM206"]),
        ("--isolated", FOUND),
        ("--config other/fsmc.toml", ["FSM206"]),
    ],
)
def test_options_win_over_files(fsmc: Fsmc, folder: Path, policy: Path, arguments: str, left: list[str]) -> None:
    settings(folder, '[lint]\nignore = ["FSM206"]\n')
    (folder / "other").mkdir()
    settings(folder / "other", '[lint]\nignore = ["FSM208"]\n')
    assert codes(fsmc, "sub", *arguments.split()) == left


def test_the_nearest_file_counts_for_each_policy(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    for name in ("a", "a/b", "a/c"):
        (folder / name).mkdir()
        (folder / name / "p.yaml").write_text(POLICY)
    settings(folder, '[lint]\nselect = ["FSM208"]\n')
    settings(folder / "a", '[tool.fsmc.lint]\nselect = ["FSM206"]\n', "pyproject.toml")
    settings(folder / "a" / "b", "[tool.other]\nx = 1979-05-27\n", "pyproject.toml")
    settings(folder / "a" / "c", "[lint]\nselect = ['FSM4']\n")
    settings(folder / "a" / "c", "[tool.fsmc.lint]\nselect = ['FSM2']\n", "pyproject.toml")
    rows = json.loads(fsmc("lint", "--format", "json", ".").out)["findings"]
    assert [(row["path"], row["code"]) for row in rows] == [
        ("a/p.yaml", "FSM206"), ("a/b/p.yaml", "FSM206"), ("sub/p.yaml", "FSM208"),
    ]  # fmt: skip


def test_levels_and_the_bound_of_failure(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    settings(folder, '[lint]\nfail-on = "error"\n[lint.severity]\nFSM208 = "info"\nFSM2 = "warning"\nFSM206 = "info"\n')
    done = fsmc("lint", "sub", "--format", "concise")
    assert done.code == 0
    assert [line.split()[1:3] for line in done.out.splitlines()] == [["info", "FSM208"], ["info", "FSM206"]]
    assert fsmc("lint", "sub", "--fail-on", "info").code == 1
    assert fsmc("lint", "sub", "--isolated").code == 1


def test_each_file_fails_by_its_own_bound(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    settings(folder / "sub", '[lint]\nfail-on = "never"\n')
    assert fsmc("lint", ".").code == 0
    (folder / "p.yaml").write_text(POLICY)
    assert fsmc("lint", ".").code == 1


def test_an_error_that_lint_calls_a_warning_is_still_not_compiled(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    settings(folder, '[lint]\nfail-on = "error"\nignore = ["FSM206"]\n[lint.severity]\ndead-end = "warning"\n')
    assert fsmc("lint", "sub").code == 0
    done = fsmc("compile", "sub/p.yaml")
    assert done.code == 1
    assert "error[FSM208]" in done.err


@pytest.mark.parametrize(
    "text",
    [
        'ignore = ["FSM0"]',
        'select = ["FSM4"]',
        '[lint.severity]\nFSM0 = "info"',
        '[lint.per-file-ignores]\n"*" = ["FSM"]',
    ],
)
@pytest.mark.parametrize("policy", [BAD, "fsmc: [\n", "fsmc: 1\nid: a\nid: b\n", "fsmc: \0\n"])
def test_what_keeps_a_policy_from_being_read_is_always_an_error(
    fsmc: Fsmc, folder: Path, policy: str, text: str
) -> None:
    (folder / "p.yaml").write_text(policy)
    settings(folder, f"[lint]\n{text}")
    done = fsmc("lint", "p.yaml", "--format", "concise")
    assert done.code == 1
    assert done.out == fsmc("lint", "p.yaml", "--format", "concise", "--isolated").out
    done = fsmc("lint", "p.yaml", "--format", "concise")
    assert "cannot be hidden or lowered: until that is mended, nothing else in the file is checked" in done.err


def test_what_a_walk_passes_over(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    for name in ("old", "old/deep", "sub/old", "sub/new"):
        (folder / name).mkdir()
        (folder / name / "p.yaml").write_text(BAD)
    settings(folder, '[lint]\nexclude = ["old/", "/sub/new/*.yaml", "!sub/old/"]\n')
    paths = [row["path"] for row in json.loads(fsmc("lint", "--format", "json", ".").out)["findings"]]
    assert sorted(set(paths)) == ["sub/old/p.yaml", "sub/p.yaml"]
    assert codes(fsmc, "old/p.yaml") == codes(fsmc, "old/deep/p.yaml") == ["FSM010"]
    assert codes(fsmc, "old") == ["FSM010", "FSM010"]
    assert fsmc("lint", "sub/new").code == 2


def test_standard_input_is_where_its_name_says(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    settings(folder / "sub", '[lint]\nignore = ["FSM2"]\n')
    assert fsmc("lint", "-", stdin=POLICY).code == 1
    assert fsmc("lint", "-", "--stdin-filename", "sub/x.yaml", stdin=POLICY).code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[lint]\nslect = ["FSM2"]', "fsmc.toml:2:1: unknown key `slect` in [lint]; did you mean `select`?"),
        ('[lint]\nselect = ["FSM2", "cycel"]', "fsmc.toml:2:19: no rule is called `cycel`; did you mean `cycle`?"),
        ('[lint]\nignore = ["FSM2O4"]', "fsmc.toml:2:11: no rule is called `FSM2O4`; did you mean `FSM204`?"),
        ('[lint]\nignore = ["FSM999"]', "fsmc.toml:2:11: no rule is called `FSM999`; `fsmc rules` lists them all"),
        ('[lint]\nfail-on = "eror"', "fsmc.toml:2:11: `eror` is no level; did you mean `error`?"),
        (
            '[lint.severity]\ncycle = "fatal"',
            "fsmc.toml:2:9: `fatal` is no level; known are `error`, `warning`, `info`",
        ),
        ('[lint.severity]\ncycel = "info"', "fsmc.toml:2:1: no rule is called `cycel`; did you mean `cycle`?"),
        ("[lint.severity]\ncycle = 1", "fsmc.toml:2:9: `cycle` must be text, not a number"),
        ("[lint]\nseverity = 'info'", "fsmc.toml:2:12: `severity` must be a table, not text"),
        ('[lint]\nselect = "FSM2"', "fsmc.toml:2:10: `select` must be a list of texts, not text"),
        ("[lint]\nselect = [1]", "fsmc.toml:2:11: items of `select` must be text, not a number"),
        ("[lint]\nselect = []", "fsmc.toml:2:10: `select` is empty, so nothing would be reported"),
        ("[lint]\nbaseline = ''", "fsmc.toml:2:12: `baseline` is empty; it names a file"),
        ("[lint]\nexclude = ['!']", "fsmc.toml:2:12: `!` is no pattern of files; write them as in a .gitignore"),
        ("[lint.per-file-ignores]\n'x' = ['y']", "fsmc.toml:2:8: no rule is called `y`"),
        ("lint = 1", "fsmc.toml:1:8: [lint] must be a table, not a number"),
        ("[lnt]", "fsmc.toml:1:2: unknown key `lnt` in the settings; did you mean `lint`?"),
        ('select = ["FSM2"]', "fsmc.toml:1:1: unknown key `select` in the settings; it belongs in [lint]"),
        ("[lint", "fsmc.toml:1:6: the table's name is not closed"),
        ("[lint]\na = 1\na = 2", 'fsmc.toml:3:1: the key "a" is written twice'),
        ("[lint]\nselect = [" + "[" * 200, "fsmc.toml:2:"),
        ("\udcff", "fsmc.toml:1:1: the byte 0xff is not UTF-8 text"),
        ("# " + "x" * 9_000_000, "fsmc.toml:1:1: the file is larger than 8 MiB"),
    ],
)
def test_settings_that_mean_nothing_are_an_error_with_its_place(fsmc: Fsmc, policy: Path, text: str, said: str) -> None:
    (policy.parent.parent / "fsmc.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = fsmc("lint", "sub/p.yaml")
    assert done.code == 2
    assert done.err.startswith(f"fsmc: {said}")
    assert done.err.count("\n") == 1
    assert fsmc("lint", "sub/p.yaml", "--isolated").code == 1
    assert fsmc("config", "sub/p.yaml").code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--select cycel", "did you mean `cycle`?"),
        ("--ignore ,", "--ignore names no rule"),
        ("--extend-select FSM9", "`fsmc rules` lists them all"),
        ("--config missing.toml", "missing.toml does not exist"),
        ("--config sub", "sub is not a regular file"),
        ("--config pyproject.toml", "pyproject.toml has no [tool.fsmc] table"),
        ("--config fsmc.toml --isolated", "leave one of them out"),
    ],
)
def test_options_that_mean_nothing(fsmc: Fsmc, folder: Path, policy: Path, arguments: str, said: str) -> None:
    settings(folder, "")
    settings(folder, "[project]", "pyproject.toml")
    done = fsmc("lint", "sub", *arguments.split())
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[project]\ndependencies = ['fsmc']",
        "[tool.fsmcx]\na = 1",
        "broken [",
        "[tool.other]\nday = 1979-05-27",
        "[tool]\nx = 1",
    ],
)
def test_project_files_that_are_none_of_our_business(fsmc: Fsmc, folder: Path, policy: Path, text: str) -> None:
    settings(folder, text, "pyproject.toml")
    assert codes(fsmc, "sub") == FOUND


@pytest.mark.parametrize(
    "text",
    [
        "[tool.fsmc.lint]\nignore = ['FSM2']",
        "[tool.fsmc]\nlint.ignore = ['FSM2']",
        "[tool]\nfsmc = {lint = {ignore = ['FSM2']}}",
        "tool.fsmc.lint.ignore = ['FSM2']",
        "tool = {fsmc = {lint = {ignore = ['FSM2']}}}",
        "[ tool . 'fsmc' . lint ]\nignore = ['FSM2']",
        "[tool.other]\nday = 1979-05-27\nbig = inf\n[tool.fsmc.lint]\nignore = ['FSM2']",
    ],
)
def test_every_way_to_write_the_table(fsmc: Fsmc, folder: Path, policy: Path, text: str) -> None:
    settings(folder, text, "pyproject.toml")
    assert codes(fsmc, "sub") == []


def test_a_policy_of_that_name_and_a_folder_of_that_name_are_no_settings(
    fsmc: Fsmc, folder: Path, policy: Path
) -> None:
    (folder / "sub" / "pyproject.toml").mkdir()
    settings(folder / "sub", 'fsmc = 1\nid = "t"\ninitial = "A"\nstates.A.type = "terminal"\n')
    settings(folder, '[lint]\nignore = ["FSM2"]\n')
    assert codes(fsmc, "sub/p.yaml") == []


def test_a_link_to_itself_cannot_be_read(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    os.symlink("fsmc.toml", folder / "fsmc.toml")
    done = fsmc("lint", "sub")
    assert done.code == 2
    assert "fsmc.toml cannot be read" in done.err


def test_a_file_that_is_no_file(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    os.mkfifo(folder / "fsmc.toml")
    assert "fsmc.toml is not a regular file" in fsmc("lint", "sub").err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    settings(folder, "")
    (folder / "fsmc.toml").chmod(0)
    assert "fsmc.toml cannot be read" in fsmc("lint", "sub").err


def test_a_folder_is_looked_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    asked: list[str] = []
    monkeypatch.setattr("fsmc.settings.lookup._is_there", lambda path: asked.append(path) or False)
    lookup = Lookup()
    for _ in range(3):
        assert lookup.of(str(deep)) is lookup.of(str(folder)) is None
    assert len(asked) == len(set(asked)) == 2 * len(Path(str(deep)).parts)


def test_config_shows_each_value_and_its_origin(fsmc: Fsmc, folder: Path, policy: Path) -> None:
    assert fsmc("config").out.splitlines()[:2] == [
        ".: no file of settings",
        "select            FSM      default",
    ]
    settings(
        folder, '[lint]\nignore = [\n  "cycle",\n  "FSM4",\n]\nfail-on = "info"\n[lint.severity]\ndead-end = "info"\n'
    )
    assert fsmc("config", "sub/p.yaml", "--ignore", "trap", "--fail-on", "error").out == (
        "sub/p.yaml: from fsmc.toml\n"
        "select            FSM              default\n"
        "ignore            cycle            fsmc.toml:3\n"
        "ignore            FSM4             fsmc.toml:4\n"
        "ignore            trap             --ignore\n"
        "extend-select     none             default\n"
        "per-file-ignores  none             default\n"
        "severity          dead-end = info  fsmc.toml:8\n"
        "fail-on           error            --fail-on\n"
        "exclude           none             default\n"
        "baseline          none             default\n"
    )
    rows = json.loads(fsmc("config", "--format", "json", "sub", "--select", "FSM2").out)
    assert rows["file"] == "fsmc.toml"
    assert {"key": "select", "about": None, "value": "FSM2", "origin": "--select"} in rows["settings"]
    assert not [row for row in rows["settings"] if row["key"] == "ignore"]
    assert fsmc("config", "missing").code == 2


def test_python_reads_no_settings_and_follows_comments(folder: Path, policy: Path) -> None:
    import fsmc

    settings(folder, '[lint]\nignore = ["FSM2"]\n')
    assert [finding.code for finding in fsmc.lint("sub")] == FOUND
    policy.write_text(POLICY.replace("WAITING: {}", "WAITING: {}  # fsmc: ignore[dead-end]"))
    assert [finding.code for finding in fsmc.lint("sub")] == ["FSM206"]
