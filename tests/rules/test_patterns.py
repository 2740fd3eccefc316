"""Slow patterns: what is called slow is slow, and what authors write is not called so."""

from __future__ import annotations

import re
import time

import pytest

from fsmc.rules.patterns import is_slow

# Each with the text that it repeats, and what comes before.
SLOW = {
    r"(a+)+$": ("", "a"),
    r"^(a*)*$": ("", "a"),
    r"^(\w+\s?)*$": ("", "a"),
    r"^([a-z]+)*\d": ("", "a"),
    r"^(.|\s)*$x": ("", " "),
    r"(?:a|a)*b": ("", "a"),
    r"^(ab|ab)*$": ("", "ab"),
    r"^(\s*\w+\s*)*-": ("", "a"),
    r"^(.*,)*$": ("", ","),
    r"^(.+,)+$": ("", ",,"),
    r"^(\w+ab)+$": ("", "ababab"),
    r"^(a|b+)*$": ("", "b"),
    r"^((ab)+)+$": ("", "ab"),
    r"^(?:(?:a+))+$": ("", "a"),
    r"^([a-z]{1,63}\.?)+$": ("", "a"),
    r"^(a+){2,}$": ("", "a"),
    r"^(a+?)+$": ("", "a"),
    r"^(a+){1,50}$": ("", "a"),
    r"(x(a+)+)y": ("x", "a"),
    r"^(?P<n>\d+)+-": ("", "1"),
    r"^(?=(a+)+b)a": ("", "a"),
    r"^((a+)+|c)$": ("", "a"),
    r"^(a+)+\b\d": ("", "a"),
}
QUICK = [
    "", "(", "^a+$", r"(a+b)+$", r"^(\d+,)*\d+$", r"^[a-z]+(-[a-z]+)*$", r"^(a|b)*$", r"^(\w|\d)+$", r"^(.|\n)*$",
    r"\d+\d+$", r"^(a+)?$", r"^(a+){1,3}$", r"^([^,]+,)*[^,]+$", r"^(\w+\.)+\w+$", r"^\S+@\S+$", r"T-[0-9]+",
    r"^(ab|cd)+$", r'^"(\\.|[^\\"])*"$', r"^(\d\d?)$", r"^(a+b+)+$", r"^(\bfoo\b\s+)+$", r"^(?:[01]\d|2[0-3]):[0-5]\d$",
    r"^([A-Z]{2}\d+\s)*$", r"^(a)(\1+b)+$", r"(a+)+", r"((a+)+)", r"^(a+)*?",
]  # fmt: skip


def seconds(pattern: str, text: str) -> float:
    before = time.process_time()
    re.search(pattern, text)
    return time.process_time() - before


@pytest.mark.parametrize("pattern", SLOW)
def test_a_slow_pattern_is_found_and_a_short_text_is_enough(pattern: str) -> None:
    assert is_slow(pattern)
    before, repeated = SLOW[pattern]
    assert any(seconds(pattern, before + repeated * rounds + "!\0") > 0.03 for rounds in range(1, 40))


@pytest.mark.parametrize("pattern", QUICK)
def test_a_usual_pattern_is_neither_called_slow_nor_slow(pattern: str) -> None:
    assert not is_slow(pattern)
    for piece in ("a", "ab", "1", ",", " ", "\\", "a-", "A", "foo ") if pattern != "(" else ():
        assert seconds(pattern, piece * 200 + "!\0") < 1
