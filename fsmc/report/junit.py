"""Findings as JUnit XML, which most build servers show: a suite a file, a failed case a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fsmc.findings import Finding
from fsmc.links import rule_page
from fsmc.report.checked import Checked

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKUP = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}
# A reader turns line ends and tabs of an attribute into spaces, and a carriage return anywhere into a line end.
_BLANKS = {ord("\t"): "&#9;", ord("\n"): "&#10;", ord("\r"): "&#13;"}


def junit(checked: Checked) -> str:
    """One document. A file without findings is a suite with one case that passed; what could not be read is an error."""
    by_file: dict[str, list[Finding]] = {path: [] for path in checked.files}
    for finding in checked.findings:
        by_file.setdefault(finding.path, []).append(finding)
    suites = [_suite(path, findings) for path, findings in by_file.items()]
    if checked.unreadable:
        suites.append(_unreadable(checked.unreadable))
    tests = sum(max(1, len(findings)) for findings in by_file.values()) + len(checked.unreadable)
    numbers = _attributes(tests=tests, failures=len(checked.findings), errors=len(checked.unreadable))
    body = "".join(suites)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="fsmc lint"{numbers}>\n{body}</testsuites>\n'
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _suite(path: str, findings: Sequence[Finding]) -> str:
    numbers = _attributes(name=path, tests=max(1, len(findings)), failures=len(findings), errors=0)
    cases = "".join(map(_failed, findings)) or f"    <testcase{_attributes(classname=path, name='no findings')}/>\n"
    return f"  <testsuite{numbers}>\n{cases}  </testsuite>\n"


def _failed(finding: Finding) -> str:
    name = f"{finding.code} {finding.rule}, line {finding.line}, column {finding.column}"
    lines = [
        f"{finding.path}:{finding.line}:{finding.column}: {finding.message}",
        *(f"{finding.path}:{place.line}:{place.column}: {place.message}" for place in finding.related),
        *(f"run: {step}" for step in finding.trace),
        *([f"hint: {finding.hint}"] if finding.hint else ()),
        rule_page(finding.code),
    ]
    return (
        f"    <testcase{_attributes(classname=finding.path, name=name, file=finding.path)}>\n"
        f"      <failure{_attributes(type=finding.level, message=finding.message)}>{_content(chr(10).join(lines))}</failure>\n"
        "    </testcase>\n"
    )


def _unreadable(reasons: Sequence[str]) -> str:
    numbers = _attributes(name="inputs", tests=len(reasons), failures=0, errors=len(reasons))
    cases = "".join(
        f"    <testcase{_attributes(classname='inputs', name=reason)}>\n"
        f"      <error{_attributes(type='unreadable', message=reason)}/>\n"
        "    </testcase>\n"
        for reason in reasons
    )
    return f"  <testsuite{numbers}>\n{cases}  </testsuite>\n"


def _attributes(**values: str | int) -> str:
    return "".join(f' {name}="{_content(str(value)).translate(_BLANKS)}"' for name, value in values.items())


def _content(text: str) -> str:
    """*text* with markup escaped, and with Python's escapes for what XML 1.0 cannot hold in any way."""
    text = _NOT_XML.sub(lambda match: ascii(match[0])[1:-1], text)
    return text.translate(_MARKUP).replace("\r", "&#13;")
