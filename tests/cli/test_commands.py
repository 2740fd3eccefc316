"""init, compile, show, render, explain, rules and schema."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

import fsmc as api
from fsmc.rules import all_rules
from tests.cli.conftest import BAD, GOOD, Fsmc

FORMATS = ("yaml", "toml", "json")


@pytest.mark.parametrize("format_", FORMATS)
def test_init_writes_a_policy_without_findings(fsmc: Fsmc, folder: Path, format_: str) -> None:
    done = fsmc("init", "my-bot", "--format", format_)
    assert done.code == 0
    assert done.out == f"wrote my-bot.{format_}; check it with: fsmc lint my-bot.{format_}\n"
    assert api.lint(folder / f"my-bot.{format_}") == []
    assert api.load(folder / f"my-bot.{format_}").id == "my-bot"


def test_the_starters_are_one_policy(fsmc: Fsmc, folder: Path) -> None:
    for format_ in FORMATS:
        fsmc("init", f"p.{format_}")
    assert len({api.load(f"p.{format_}").to_json() for format_ in FORMATS}) == 1


def test_init_names(fsmc: Fsmc, folder: Path) -> None:
    assert fsmc("init").code == 0
    before = (folder / "policy.yaml").read_text()
    done = fsmc("init")
    assert (done.code, done.err) == (2, "fsmc: policy.yaml exists already; name another file\n")
    assert (folder / "policy.yaml").read_text() == before
    assert fsmc("init", 'quo"te\\').code == 0
    assert api.load('quo"te\\.yaml').id == 'quo"te\\'
    assert fsmc("init", "missing/p").code == 2
    assert fsmc("init", "a\nb").code == 2


def test_compile_writes_the_same_bytes_every_time(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    first = fsmc("compile", "p.yaml", "-o", "t.json")
    assert first.code == 0
    assert first.out.startswith("sha256:")
    assert first.err == ""
    data = (folder / "t.json").read_bytes()
    (folder / "sub").mkdir()
    (folder / "sub" / "other.yaml").write_bytes(GOOD.replace("\n", "\r\n").encode())
    second = fsmc("compile", "sub/other.yaml", "-o", "t2.json")
    assert second.out == first.out
    assert (folder / "t2.json").read_bytes() == data
    table = api.load("t.json")
    assert table.digest == first.out.strip()
    assert table.to_json().encode() + b"\n" == data
    assert sorted(os.listdir(folder)) == ["p.yaml", "sub", "t.json", "t2.json"]


def test_compile_to_standard_output(fsmc: Fsmc, folder: Path) -> None:
    done = fsmc("compile", "-", stdin=GOOD)
    assert done.code == 0
    assert json.loads(done.out)["digest"] == done.err.strip()


def test_the_source_map_leaves_the_digest(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    plain = json.loads(fsmc("compile", "p.yaml").out)
    mapped = json.loads(fsmc("compile", "p.yaml", "--source-map").out)
    assert mapped.pop("source_map")["states"] == [[6, 3], [9, 3]]
    assert mapped == plain


def test_compile_refuses(fsmc: Fsmc, folder: Path) -> None:
    (folder / "bad.yaml").write_text(BAD)
    done = fsmc("compile", "bad.yaml", "-o", "t.json")
    assert (done.code, done.out) == (1, "")
    assert "FSM010" in done.err
    assert not (folder / "t.json").exists()
    (folder / "p.yaml").write_text(GOOD)
    os.symlink("p.yaml", "link.yaml")
    for target in ("p.yaml", "./p.yaml", "link.yaml"):
        assert fsmc("compile", "p.yaml", "-o", target).code == 2
    assert (folder / "p.yaml").read_text() == GOOD
    assert fsmc("compile", "missing.yaml").code == 2
    assert fsmc("compile", ".").code == 2
    assert fsmc("compile", "p.yaml", "-o", "no/such/folder.json").code == 2
    fsmc("compile", "p.yaml", "-o", "t.json")
    assert "compiled table already" in fsmc("compile", "t.json").err


def test_compile_replaces_a_file_as_a_whole_and_keeps_its_mode(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    (folder / "t.json").write_text("old")
    (folder / "t.json").chmod(0o640)
    os.symlink("t.json", "link.json")
    assert fsmc("compile", "p.yaml", "-o", "link.json").code == 0
    assert (folder / "link.json").is_symlink()
    assert stat.S_IMODE((folder / "t.json").stat().st_mode) == 0o640
    assert api.load("t.json").id == "good"
    assert fsmc("compile", "p.yaml", "-o", os.devnull).code == 0
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_show_and_render_read_policies_and_tables(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    fsmc("compile", "p.yaml", "-o", "t.json")
    for arguments in (["show"], ["render"], ["render", "--format", "dot", "--tools"]):
        done = fsmc(*arguments, "p.yaml")
        assert done.code == 0, done.err
        assert "SEEN" in done.out
        assert fsmc(*arguments, "t.json").out == done.out
        assert fsmc(*arguments, "-", stdin=GOOD).out == done.out
    assert fsmc("render", "p.yaml", "-o", "p.yaml").code == 2
    (folder / "bad.yaml").write_text(BAD)
    assert fsmc("show", "bad.yaml").code == 1
    assert fsmc("render", "--findings", "p.yaml").code == 0


TRACE = '{"trace": 1}\n{"call": "look"}\n{"result": {}}\n'


def test_the_python_simulation(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    (folder / "t.jsonl").write_text(TRACE)
    (report,) = api.simulate("p.yaml", "t.jsonl")
    assert (report.state, report.finished) == ("B", True)
    painted = fsmc("render", "p.yaml", "--trace", "t.jsonl")
    assert painted.code == 0
    assert painted.out != fsmc("render", "p.yaml").out
    assert fsmc("render", "p.yaml", "--trace", "missing.jsonl").code == 2


def test_explain_and_rules_cover_every_rule(fsmc: Fsmc) -> None:
    listed = json.loads(fsmc("rules", "--format", "json").out)
    assert [(rule["code"], rule["name"]) for rule in listed] == [(rule.code, rule.name) for rule in all_rules()]
    table = fsmc("rules").out.splitlines()
    for rule, line in zip(all_rules(), table, strict=True):
        assert line.startswith(f"{rule.code}  {rule.name}")
        by_code, by_name = fsmc("explain", rule.code.lower()), fsmc("explain", rule.name)
        assert by_code.out == by_name.out
        assert rule.title in by_code.out


def test_explain_of_an_unknown_rule(fsmc: Fsmc) -> None:
    done = fsmc("explain", "unknwon-key")
    assert done.code == 2
    assert "did you mean `unknown-key`?" in done.err
    assert fsmc("explain", "%%%").code == 2


def test_schema(fsmc: Fsmc) -> None:
    assert json.loads(fsmc("schema").out)["title"].startswith("fsmc policy")
    assert fsmc("schema", "polcy").code == 2


def test_the_python_functions(fsmc: Fsmc, folder: Path) -> None:
    (folder / "p.yaml").write_text(GOOD)
    (folder / "bad.yaml").write_text(BAD)
    assert api.lint("p.yaml") == []
    assert api.load("p.yaml").step("A", "SEEN").target == "B"
    assert "SEEN" in str(api.render("p.yaml"))
    assert "SEEN" in str(api.render(api.load("p.yaml"), "dot"))
    with pytest.raises(api.PolicyError, match=r"bad.yaml:3:1: error FSM010 unknown-key") as caught:
        api.load("bad.yaml")
    assert [finding.code for finding in caught.value.findings] == ["FSM010"]
    for function in (api.load, api.compile, api.lint):
        with pytest.raises(api.FsmcError, match="missing"):
            function("missing.yaml")
    with pytest.raises(AttributeError):
        api.nothing  # type: ignore[attr-defined]  # noqa: B018
    assert set(api.__all__) <= set(dir(api))
