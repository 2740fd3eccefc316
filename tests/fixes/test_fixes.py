"""What ``fsmc lint --fix`` makes of a file: the finding is gone, and everything else is as it was."""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

import pytest

from fsmc.fixes.catalogue import FIXABLE
from fsmc.fixes.mending import mend
from fsmc.linter import lint_text
from fsmc.rules import all_rules
from fsmc.rules.manual import page
from fsmc.source import parse
from tests.cli.conftest import Fsmc
from tests.linter.test_places import CORPUS, changed, in_other_formats, tokens

STARTER = Path(__file__).parents[2] / "fsmc" / "data"


def mended(text: str, name: str = "p.yaml", unsafe: bool = False) -> str:
    return mend(parse(text.encode(), name), lambda findings: findings, unsafe).document.text


@pytest.mark.parametrize("suffix", ["yaml", "toml", "json"])
@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("initial", "intial"), ("IDENTIFY", "IDENTFY"), ("find_customer", "find_custmer"), ("terminal", "termnal"),
        ("dag", "dagg"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_slip_is_mended_where_it_was_made(suffix: str, good: str, bad: str, ending: str) -> None:
    """The last mention of a name is misspelt; the text after the fix is the text before the slip."""
    text = (STARTER / f"starter.{suffix}").read_text(encoding="utf-8").replace("\n", ending)
    at = text.rindex(good)
    wrong = text[:at] + bad + text[at + len(good) :]
    if not [finding for finding in lint_text(wrong, f"p.{suffix}") if finding.code in FIXABLE]:
        pytest.skip("the slip is in a comment or makes a name of its own")
    after = mended(wrong, f"p.{suffix}")
    # Where a name is defined, the definition counts: what mentions it follows.
    assert after == text or (
        good == "IDENTIFY" and after.count(bad) == after.count("IDENT") - text.count("IDENTIFIED") > 1
    )


def test_slips_all_over_the_corpus_are_mended_or_left_alone() -> None:
    """One letter is doubled in a token; where the finding has one near name, the text is what it was. It is never worse."""
    restored = 0
    for name, text in CORPUS[::13]:
        for found in list(tokens(parse(text.encode(), name)))[::5]:
            if found.kind in ("number", "name") or len(found.text) < 4:
                continue
            wrong, _ = changed(text, found._replace(kind="key"))
            after = mended(wrong, name)
            assert len(lint_text(after, name)) <= len(lint_text(wrong, name)), (name, found)
            restored += after == text
    assert restored > 50


UNUSED = """\
# the desk
fsmc: 1
id: desk
initial: A
tools:
  look: {effect: read} # used
  # not used, for now
  spare: {effect: read} # spare
guards:
  never: context.n > 1
states:
  A: {tools: [look], transitions: [{event: GO, target: B}]} # go
  B: {type: terminal}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    list(in_other_formats("p.yaml", UNUSED)),
    ids=lambda value: value[-12:] if value[-1:] != "\n" else "",
)
def test_what_nothing_uses_is_cut_out(name: str, text: str) -> None:
    after = mended(text, name, unsafe=True)
    assert lint_text(after, name) == []
    assert "spare:" not in after and "never" not in after
    for comment in re.findall(r"# (?:the desk|used|not used, for now|go)", text):
        assert comment in after
    assert mended(text, name) == text, "only when it is asked for"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{look: {effect: read}, spare: {effect: read}}", "{look: {effect: read}}"),
        ("{spare: {effect: read}, look: {effect: read}}", "{look: {effect: read}}"),
        ("{spare: {effect: read, description: 'a, b} c'}, look: {effect: read}}", "{look: {effect: read}}"),
        ("{look: {effect: read}, spare: {effect: read} }", "{look: {effect: read} }"),
    ],
)
def test_in_one_line(before: str, after: str) -> None:
    policy = "fsmc: 1\nid: a\ninitial: A\ntools: TOOLS\nstates:\n  A: {tools: [look], transitions: [{event: GO, target: B}]}\n  B: {type: terminal}\n"
    assert mended(policy.replace("TOOLS", before), unsafe=True) == policy.replace("TOOLS", after)


def test_an_ambiguous_word_gets_quotes_and_stays_the_same_policy() -> None:
    text = (
        UNUSED.replace("  spare: {effect: read} # spare\n", "")
        .replace("guards:\n  never: context.n > 1\n", "")
        .replace("id: desk", "id: desk\ndescription: yes")
    )
    assert mended(text) == text.replace("description: yes", 'description: "yes"')


def test_an_unused_ignore_goes() -> None:
    text = "fsmc: 1\nid: a\ninitial: A # fsmc: ignore[cycle] once\n# fsmc: ignore[trap] gone\nstates:\n  A: {transitions: [{event: GO, target: B}]}\n  B: {type: terminal}\n"
    assert (
        mended(text)
        == "fsmc: 1\nid: a\ninitial: A\nstates:\n  A: {transitions: [{event: GO, target: B}]}\n  B: {type: terminal}\n"
    )


@pytest.mark.parametrize("code", sorted(FIXABLE))
def test_the_bad_example_of_each_rule_is_mended(code: str) -> None:
    rule = next(rule for rule in all_rules() if rule.code == code)
    encoding = "utf-8-sig" if code == "FSM008" else "utf-8"
    document = parse(page(rule).avoid.encode(encoding), "policy.yaml")
    done = mend(document, lambda findings: findings, True)
    if code in ("FSM105", "FSM204", "FSM103", "FSM104", "FSM013", "FSM410") and not done.fixed:
        pytest.skip("this example has no near name, or needs more than one change")
    assert done.fixed and (
        code == "FSM008" or code not in {f.code for f in lint_text(done.document.text, "policy.yaml")}
    )


class TestCommand:
    def test_the_file_is_written_and_told(self, fsmc: Fsmc, folder: Path) -> None:
        path = folder / "p.yaml"
        path.write_bytes(b"\xef\xbb\xbf" + UNUSED.replace("initial", "intial").replace("\n", "\r\n").encode())
        path.chmod(0o640)
        done = fsmc("lint", "--fix", "p.yaml")
        assert "fixed 2 findings in 1 file; 2 more with --unsafe-fixes" in done.err
        assert path.read_bytes() == UNUSED.replace("\n", "\r\n").encode()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        again = path.stat().st_mtime_ns
        assert "fixed 0 findings" in fsmc("lint", "--fix", "p.yaml").err
        assert path.stat().st_mtime_ns == again

    def test_a_difference_is_printed_and_nothing_written(self, fsmc: Fsmc, folder: Path) -> None:
        path = folder / "p.yaml"
        path.write_text(UNUSED.replace("initial", "intial"))
        done = fsmc("lint", "--diff", "p.yaml")
        assert done.code == 1
        assert [line for line in done.out.splitlines() if line[:1] in "+-"] == [
            "--- p.yaml",
            "+++ p.yaml",
            "-intial: A",
            "+initial: A",
        ]
        assert "intial" in path.read_text()
        path.write_text(UNUSED)
        assert (fsmc("lint", "--diff", "p.yaml").code, fsmc("lint", "--diff", "p.yaml").out) == (0, "")

    def test_only_what_is_reported_is_mended(self, fsmc: Fsmc, folder: Path) -> None:
        path = folder / "p.yaml"
        path.write_text(UNUSED)
        fsmc("lint", "--unsafe-fixes", "--ignore", "FSM401", "p.yaml")
        assert "spare" in path.read_text() and "never" not in path.read_text()

    def test_a_link_is_followed_and_what_cannot_be_written_is_said(self, fsmc: Fsmc, folder: Path) -> None:
        real, link = folder / "real.yaml", folder / "link.yaml"
        real.write_text(UNUSED.replace("initial", "intial"))
        link.symlink_to(real)
        fsmc("lint", "--fix", "link.yaml")
        assert link.is_symlink() and "initial" in real.read_text()
        if os.geteuid():
            real.write_text(UNUSED.replace("initial", "intial"))
            real.chmod(0o400)
            done = fsmc("lint", "--fix", "real.yaml")
            assert (done.code, "cannot be written" in done.err) == (2, True)

    def test_standard_input_has_no_file(self, fsmc: Fsmc) -> None:
        done = fsmc("lint", "--fix", "-")
        assert (done.code, "name a file" in done.err) == (2, True)


def test_ten_thousand_slips_end_in_time() -> None:
    tools = "".join(f"  tool_{n}: {{effect: raed}}\n" for n in range(1500))
    text = f"fsmc: 1\nid: a\ninitial: A\ntools:\n{tools}states:\n  A: {{tools: ['*'], transitions: [{{event: GO, target: B}}]}}\n  B: {{type: terminal}}\n"
    started = time.process_time()
    after = mended(text)
    assert time.process_time() - started < 60
    assert after.count("raed") < 1500
