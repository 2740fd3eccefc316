"""Reading from the file system, and which format is meant."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsmc.source import InputError, parse, read

REPOSITORY = Path(__file__).parents[2]


def test_the_suffix_says_the_format(tmp_path):
    for name, text in (("a.yml", "a: 1"), ("b.YAML", "a: 1"), ("c.toml", "a = 1")):
        (tmp_path / name).write_text(text)
        document = read(tmp_path / name)
        assert (document.root, document.path) == ({"a": 1}, str(tmp_path / name))
    assert parse(b'\n {"a": 1}', "policy").format == "json"
    assert parse(b"a: 1", "policy.txt").format == "yaml"
    assert parse(b"{a: 1}", "policy", "yaml").root == {"a": 1}


def test_what_cannot_be_read(tmp_path):
    fifo = tmp_path / "fifo.yaml"
    os.mkfifo(fifo)
    locked = tmp_path / "locked.yaml"
    locked.write_text("a: 1")
    locked.chmod(0)
    cases = [
        (tmp_path / "missing.yaml", "does not exist"),
        (tmp_path, "is a directory"),
        (fifo, "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (locked / "x.yaml", "cannot be read: Not a directory"),
        ("a\0b.yaml", "not a file name"),
    ]
    if os.geteuid():
        cases.append((locked, "may not be read"))
    for path, message in cases:
        with pytest.raises(InputError, match=message) as caught:
            read(path)
        assert "\n" not in str(caught.value)


def test_a_pyyaml_without_libyaml_is_one_clear_sentence():
    code = (
        "import sys; sys.modules['yaml._yaml'] = None\n"
        "import fsmc.source\n"
        "try: fsmc.source.parse(b'a: 1', 'x.yaml')\n"
        "except fsmc.source.InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=REPOSITORY)
    assert "libyaml" in done.stdout and "pip install" in done.stdout


@pytest.mark.parametrize("format", ["yaml", "toml", "json"])
@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b'"a\xff"', (1, 3), "0xff is not UTF-8"),
        ('# é\n"é'.encode() + b'\xed\xa0\x80"', (2, 3), "0xed is not UTF-8"),
        (b"#\n\0", (2, 1), "NUL"),
        ("a: 1".encode("utf-16"), (1, 1), "UTF-16"),
        ("a: 1".encode("utf-32"), (1, 1), "UTF-32"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa: 1", (1, 1), "byte order mark"),
    ],
)
def test_text_that_is_not_utf8(format, data, place, words):
    document = parse(data, f"x.{format}")
    (problem,) = document.problems
    assert (problem.code, problem.place) == ("encoding-error", place)
    assert words in problem.message
    assert document.root is None
