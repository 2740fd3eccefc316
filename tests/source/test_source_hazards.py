"""Texts that are known to crash, fool or exhaust readers: each gives a value or a plain problem."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsmc.source import parse

REPOSITORY = Path(__file__).parents[2]
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
DEEP_ALIASES = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 200))
MERGES = (
    "m: &m {" + ", ".join(f"k{n}: 1" for n in range(1000)) + "}\n"
    + "".join(f"n{n}: {{<<: *m}}\n" for n in range(3000))
)  # fmt: skip

# format, text, the codes of its problems
HAZARDS = {
    "duplicate key": ("yaml", "a: 1\na: 2\n", ["duplicate-key"]),
    "boolean-like keys": ("yaml", "on: 1\nyes: 2\nno: 3\noff: 4\n", []),
    "numeric and boolean keys": ("yaml", "1: a\ntrue: b\n", ["unsupported-value"] * 2),
    "null key": ("yaml", "~: a\n", ["unsupported-value"]),
    "complex key": ("yaml", "? [a, b]\n: c\n", ["unsupported-value"]),
    "two merges": ("yaml", "a: &a {x: 1}\nb: {<<: *a, <<: *a}\n", ["duplicate-key"]),
    "merge of a scalar": ("yaml", "a: {<<: 1}\n", ["unsupported-value"]),
    "override of a merge": ("yaml", "a: &a {x: 1}\nb: {<<: *a, x: 2}\n", []),
    "alias bomb": ("yaml", LAUGHS, ["too-large"]),
    "aliases nested deep": ("yaml", DEEP_ALIASES, ["too-large"]),
    "merge bomb": ("yaml", MERGES, ["too-large"]),
    "recursive alias": ("yaml", "a: &a [*a]\n", ["unsupported-value"]),
    "recursive merge": ("yaml", "a: &a {<<: *a}\n", ["unsupported-value"]),
    "unknown alias": ("yaml", "a: *b\n", ["syntax-error"]),
    "two documents": ("yaml", "a: 1\n---\nb: 2\n", ["syntax-error"]),
    "empty": ("yaml", "", ["syntax-error"]),
    "only a comment": ("yaml", "# nothing\n", ["syntax-error"]),
    "only a marker": ("yaml", "---\n", ["syntax-error"]),
    "tab indentation": ("yaml", "a:\n\tb: 1\n", ["syntax-error"]),
    "only tabs": ("yaml", "a:\n" + " \t" * 500_000, ["syntax-error"]),
    "lines of tabs": ("yaml", "a:\n" + "\t\n" * 500_000, None),
    "tag before nothing": ("yaml", "a: !x " + "\n" * 3_000_000, ["unsupported-value"]),
    "values of YAML 1.1": ("yaml", "[2024-01-02, 12:30, 010, 1_000, 1e3, off]", []),
    "not finite": ("yaml", "[.inf, -.INF, .nan, 1e999]", ["unsupported-value"] * 4),
    "big integers": (
        "yaml",
        "[9223372036854775808, 0xffffffffffffffff]",
        ["unsupported-value"] * 2,
    ),
    "huge integer": ("yaml", "a: " + "9" * 100_000, ["unsupported-value"]),
    "python tag": ("yaml", "a: !!python/object/apply:os.system [x]\n", ["unsupported-value"]),
    "application tag": ("yaml", "a: !Ref b\n", ["unsupported-value"]),
    "binary tag": ("yaml", "a: !!binary aGk=\n", ["unsupported-value"]),
    "wrong core tag": ("yaml", "a: !!int x\nb: !!map []\n", ["unsupported-value"] * 2),
    "carriage returns": ("yaml", "a: 1\r\nb: [2,\r\n 3]\r\n", []),
    "control character": ("yaml", "a: \x07\n", ["encoding-error"]),
    "hidden line end": ("yaml", "# a comment\u2028a: 1\n", ["encoding-error"]),
    "half a character": ("yaml", 'a: "\\ud800"\n', ["syntax-error"]),
    "deep flow": ("yaml", "[" * 100_000, ["too-large"]),
    "deep blocks": ("yaml", "- " * 100_000 + "x", ["too-large"]),
    "100 levels": ("yaml", "[" * 100 + "]" * 100, []),
    "101 levels": ("yaml", "[" * 101 + "]" * 101, ["too-large"]),
    "long plain line": ("yaml", "a" * 3_000_000, []),
    "unclosed quote": ("yaml", 'a: "' + "x" * 1_000_000, ["syntax-error"]),
    "too many problems": ("yaml", "a: !x b\n" + "a: 1\n" * 20_000, None),
    "toml date": ("toml", "a = 2024-01-02\nb = 12:30:00\n", ["unsupported-value"] * 2),
    "toml not finite": ("toml", "a = inf\nb = [-nan, 1e999]\n", ["unsupported-value"] * 3),
    "toml big integer": ("toml", "a = 9223372036854775808\n", ["unsupported-value"]),
    "toml huge integer": ("toml", "a = " + "9" * 100_000, ["unsupported-value"]),
    "toml deep array": ("toml", "a = " + "[" * 100_000, ["too-large"]),
    "toml deep table": ("toml", "a = " + "{b=" * 5_000, ["too-large"]),
    "toml long dotted key": ("toml", "a." * 100_000 + "b = 1", ["too-large"]),
    "toml dotted keys inside": ("toml", "x = {" + "a." * 99 + "b = 1}", ["too-large"]),
    "toml long header": ("toml", "[" + "a." * 100_000 + "b]", ["too-large"]),
    "toml unclosed string": ("toml", 'a = """' + "x\\n" * 300_000, ["syntax-error"]),
    "toml open literal": ("toml", "a = '''" + "\\\n" * 1_000_000, ["syntax-error"]),
    "toml without sense": ("toml", "x\n" * 1_000_000, ["syntax-error"]),
    "toml escapes": ("toml", 'a = "' + "\\n" * 100_000 + '"', []),
    "toml duplicates": ("toml", "a = 1\na = 2\n[b]\n[b]\n", ["duplicate-key"] * 2),
    "toml closed table": ("toml", "a = {}\n[a.b]\n[a]\n", ["duplicate-key"]),
    "json duplicate": ("json", '{"a": 1, "\\u0061": 2}', ["duplicate-key"]),
    "json not finite": ("json", "[NaN]", ["unsupported-value"]),
    "json overflow": ("json", "[1e999, -1e999]", ["unsupported-value"] * 2),
    "json big integer": ("json", "[9223372036854775808]", ["unsupported-value"]),
    "json huge integer": ("json", "9" * 100_000, ["unsupported-value"]),
    "json half a character": ("json", '["\\ud800", "\\udc00x"]', ["unsupported-value"] * 2),
    "json whole character": ("json", '["\\ud83d\\ude00"]', []),
    "json deep": ("json", "[" * 1_000_000, ["too-large"]),
    "json deep objects": ("json", '{"a":' * 1_000_000, ["too-large"]),
    "json rest": ("json", "{} {}", ["syntax-error"]),
    "too large": ("json", " " * (16 * 1024 * 1024 + 1), ["too-large"]),
}


@pytest.mark.parametrize("name", HAZARDS)
def test_hazard(name):
    format, text, codes = HAZARDS[name]
    started = time.process_time()
    document = parse(text.encode(), f"x.{format}")
    assert time.process_time() - started < 1
    if codes is not None:
        assert [problem.code for problem in document.problems] == codes
    assert len(document.problems) <= 1001
    for problem in document.problems:
        assert problem.message and "\n" not in problem.message + (problem.hint or "")
        line = document.line(problem.place.line)
        assert 1 <= problem.place.column <= len(line) + 1
        assert document.token_length(problem.place) <= max(1, len(line) - problem.place.column + 1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
def test_bombs_stay_under_200_megabytes():
    # Not ru_maxrss: a child starts with the peak of the test process that it was forked from.
    code = (
        "import sys; sys.path.append('tests/source')\n"
        "from test_source_hazards import HAZARDS; from fsmc.source import parse\n"
        "for format, text, codes in HAZARDS.values(): parse(text.encode(), 'x.' + format)\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=REPOSITORY)
    assert int(done.stdout) < 200 * 1024


def test_the_garbage_collector_runs_again_after_an_error():
    for name in ("x.yaml", "x.toml", "x.json"):
        parse(b"a: [", name)
        assert gc.isenabled()
