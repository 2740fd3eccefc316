"""Every format: golden examples, schemas, and any text there and back."""

from __future__ import annotations

import gzip
import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given, settings

from fsmc import __version__
from fsmc.findings import LEVELS, Finding
from fsmc.portable import portable_text
from fsmc.report import FORMATS, report
from fsmc.report.checked import Checked
from fsmc.report.github import MAX_ANNOTATIONS
from fsmc.report.job_summary import MAX_BYTES as SUMMARY_BYTES
from fsmc.report.job_summary import job_summary
from fsmc.report.sarif import FINGERPRINT, MAX_RESULTS
from fsmc.report.style import printable
from fsmc.rules import all_rules
from fsmc.runtime.schemas import schema
from fsmc.source import parse
from tests.report.readers import annotations, table
from tests.report.regenerate import GOLDEN, reports
from tests.report.samples import POLICY, example, many, runs

SARIF_SCHEMA = json.loads(
    (Path(__file__).parents[1] / "data" / "sarif" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")
)
SARIF = jsonschema.Draft4Validator(SARIF_SCHEMA, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
JSON = jsonschema.Draft202012Validator(schema("lint-report-v1"))
GITLAB_KEYS = {"description", "check_name", "fingerprint", "severity", "location"}


def run_of(text: str) -> dict[str, Any]:
    log = json.loads(text)
    SARIF.validate(log)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_golden(name: str) -> None:
    text = (GOLDEN / name).read_text(encoding="utf-8").replace('"version": "0.1.0"', f'"version": "{__version__}"')
    assert reports()[name] == text, "run `python -m tests.report.regenerate` and read the difference"


def test_there_is_a_golden_example_of_every_format() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*FORMATS, "job_summary"}


@given(runs)
@settings(deadline=None)
def test_any_text_survives_json(checked: Checked) -> None:
    data = json.loads(report("json", checked))
    JSON.validate(data)
    for row, finding in zip(data["findings"], checked.portable().findings, strict=True):
        assert row["message"] == portable_text(finding.message)
        assert (row["path"], row["hint"], tuple(row["where"])) == (finding.path, finding.hint, finding.where)
        assert (row["fix"] is None) == (finding.fix is None)
        row["message"].encode()


@given(runs)
@settings(deadline=None)
def test_any_text_survives_sarif(checked: Checked) -> None:
    run = run_of(report("sarif", checked))
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    prints = set()
    for result, finding in zip(run["results"], checked.portable().findings, strict=True):
        assert result["message"]["text"].startswith(finding.message)
        assert rules[result["ruleIndex"]] == result["ruleId"] == finding.code
        location = result["locations"][0]["physicalLocation"]
        uri = location["artifactLocation"]["uri"]
        assert uri.isascii()
        assert unquote(uri).removeprefix("file://") == finding.path
        assert run["artifacts"][location["artifactLocation"]["index"]]["location"]["uri"] == uri
        assert location["region"]["endColumn"] == finding.column + finding.length
        prints.add(result["partialFingerprints"][FINGERPRINT])
    assert len(prints) == len(checked.findings)


@given(runs)
@settings(deadline=None)
def test_any_text_survives_github(checked: Checked) -> None:
    told = annotations(report("github", checked))
    told = told[len(checked.unreadable) :]
    shown = sorted(checked.portable().findings, key=lambda finding: LEVELS.index(finding.level))
    for annotation, finding in zip(told, shown, strict=True):
        hint = f"\nhint: {printable(finding.hint)}" if finding.hint else ""
        assert annotation.message == printable(finding.message) + hint
        assert annotation.properties["file"] == finding.path
        assert int(annotation.properties["line"]) == finding.line


@given(runs)
@settings(deadline=None)
def test_any_text_survives_the_job_summary(checked: Checked) -> None:
    checked = checked.portable()
    shown = sorted(checked.findings, key=lambda finding: LEVELS.index(finding.level))
    for (level, place, rule, message), finding in zip(table(job_summary(checked)), shown, strict=True):
        assert level == finding.level
        assert place == printable(f"{finding.path}:{finding.line}:{finding.column}").strip(" ")
        assert rule == f"{finding.code} {finding.rule}"
        hint = f"\n{printable(finding.hint)}" if finding.hint else ""
        assert message == (printable(finding.message) + hint).strip(" ")


@given(runs)
@settings(deadline=None)
def test_any_text_survives_gitlab(checked: Checked) -> None:
    issues = json.loads(report("gitlab", checked))
    for issue, finding in zip(issues, checked.portable().findings, strict=True):
        assert set(issue) == GITLAB_KEYS
        assert finding.message in issue["description"]
        assert issue["location"]["path"] == finding.path
        assert issue["location"]["lines"]["begin"] == finding.line
        assert issue["severity"] in ("info", "minor", "major")
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def in_xml(text: str) -> str:
    return _NOT_XML.sub(lambda match: ascii(match[0])[1:-1], text)


@given(runs)
@settings(deadline=None)
def test_any_text_survives_junit(checked: Checked) -> None:
    root = ElementTree.fromstring(report("junit", checked))
    checked = checked.portable()
    failures = {(case.get("classname"), failure.get("message")) for case in root.iter("testcase") for failure in case}
    wanted = {(in_xml(f.path), in_xml(f.message)) for f in checked.findings}
    assert wanted | {("inputs", in_xml(reason)) for reason in checked.unreadable} == failures
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite)
        assert int(suite.get("failures", "")) == len(list(suite.iter("failure")))
    assert int(root.get("tests", "")) == len(list(root.iter("testcase")))
    assert int(root.get("failures", "")) == len(checked.findings)
    for case, finding in zip(root.iter("failure"), sorted_by_file(checked), strict=True):
        assert in_xml(finding.message) in (case.text or "")


def sorted_by_file(checked: Checked) -> list[Finding]:
    return [finding for path in checked.files for finding in checked.findings if finding.path == path]


def test_every_report_has_the_findings_in_one_order() -> None:
    checked = example()
    codes = [finding.code for finding in checked.findings]
    assert [row["code"] for row in json.loads(report("json", checked))["findings"]] == codes
    assert [row["check_name"] for row in json.loads(report("gitlab", checked))] == codes
    assert [result["ruleId"] for result in run_of(report("sarif", checked))["results"]] == codes
    told = [a.properties["title"].split()[0] for a in annotations(report("github", checked)) if a.properties]
    assert told == codes


def test_sarif_places_are_characters_whatever_ends_a_line() -> None:
    text = POLICY.replace("SOLVED", "GELÖST𝄞").replace("\n", "\r\n")
    document = parse(text.encode(), "p.yaml")
    finding = example().findings[0]._replace(path="p.yaml", column=34)
    start = document.text.index("DNOE")
    fix = finding.fix
    assert fix is not None
    edit = fix.edits[0]._replace(start=start, end=start + 4)
    checked = Checked([finding._replace(fix=fix._replace(edits=(edit,)))], {"p.yaml": document})
    run = run_of(report("sarif", checked))
    assert run["columnKind"] == "unicodeCodePoints"
    (result,) = run["results"]
    region = result["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]
    assert region == {"startLine": 7, "startColumn": 34, "endLine": 7, "endColumn": 38}
    assert text.split("\r\n")[6][33:37] == "DNOE"
    assert result["locations"][0]["physicalLocation"]["region"]["endColumn"] == 38


def test_a_span_ends_within_its_line() -> None:
    checked = example()
    finding = checked.findings[0]._replace(length=1_000)
    assert checked.end_column(finding) == len(POLICY.split("\n")[6]) + 1


def test_sarif_explains_every_rule() -> None:
    found = [Finding(rule.code, rule.name, rule.level, "m", "p.yaml", 1, 1) for rule in all_rules()]
    rules = run_of(report("sarif", Checked(found, {"p.yaml": None})))["tool"]["driver"]["rules"]
    for told, rule in zip(rules, sorted(all_rules()), strict=True):
        assert told["id"] == rule.code
        assert told["shortDescription"]["text"] == rule.title
        assert rule.title in told["help"]["text"]
        assert told["helpUri"].endswith(f"/docs/rules/{rule.code}.md")
        assert told["helpUri"] in told["help"]["markdown"]


def test_sarif_says_what_could_not_be_read() -> None:
    (invocation,) = run_of(report("sarif", example()))["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "gone.yaml does not exist"


def test_sarif_keeps_the_gravest_of_too_many() -> None:
    extra = many(MAX_RESULTS, "info").findings
    grave = many(3, "error").findings
    run = run_of_unchecked(report("sarif", Checked([*extra, *grave], {"p.yaml": None})))
    assert len(run["results"]) == MAX_RESULTS
    assert [result["level"] for result in run["results"][-4:]] == ["note", "error", "error", "error"]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("3 of 25,003 findings are left out")


def run_of_unchecked(text: str) -> dict[str, Any]:
    """The run of a log that would take minutes to check against the schema."""
    run = json.loads(text)["runs"][0]
    assert isinstance(run, dict)
    return run


def test_sarif_stays_under_ten_megabytes_compressed() -> None:
    import random

    dice = random.Random(7)
    findings = [
        Finding("FSM204", "cycle", "error" if n % 2 else "info", dice.randbytes(3_000).hex(), "p.yaml", n + 1, 1)
        for n in range(6_000)
    ]
    text = report("sarif", Checked(findings, {"p.yaml": None}))
    assert len(gzip.compress(text.encode(), 6)) < 10_000_000
    run = run_of_unchecked(text)
    assert 2_000 < len(run["results"]) < 6_000
    assert sum(result["level"] == "error" for result in run["results"]) == min(3_000, len(run["results"]))
    assert "are left out" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_github_shows_the_gravest_and_counts_the_rest() -> None:
    parts = [many(30, level) for level in ("info", "warning", "error")]
    checked = Checked([finding for part in parts for finding in part.findings], {"p.yaml": None})
    log = report("github", checked)
    kinds = [annotation.command for annotation in annotations(log)]
    assert kinds == ["error"] * MAX_ANNOTATIONS + ["warning"] * MAX_ANNOTATIONS + ["notice"] * MAX_ANNOTATIONS
    *_, left, total = log.splitlines()
    assert left.endswith(": 20 errors, 20 warnings, 20 info")
    assert total == "30 errors, 30 warnings, 30 info in 1 file"


def test_the_job_summary_keeps_to_its_room() -> None:
    checked = many(20_000, "error", "x" * 100)
    text = job_summary(checked)
    assert len(text.encode()) <= SUMMARY_BYTES
    listed = len(table(text))
    assert 1_000 < listed < 20_000
    assert f"for want of room: {20_000 - listed} errors." in text
    assert job_summary(checked, 100) == ""


@pytest.mark.parametrize("format", FORMATS)
def test_ten_thousand_findings_take_time_in_proportion(format: str) -> None:
    def seconds(number: int) -> float:
        started = time.process_time()
        report(format, many(number))
        return time.process_time() - started

    seconds(100)
    some = min(seconds(2_500) for _ in range(3))
    all_of_them = min(seconds(10_000) for _ in range(2))
    assert all_of_them < 4
    assert all_of_them < 4 * 2.5 * some + 0.05
