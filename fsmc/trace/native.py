"""The native trace: JSON Lines, one record a line, after ``schemas/trace-v1.schema.json``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from fsmc.runtime.schemas import schema, schema_text
from fsmc.runtime.validator import Validator
from fsmc.spelling import did_you_mean
from fsmc.trace.load import Document
from fsmc.trace.records import (
    Approval,
    Call,
    ContextChange,
    Event,
    Flaw,
    Goto,
    GuardOutcomes,
    Record,
    Release,
    Result,
    Run,
    fresh_id,
)  # fmt: skip

NAME = "fsmc"
# What a record is, by the first of these keys that it has. `context` may accompany `trace`, so it comes after it.
_KINDS = ("trace", "event", "call", "result", "release", "approve", "goto", "guards", "context", "note")


def recognises(documents: list[Document]) -> int:
    """How many documents look like records of a native trace: they have one of its keys, and no ``role``."""
    return sum(isinstance(document.value, dict) and _is_record(document.value) for document in documents)


def _is_record(body: dict[str, Any]) -> bool:
    return any(key in body for key in _KINDS) and not {"role", "messages", "traj"} & body.keys()


def read(documents: list[Document], name: str) -> Iterator[Run]:
    """The one run of a native trace."""
    records: list[Record] = []
    context: dict[str, Any] = {}
    digest = None
    calls_made = [document.value for document in documents if _is_call(document.value)]
    given = {body["id"] for body in calls_made if isinstance(body.get("id"), str)}
    calls = 0
    latest: str | None = None  # the id of the newest call
    lost = False  # whether what may have been a call newer than that cannot be read
    first = True
    for document in documents:
        at = f"line {document.line or 1}"
        body = document.value
        calls += _is_call(body)
        problem = f"not JSON: {document.error}" if document.error else _problem(body, first)
        if problem is not None:
            records.append(Flaw(at, "broken_record", problem))
            lost = lost or _may_be_call(body)
            continue
        first = False
        if "trace" in body:
            context, digest = body.get("context", {}), body.get("digest")
            continue
        if "call" in body:
            latest, lost = body.get("id") or fresh_id(f"#{calls}", given), False
        if "id" not in body and ("result" in body or "release" in body) and (lost or latest is None):
            why = "the call before this one cannot be read" if lost else "no call comes before this one"
            records.append(Flaw(at, "orphan_result" if lost else "broken_record", why))
            continue
        record = _record(body, at, latest or "")
        if record is not None:
            records.append(record)
    yield Run(name, tuple(records), context, digest)


def _is_call(body: Any) -> bool:
    return isinstance(body, dict) and "call" in body


def _may_be_call(body: Any) -> bool:
    """Whether what cannot be read may have been a call: it is one, or says nothing else that a record says."""
    return _is_call(body) or not (isinstance(body, dict) and any(key in body for key in _KINDS))


def _record(body: dict[str, Any], at: str, latest: str) -> Record | None:
    """The record of one line; *latest* is the id of the newest call, for records that leave theirs out."""
    kind = next(key for key in _KINDS if key in body)
    if kind == "event":
        return Event(at, body["event"], body.get("payload"))
    if kind == "call":
        return Call(at, latest, body["call"], body.get("args", {}))
    if kind == "result":
        return Result(at, body.get("id", latest), body["result"], body.get("error", False))
    if kind == "release":
        return Release(at, body.get("id", latest))
    if kind == "approve":
        return Approval(at, body["approve"], body.get("args", {}))
    if kind == "goto":
        return Goto(at, body["goto"])
    if kind == "guards":
        return GuardOutcomes(at, body["guards"])
    if kind == "context":
        return ContextChange(at, body["context"])
    return None  # a note


@lru_cache(maxsize=1)
def _validator() -> Validator:
    return Validator(schema_text("trace-v1"), "record")


def _problem(body: Any, first: bool) -> str | None:
    if not isinstance(body, dict):
        return "a record is a JSON object"
    known = schema("trace-v1")["properties"]
    for key in body:
        if key not in known:
            hint = did_you_mean(key, known)
            return f"unknown key `{key}`" + (f"; {hint}" if hint else "")
    kinds = [key for key in _KINDS if key in body and key != "note"]
    if "trace" in body:
        kinds.remove("trace")
        if not first:
            return "`trace` is the header: it belongs on the first line"
        return _validator().error(body) if set(kinds) <= {"context"} else f"`trace` does not go with `{kinds[0]}`"
    if len(kinds) > 1:
        return f"a record says one thing: `{kinds[0]}` or `{kinds[1]}`"
    if not kinds and "note" not in body:
        return f"a record needs one of {', '.join(f'`{key}`' for key in _KINDS[1:-1])}"
    return _validator().error(body)
