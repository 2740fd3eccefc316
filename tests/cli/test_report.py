"""The excerpt with its caret, on the lines that break other tools."""

from __future__ import annotations

import pytest

from fsmc.findings import Finding, Related
from fsmc.report import exit_code, report
from fsmc.report.checked import Checked
from fsmc.report.excerpt import MAX_WIDTH, excerpt
from fsmc.report.style import printable, wants_color, width
from fsmc.source import parse


@pytest.mark.parametrize(
    ("line", "column", "length", "shown", "carets"),
    [
        ("topology: dga", 11, 3, "topology: dga", "          ^^^"),
        ("", 1, 1, "", "^"),
        ("ab", 3, 1, "ab", "  ^"),
        ("ab", 2, 99, "ab", " ^"),
        ("\tab", 2, 1, " ab", " ^"),
        ("漢字: x", 5, 1, "漢字: x", "      ^"),
        ("漢字: x", 1, 2, "漢字: x", "^^^^"),
        ("e\u0301x: y", 5, 1, "e\u0301x: y", "   ^"),
        ("a\u001bb", 3, 1, "a\\x1bb", "     ^"),
        ("a\u001bb", 2, 1, "a\\x1bb", " ^^^^"),
        ("\u202ex", 2, 1, "\\u202ex", "      ^"),
    ],
)
def test_caret(line: str, column: int, length: int, shown: str, carets: str) -> None:
    assert excerpt(line, column, length) == (shown, carets)


@pytest.mark.parametrize("letter", ["a", "漢", "\u001b", "e\u0301", "\u0301"])
@pytest.mark.parametrize("position", [0, 1, 3, 60, 500, 998, 999])
def test_long_lines_are_clipped_around_the_caret(letter: str, position: int) -> None:
    line = letter * position + "@" + letter * (1000 - position)
    column = line.index("@") + 1
    shown, carets = excerpt(line, column, 1)
    assert width(shown) <= MAX_WIDTH
    assert printable(shown) == shown
    before = len(carets) - 1
    assert carets == " " * before + "^"
    assert width(shown[: shown.index("@")]) == before


def test_a_report_shows_related_places_and_the_run() -> None:
    lines = {1: "a: 1", 12: "b: 2", 120: "c: 3"}
    text = "\n".join(lines.get(number, "") for number in range(1, 121))
    finding = Finding(
        "FSM301", "cycle", "warning", "states go round", "p.yaml", 12, 4, 1, "break it",
        (Related("and here", 1, 1), Related("far away", 120, 4)), ("A --X--> B", "B --Y--> A"),
    )  # fmt: skip
    assert report("text", Checked([finding], {"p.yaml": parse(text.encode(), "p.yaml")})) == (
        "p.yaml:12:4: warning[FSM301] cycle: states go round\n"
        "   12 | b: 2\n"
        "      |    ^\n"
        "    1 | a: 1\n"
        "      | ^ and here\n"
        "  120 | c: 3\n"
        "      |    ^ far away\n"
        "      = run:\n"
        "        1. A --X--> B\n"
        "        2. B --Y--> A\n"
        "      = hint: break it\n"
        "\n"
        "1 warning in 1 file\n"
    )


def finding(level: str) -> Finding:
    return Finding("FSM999", "x", level, "m", "p", 1, 1)


@pytest.mark.parametrize(
    ("levels", "fail_on", "code"),
    [
        ((), "info", 0), (("error",), "error", 1), (("warning",), "error", 0), (("warning",), "warning", 1),
        (("info",), "warning", 0), (("info",), "info", 1), (("error",), "never", 0), (("info", "error"), "error", 1),
    ],
)  # fmt: skip
def test_exit_codes(levels: tuple[str, ...], fail_on: str, code: int) -> None:
    assert exit_code(map(finding, levels), fail_on) == code
    assert exit_code(map(finding, levels), fail_on, unreadable=True) == 2


class Stream:
    def __init__(self, terminal: bool) -> None:
        self.isatty = lambda: terminal


@pytest.mark.parametrize(
    ("terminal", "environ", "wanted"),
    [
        (True, {}, True), (False, {}, False), (True, {"NO_COLOR": "1"}, False), (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True), (False, {"FORCE_COLOR": "0"}, False), (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)  # fmt: skip
def test_colour_is_wanted(terminal: bool, environ: dict[str, str], wanted: bool) -> None:
    assert wants_color(Stream(terminal), environ) is wanted
