"""What a newcomer runs into: wrong files, wrong options, too many words, a narrow terminal."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

import fsmc as api
from fsmc.cli import run
from fsmc.cli.root import COMMANDS
from fsmc.rules import all_rules
from fsmc.rules.manual import page
from tests.cli.conftest import GOOD, Fsmc

TRACE = '{"call": "look"}\n{"result": {}}\n'
WARNED = GOOD.replace("tools: {look", "tools: {other: {effect: read}, look")
CHAT = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
UNDRAWABLE = {
    "undefined-state", "undefined-tool", "undefined-guard", "expression-syntax", "expression-type", "invalid-schema",
}  # fmt: skip


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "p.yaml").write_text(GOOD)
    (folder / "warned.yaml").write_text(WARNED)
    (folder / "t.jsonl").write_text(TRACE)
    (folder / "chat.json").write_text(json.dumps(CHAT))
    (folder / "policy.json").write_text('{"fsmc": 1, "guards": {}, "context": {}}')
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    (folder / "empty").mkdir()
    return folder


@pytest.mark.parametrize("format_", ["text", "json"])
def test_a_folder_without_traces_is_no_clean_run(fsmc: Fsmc, files: Path, format_: str) -> None:
    done = fsmc("simulate", "p.yaml", "empty", "--format", format_)
    assert done.code == 2
    assert done.err == "fsmc: empty: holds no trace: no .jsonl or .json file\n"
    assert not done.out or json.loads(done.out)["clean"] is False


@pytest.mark.parametrize("text", ["", "\n", "[]", "{}", '{"messages": []}', "[[]]"])
@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_a_file_without_a_run_is_no_clean_run(fsmc: Fsmc, files: Path, name: str, text: str) -> None:
    (files / name).write_text(text)
    for source in (name, "."):
        assert fsmc("simulate", "p.yaml", source).code == 2
    for format_ in ("fsmc", "openai-chat"):
        assert fsmc("simulate", "p.yaml", name, "--input-format", format_).code != 0
    assert fsmc("render", "p.yaml", "--trace", name).code == 2


@pytest.mark.parametrize("command", ["lint", "compile", "show", "render", "render --findings"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("t.jsonl", "looks like a recorded run"),
        ("chat.json", "looks like a recorded run"),
        ("picture.png", "is a binary file"),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_name(
    fsmc: Fsmc, files: Path, command: str, name: str, said: str
) -> None:
    done = fsmc(*command.split(), name)
    assert done.code == 1
    assert said in done.out + done.err
    assert done.err + done.out == "" or (done.err + done.out).count("error[") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("p.yaml", "a policy"),
        ("policy.json", "a policy"),
        ("picture.png", "a binary file"),
        ("table.json", "a compiled table"),
    ],
)
def test_a_trace_of_another_kind_is_called_by_its_name(fsmc: Fsmc, files: Path, name: str, said: str) -> None:
    fsmc("compile", "p.yaml", "-o", "table.json")
    done = fsmc("simulate", "p.yaml", name)
    assert (done.code, done.err) == (2, f"fsmc: {name}: not a trace: this looks like {said}\n")
    assert "recorded run" in fsmc("simulate", "t.jsonl", "p.yaml").err


def test_a_line_that_is_no_json_says_so(fsmc: Fsmc, files: Path) -> None:
    (files / "broken.jsonl").write_text(TRACE + "{call: 1}\n")
    assert "line 3: trace: not JSON: " in fsmc("simulate", "p.yaml", "broken.jsonl").out


@pytest.mark.parametrize(
    ("target", "start"),
    [
        ("x.mmd", b"---\n"),
        ("x.dot", b"digraph"),
        ("x.gv", b"digraph"),
        ("x.svg", b"<?xml"),
        ("x.png", b"\x89PNG"),
        ("x.txt", b"---\n"),
    ],
)
def test_the_suffix_says_the_format_of_a_picture(fsmc: Fsmc, files: Path, target: str, start: bytes) -> None:
    if target[-3:] in ("svg", "png") and shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed: no dot")
    assert fsmc("render", "p.yaml", "-o", target).code == 0
    assert (files / target).read_bytes().startswith(start)


def test_a_format_that_contradicts_the_suffix(fsmc: Fsmc, files: Path) -> None:
    done = fsmc("render", "p.yaml", "-o", "x.svg", "--format", "dot")
    assert done.code == 2
    assert "--format dot does not go with the suffix .svg" in done.err
    assert fsmc("render", "p.yaml", "-o", "x.dot", "--format", "dot").code == 0
    assert fsmc("init", "foo.json", "--format", "yaml").code == 2
    assert fsmc("init", "foo.json", "--format", "json").code == 0
    assert not (files / "x.svg").exists()


@pytest.mark.parametrize("rule", [rule for rule in all_rules() if rule.check], ids=lambda rule: rule.name)
def test_findings_are_painted_wherever_the_policy_can_be_drawn(fsmc: Fsmc, folder: Path, rule: object) -> None:
    (folder / "bad.yaml").write_text(page(rule).avoid)  # type: ignore[arg-type]
    done = fsmc("render", "--findings", "bad.yaml")
    assert done.code == int(rule.level == "error")  # type: ignore[attr-defined]
    if rule.name in UNDRAWABLE:  # type: ignore[attr-defined]
        assert done.out == ""
    else:
        assert "stateDiagram-v2" in done.out
        assert rule.code in done.out  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", ["compile -o t.json", "show", "render", "simulate"])
def test_warnings_are_told_in_one_line_outside_lint(fsmc: Fsmc, files: Path, command: str) -> None:
    name, *options = command.split()
    done = fsmc(name, "warned.yaml", *(["t.jsonl"] if name == "simulate" else []), *options)
    assert done.code == 0
    assert done.err == "1 warning; see `fsmc lint warned.yaml`\n"
    assert fsmc("compile", "-", "-o", "t.json", stdin=WARNED).err == "1 warning; see `fsmc lint -`\n"


def test_errors_are_still_shown_in_full(fsmc: Fsmc, files: Path) -> None:
    (files / "bad file.yaml").write_text(WARNED.replace("target: B", "target: BB"))
    done = fsmc("show", "bad file.yaml")
    assert done.code == 1
    assert "error[FSM101]" in done.err and "warning[" not in done.err
    assert done.err.endswith("1 error in 1 file\n1 warning; see `fsmc lint 'bad file.yaml'`\n")


@pytest.mark.parametrize("name", ["FSM999", "fsm000", "FSM"])
def test_no_number_is_guessed(fsmc: Fsmc, name: str) -> None:
    done = fsmc("explain", name)
    assert done.code == 2
    assert "`fsmc rules` lists them all" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "--context is empty; it takes a JSON object"),
        ("{a: 1}", "--context is not JSON: `a: 1}` at column 2 does not fit; names and texts stand in double quotes"),
        ("{'a': 1}", "`'a': 1}` at column 2 does not fit; names and texts stand in double quotes"),
        ('{"a": ', "--context is not JSON: it ends too early"),
        ("[1]", "--context takes a JSON object, not a list"),
        ("[" * 100_000, "--context is not JSON that can be read"),
        ("@missing.json", "--context: missing.json cannot be read: No such file or directory"),
        ("@picture.png", "--context: picture.png is not UTF-8 text"),
    ],
)  # fmt: skip
def test_errors_of_the_context_option(fsmc: Fsmc, files: Path, text: str, said: str) -> None:
    done = fsmc("simulate", "p.yaml", "t.jsonl", "--context", text)
    assert done.code == 2
    assert said in done.err


def test_misspelt_guards(fsmc: Fsmc, files: Path) -> None:
    text = GOOD.replace("states:", "guards: {ready: {external: true}, fine: calls.look > 0}\nstates:")
    text = text.replace("target: B}", "target: B, guard: ready}, {event: SEEN, target: B, guard: fine}")
    (files / "guarded.yaml").write_text(text)
    assert "did you mean `ready`?" in fsmc("simulate", "guarded.yaml", "t.jsonl", "--guard", "raedy=true").err
    assert "`fine` is an expression" in fsmc("simulate", "guarded.yaml", "t.jsonl", "--guard", "fine=true").err
    (files / "g.jsonl").write_text('{"guards": {"redy": true}}\n')
    assert "did you mean `ready`? [unknown_guard]" in fsmc("simulate", "guarded.yaml", "g.jsonl").out


def test_a_command_to_copy_is_quoted(fsmc: Fsmc, folder: Path) -> None:
    assert fsmc("init", "foo bar").out == "wrote foo bar.yaml; check it with: fsmc lint 'foo bar.yaml'\n"


def test_the_list_of_commands_is_not_cut(fsmc: Fsmc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = fsmc("--help").out
    assert "..." not in shown.partition("Commands:")[2]
    assert all(f"\n  {name} " in shown for name in COMMANDS)
    assert max(map(len, shown.splitlines())) <= 80


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(columns: int, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    shown = Terminal()
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stderr", shown)
    run(arguments)
    monkeypatch.undo()
    return shown.getvalue()


@pytest.mark.parametrize("columns", [60, 80, 100, 160])
@pytest.mark.parametrize("command", ["rules", "lint", "simulate"])
def test_sentences_fit_a_terminal_and_keep_their_words(
    fsmc: Fsmc, files: Path, monkeypatch: pytest.MonkeyPatch, command: str, columns: int
) -> None:
    refused = '{"call": "refund", "args": {"customer": "c-7", "order": "o-1", "amount": 20}}\n'
    (files / "hasty.jsonl").write_text(refused + '{"guards": {"nobody": true}}\n')
    fsmc("init", "refund")
    arguments = {
        "rules": ["rules"],
        "lint": ["lint", "warned.yaml"],
        "simulate": ["simulate", "refund.yaml", "hasty.jsonl"],
    }
    plain = fsmc(*arguments[command]).out
    assert any(len(line) > 90 for line in plain.splitlines()) or command == "lint"
    monkeypatch.chdir(files)
    shown = on_terminal(columns, monkeypatch, *arguments[command])
    assert max(map(len, shown.splitlines())) <= columns
    assert sorted(words(shown)) == sorted(words(plain))


def words(text: str) -> list[str]:
    """The words of all sentences. Lines of the policy itself are excerpts, which may be cut."""
    return [word for line in text.splitlines() if " | " not in line for word in line.split()]


def test_the_mark_of_a_tool_stays_with_its_name() -> None:
    from fsmc.rendering.show import show

    table = api.load(Path(__file__).parents[2] / "policies" / "airline" / "policy.yaml")
    for width in (40, 70, 100):
        for terminal in (False, True):
            lines = show(table, terminal=terminal, width=width).splitlines()
            assert not [line for line in lines if re.search("[●○](?! [a-z])", line)]


@pytest.mark.parametrize("value", [5, {"a": 1}, None, 1.5, ["p.yaml"]], ids=str)
def test_what_is_no_path_is_refused_in_a_sentence(value: object) -> None:
    for name in ("load", "compile", "lint", "render", "simulate"):
        with pytest.raises(TypeError, match=rf"^fsmc\.{name} takes the path of a policy or table.*not a value of type"):
            getattr(api, name)(value)
    table = api.load(Path(__file__).parents[2] / "policies" / "booking" / "policy.yaml")
    with pytest.raises(TypeError, match=r"^fsmc\.simulate takes the path of a trace"):
        api.simulate(table, value)  # type: ignore[arg-type]


def test_what_cannot_be_read_is_one_error(folder: Path) -> None:
    for function in (api.load, api.compile, api.lint, api.render):
        for path in ("missing.yaml", folder / "missing", "a\0b"):
            with pytest.raises(api.InputError):
                function(path)
