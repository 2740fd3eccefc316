"""What is wrong with the structure of a document, in sentences with places.

Only called for a document that ``fsmc.runtime.schemas.quick_check`` did not pass: jsonschema is the judge, and this module says
in words what it found. Nothing found means that the document is valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from fsmc.policy import wording
from fsmc.runtime.annotations import NamedTuple
from fsmc.runtime.schemas import schema
from fsmc.runtime.validity import compile_schema
from fsmc.source.tree import Document, MappingNode, Place, SequenceNode
from fsmc.spelling import nearest

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_PROBLEMS = 50
# The judge takes the members of a map in no particular order: of the large ones it gets the first, not all.
_MAX_SUSPECTS = 500
_MAX_ERRORS = 5_000
# Keys of the language that later versions bring: refused until they act.
PLANNED = {
    "properties": "properties that hold on every run",
    "retry": "retries",
    "timeout": "timeouts",
    "failure_state": "a failure state",
}
_DID_YOU_MEAN = "did you mean"
_START = "a policy starts with `fsmc: 1`"

Path = tuple[Any, ...]


class SchemaProblem(NamedTuple):
    """One thing wrong with the structure; ``rule`` is the name of its rule, such as ``unknown-key``."""

    rule: str
    message: str
    place: Place
    hint: str | None = None


def explain(document: Document) -> list[SchemaProblem]:
    """What is wrong, in the order of the text: at most ``MAX_PROBLEMS``, then how many more there are."""
    whole = _not_a_policy(document)
    if whole is not None:
        return [whole]
    try:
        # Should all that was doubtful prove valid, the rest is still to be judged.
        problems = _without_consequences(_translated(document, _MAX_SUSPECTS) or _translated(document, None))
    except RecursionError:
        assert isinstance(document.root, MappingNode)
        return [SchemaProblem("invalid-value", "the policy is nested too deeply to be checked", document.root.place)]
    problems.sort(key=lambda problem: (problem.place, problem.rule, problem.message))
    if len(problems) <= MAX_PROBLEMS:
        return problems
    last = problems[MAX_PROBLEMS]
    return [*problems[:MAX_PROBLEMS], last._replace(message=_more(len(problems) - MAX_PROBLEMS), hint=None)]


def _more(count: int) -> str:
    return f"and {'at least ' if count >= _MAX_SUSPECTS - MAX_PROBLEMS else ''}{count} more from here on"


def _not_a_policy(document: Document) -> SchemaProblem | None:
    """The one problem of a file that is no policy of this version; whatever else is in it says nothing."""
    root = document.root
    if not isinstance(root, MappingNode):
        found = "the file is empty" if root is None else f"this file holds {wording.kind(root)}"
        place = root.place if isinstance(root, SequenceNode) else Place(1, 1)
        return SchemaProblem("not-a-policy", f"a policy is a mapping with the key `fsmc`; {found}", place, _START)
    if "fsmc" not in root:
        similar = nearest("fsmc", [key for key in root if key not in schema()["properties"]])
        place = next((root.key_place(key) for key in (similar and [similar]) or root), root.place)
        hint = f"is `{wording.shown(similar)}` meant to be `fsmc`?" if similar else _START
        return SchemaProblem("not-a-policy", "not a policy: the key `fsmc` is missing", place, hint)
    version = root["fsmc"]
    if version == 1 and not isinstance(version, bool):
        return None
    place = root.value_place("fsmc")
    if isinstance(version, int) and not isinstance(version, bool):
        message = f"language version {version} is not supported: this fsmc reads version 1"
        return SchemaProblem("invalid-value", message, place, "write `fsmc: 1`, or use a newer fsmc")
    if isinstance(version, str) and version.strip() == "1":
        message = "`fsmc` must be the number 1, not the text `1`"
        return SchemaProblem("wrong-type", message, place, "write it without quotes")
    message = f"`fsmc` must be 1, the version of the language, not {wording.value(version)}"
    return SchemaProblem("wrong-type", message, place, _START)


def _translated(document: Document, limit: int | None) -> list[tuple[Path, SchemaProblem]]:
    import jsonschema
    from referencing import Registry

    # An empty registry: a reference to anything outside the schema is an error, never a download.
    registry: Registry[Any] = Registry()
    judge = jsonschema.Draft202012Validator(schema(), registry=registry)
    root = document.root
    assert isinstance(root, MappingNode)
    errors = islice(judge.iter_errors(_suspects(root, limit)), _MAX_ERRORS)
    return [problem for error in errors for problem in islice(_problems(root, error), _MAX_SUSPECTS)]


def _suspects(root: MappingNode, limit: int | None) -> dict[str, Any]:
    """*root* with those states, tools, guards and events that may be invalid, the first *limit* of each."""
    definitions = schema()["$defs"]
    name = compile_schema({**definitions["name"], "$defs": definitions})
    suspects: dict[str, Any] = dict(root)
    for key, definition in wording.MEMBERS.items():
        members = root.get(key)
        if isinstance(members, MappingNode) and members:
            valid = compile_schema({"$ref": f"#/$defs/{definition}", "$defs": definitions})
            doubtful = (item for item in members.items() if not (name(item[0]) and valid(item[1])))
            suspects[key] = dict(islice(doubtful, limit)) or dict(islice(members.items(), 1))
    return suspects


def _problems(root: MappingNode, error: ValidationError) -> Iterator[tuple[Path, SchemaProblem]]:
    """One error of the judge in words: the path of what it is about, and the problem."""
    path = tuple(error.absolute_path)
    owner = _at(root, path)
    keyword, argument = str(error.validator), cast(Any, error.validator_value)
    if isinstance(owner, MappingNode) and isinstance(error.instance, str):  # propertyNames: about a key
        message, hint = wording.bad_name(keyword, error.instance, wording.subject(path))
        yield (*path, error.instance), SchemaProblem("invalid-value", message, owner.key_place(error.instance), hint)
    elif keyword == "additionalProperties" and isinstance(owner, MappingNode):
        schema_here: Any = error.schema
        known = list(schema_here.get("properties", ()))
        patterns = schema_here.get("patternProperties", ())
        for key in owner:
            if key not in known and not any(re.search(pattern, key) for pattern in patterns):
                yield (*path, key), _unknown_key(owner, key, known, path)
    elif keyword == "required" and isinstance(owner, MappingNode):
        # One error a key; each is worded with all that are missing, so that the places fold them into one.
        missing = [key for key in argument if key not in owner]
        yield (*path, *missing), SchemaProblem("missing-key", wording.missing(missing, path), _key_place(root, path))
    elif keyword in ("anyOf", "oneOf") and isinstance(owner, MappingNode):
        keys = [key for option in argument for key in option["required"]]
        present = [key for key in keys if key in owner]
        message = wording.choice(keys, present, wording.subject(path))
        place = owner.key_place(present[-1]) if present else _key_place(root, path)
        yield (*path, *keys), SchemaProblem("invalid-value" if present else "missing-key", message, place)
    else:
        rule, message, hint = wording.bad_value(keyword, argument, error.instance, path)
        place = _key_place(root, path) if error.instance is None else _value_place(root, path)
        yield path, SchemaProblem(rule, message, place, hint)


def _unknown_key(owner: MappingNode, key: str, known: list[str], path: Path) -> SchemaProblem:
    message = f"unknown key `{wording.shown(key)}` in {wording.subject(path)}"
    similar = nearest(key, known)
    if key in PLANNED and "$ref" not in known:
        hint = f"{PLANNED[key]}: planned, but not supported by this version; remove the key"
    elif similar:
        hint = f"{_DID_YOU_MEAN} `{similar}`?"
    elif "$ref" in known:
        hint = "not a keyword of JSON Schema 2020-12; keywords of your own start with `x-`"
    else:
        hint = "known keys: " + ", ".join(f"`{name}`" for name in known)
    return SchemaProblem("unknown-key", message, owner.key_place(key), hint)


def _without_consequences(found: Iterable[tuple[Path, SchemaProblem]]) -> list[SchemaProblem]:
    """One problem a place, and no missing key in a mapping where the misspelt one is reported."""
    problems: dict[Place, SchemaProblem] = {}
    missing: list[tuple[Path, SchemaProblem]] = []
    corrected: set[Path] = set()
    for path, problem in found:
        if problem.rule == "missing-key":
            missing.append((path, problem))
            continue
        if problem.hint is not None and problem.hint.startswith(_DID_YOU_MEAN):
            corrected.add((*path[:-1], problem.hint.split("`")[1]))
        problems.setdefault(problem.place, problem)
    for path, problem in missing:
        corrections = ((*path[:end], key) for end in range(len(path)) for key in path[end:])
        if corrected.isdisjoint(corrections):
            problems.setdefault(problem.place, problem)
    return list(problems.values())


def _at(root: MappingNode, path: Path) -> Any:
    node: Any = root
    for part in path:
        node = node[part]
    return node


def _value_place(root: MappingNode, path: Path) -> Place:
    if not path:
        return root.place
    place: Place = _at(root, path[:-1]).value_place(path[-1])
    return place


def _key_place(root: MappingNode, path: Path) -> Place:
    """Where the key of the value at *path* is written; an item of a list has none, so where the item starts."""
    if path and isinstance(path[-1], str):
        place: Place = _at(root, path[:-1]).key_place(path[-1])
        return place
    return _value_place(root, path)
