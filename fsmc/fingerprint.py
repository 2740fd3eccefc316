"""What a finding is known by tomorrow, when its lines have moved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import sha256

from fsmc.findings import Finding
from fsmc.portable import portable_path, portable_text

_LENGTH = 32  # hexadecimal digits: 128 bits


def fingerprints(findings: Iterable[Finding], named: Callable[[str], str] = portable_path) -> list[str]:
    """One fingerprint for each of *findings*, in their order; no two are alike.

    It is made of the path of the file as *named* gives it, the code, the names that lead to the place (``linter.with_names`` adds
    them), and a number among findings that have all of these in common, in the order given. So it stays when lines move,
    when sentences are worded anew, and when something else in the file changes.
    """
    paths: dict[str, str] = {}
    alike: Counter[str] = Counter()
    made = []
    for finding in findings:
        if finding.path not in paths:
            paths[finding.path] = named(finding.path)
        place = json.dumps([paths[finding.path], finding.code, *map(portable_text, finding.where)])
        made.append(sha256(f"{place}#{alike[place]}".encode()).hexdigest()[:_LENGTH])
        alike[place] += 1
    return made
