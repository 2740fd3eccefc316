"""Places are the promise of the linter: one token of a valid policy is changed, and the finding covers that token.

In YAML, TOML and JSON, for every key of the language, every reference to a name, every closed choice, every number, every header
and alias of a corpus. A name that is *defined* under another name is reported where the old one is used, and the message says it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fsmc.findings import Finding
from fsmc.linter import lint_text
from fsmc.rules import all_rules
from fsmc.rules.manual import page
from fsmc.source import parse
from fsmc.source.span import token
from fsmc.source.tree import Document, MappingNode, Place, SequenceNode
from tests.rules.test_cases import cases

ROOT = Path(__file__).parents[2]

# Mappings whose keys are names of the policy, and parts that are somebody else's language.
NAMES = {("states",), ("tools",), ("events",), ("guards",)}
FOREIGN = {"context", "input_schema", "output_schema"}
REFERENCES = {"target", "event", "initial", "fallback", "on_exhausted", "on_failure"}
CONDITIONS = {"guard", "when", "require", "failed_when", "transition_guard"}
CHOICES = {"type", "topology", "effect", "source"}


class Token(NamedTuple):
    """One token: where it is, without quotes, what it is, and the name that it defines."""

    start: int
    text: str
    kind: str
    defines: str | None = None


def tokens(document: Document) -> Iterator[Token]:
    """What is changed, in the order of the tree."""
    root = document.root
    assert isinstance(root, MappingNode)
    pending: list[tuple[Any, tuple[str, ...]]] = [(root, ())]
    while pending:
        node, path = pending.pop()
        if isinstance(node, SequenceNode):
            for value, offset in node.entries():
                if isinstance(value, str) and path[-1:] == ("tools",):
                    yield from shown(document, offset, value, "reference")
                pending.append((value, path))
        elif isinstance(node, MappingNode):
            named = path in NAMES or path[-1:] == ("set",)
            for key, value, at, offset in node.entries():
                if not named:
                    yield from shown(document, at, key, "key")
                elif path in NAMES:
                    yield from shown(document, at, key, "name", key)
                if key in FOREIGN and not named:
                    continue
                # Where no events are declared, any event is a name of its own: there is nothing to be wrong with it.
                closed = key not in ("event", "on_failure") or "events" in root
                if not named and closed and key in REFERENCES and isinstance(value, str):
                    yield from shown(document, offset, value, "reference")
                if not named and key in CONDITIONS and isinstance(value, str) and value in (root.get("guards") or ()):
                    yield from shown(document, offset, value, "guard")
                if not named and key in CHOICES and isinstance(value, str):
                    yield from shown(document, offset, value, "choice")
                if isinstance(value, int) and not isinstance(value, bool) and key not in ("version",):
                    yield from shown(document, offset, str(value), "number")
                pending.append((value, (*path, key)))


def shown(document: Document, offset: int, text: str, kind: str, defines: str | None = None) -> Iterator[Token]:
    """The token, where the text shows it literally."""
    raw = token(document.lines, offset, document.format)
    quote = len(raw) - len(raw.lstrip("\"'"))
    if document.text.startswith(text, offset + quote):
        yield Token(offset + quote, text, kind, defines)


def changed(text: str, found: Token) -> tuple[str, str]:
    """The text with one token changed, and the token as it is then."""
    new = '"many"' if found.kind == "number" else f"{found.text}x"
    return text[: found.start] + new + text[found.start + len(found.text) :], new


def covers(finding: Finding, document: Document, found: Token, new: str) -> bool:
    """Whether the caret of *finding* stands under the whole token."""
    start = document.lines.offset(Place(finding.line, finding.column))
    inner = new.strip('"')
    first = found.start + new.index(inner)
    return start <= first and first + len(inner) <= start + finding.length


def corpus() -> Iterator[tuple[str, str]]:
    """Valid policies by the name of their file."""
    for path in sorted((ROOT / "policies").glob("*/policy.*")):
        yield f"{path.parent.name}/{path.name}", path.read_text(encoding="utf-8")
    for suffix in ("yaml", "toml", "json"):
        path = ROOT / "fsmc" / "data" / f"starter.{suffix}"
        yield path.name, path.read_text(encoding="utf-8")
    yield from ((f"prefer-{rule.code}.yaml", page(rule).prefer) for rule in all_rules())
    yield from ((f"case-{number}.yaml", text) for number, (_, text) in enumerate(cases()) if "FSM" not in text)


def in_other_formats(name: str, text: str) -> Iterator[tuple[str, str]]:
    """The policy as it is, as JSON in two layouts, and as TOML where TOML can say it."""
    yield name, text
    if not name.endswith((".yaml", ".yml")):
        return
    document = parse(text.encode(), name)
    data = plain(document.root)
    for layout in (2, None):
        yield f"{name}.{layout}.json", json.dumps(data, indent=layout, ensure_ascii=False)
    if (written := as_toml(data)) is not None:
        yield f"{name}.toml", written


def plain(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: plain(value) for key, value in node.items()}
    return [plain(value) for value in node] if isinstance(node, list) else node


def as_toml(data: dict[str, Any]) -> str | None:
    """*data* in TOML: a header for each state, tool, event and guard, inline tables below them."""
    if "null" in json.dumps(data):
        return None
    top = [
        f"{word(key)} = {inline(value)}" for key, value in data.items() if (key,) not in NAMES or not all_tables(value)
    ]
    tables = [
        "\n".join([f"[{key}.{word(name)}]", *(f"{word(inner)} = {inline(part)}" for inner, part in value.items())])
        for key, values in data.items()
        if (key,) in NAMES and all_tables(values)
        for name, value in values.items()
    ]
    return "\n".join([*top, *tables, ""])


def all_tables(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values())


def word(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{word(key)} = {inline(inner)}" for key, inner in value.items()) + " }" if value else "{}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


CORPUS = [form for name, text in corpus() for form in in_other_formats(name, text) if not lint_text(form[1], form[0])]


def test_the_corpus_is_worth_the_name() -> None:
    suffixes = [name.rpartition(".")[2] for name, _ in CORPUS]
    assert len(CORPUS) > 200 and min(suffixes.count(suffix) for suffix in ("yaml", "json", "toml")) > 40


@pytest.mark.parametrize("part", range(8))
def test_a_token_that_is_changed_is_covered_by_what_is_found(part: int) -> None:
    missed: list[str] = []
    count = 0
    for name, text in CORPUS[part::8]:
        for found in tokens(parse(text.encode(), name)):
            wrong, new = changed(text, found)
            findings = lint_text(wrong, name)
            count += 1
            if not findings:
                continue  # still valid
            document = parse(wrong.encode(), name)
            if any(covers(finding, document, found, new) for finding in findings):
                continue
            if found.defines is not None and any(found.defines in finding.message for finding in findings):
                continue
            line = document.lines.place(found.start).line
            missed.append(
                f"{name}:{line}: {found.kind} {new}: {[(f.line, f.column, f.length, f.code, f.message) for f in findings][:2]}"
            )
    assert count > 300
    assert not missed, f"{len(missed)} of {count}:\n" + "\n".join(missed[:12])


def test_an_alias_of_nothing_is_covered() -> None:
    text = "fsmc: 1\nid: a\ninitial: A\nstates:\n  A: {transitions: &ends [{event: GO, target: B}]}\n  C: {transitions: *ends}\n  B: {type: terminal}\n"
    for wrong in ("*end", "*endsx"):
        (finding,) = lint_text(text.replace("*ends}", f"{wrong}}}"))
        assert (finding.line, finding.column, finding.length) == (6, text.split("\n")[5].index("*") + 1, len(wrong))
