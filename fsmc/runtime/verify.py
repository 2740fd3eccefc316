"""A table file before it is frozen: taken apart, its digest, its structure, and every number naming something that is there.

There may be ten thousand states and transitions: what is alike is looked at in bulk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain

from fsmc.runtime.annotations import Any, NamedTuple
from fsmc.runtime.canonical import canonical_json, text_digest
from fsmc.runtime.errors import TableError
from fsmc.runtime.schemas import quick_check, schema
from fsmc.runtime.validator import Validator
from fsmc.runtime.values import described

FORMAT = "fsmc-table/1"
# The machine stands last in canonical text, for its name is the last in order.
_MACHINE = ',"machine":'


class TableParts(NamedTuple):
    """A table file taken apart: the *machine*, its *text* and the *digest* of that, and everything else, the *head*. Private copies."""

    head: dict[str, Any]
    machine: Any
    text: str
    digest: str


def parts_of_text(text: str) -> TableParts | None:
    """The parts of the text of a table, unverified; None for other JSON. Raises ``TableError`` for a table that cannot be read.

    Raises ``ValueError`` for what is no JSON. In a text as ``fsmc compile`` writes it the machine is parsed from the very characters that its digest is over.
    """
    before, mark, rest = text.rstrip().partition(_MACHINE)
    if mark and rest.endswith("}"):
        rest = rest[:-1]
        try:
            head = json.loads(before + "}")
            found = digest(rest)
            if _is_marked(head) and head["digest"] == found and "machine" not in head:
                return TableParts(head, json.loads(rest), rest, found)
        except (ValueError, TypeError, KeyError):
            pass  # not the text that was written, or the mark is one in the midst of it
    data = json.loads(text)
    return parts_of_data(data) if _is_marked(data) else None


def _is_marked(data: Any) -> bool:
    return isinstance(data, dict) and str(data.get("format")).startswith("fsmc-table/")


def parts_of_data(data: Any) -> TableParts:
    """The parts of a table given as data. Raises ``TableError`` for what is none."""
    if not isinstance(data, Mapping) or "format" not in data:
        raise TableError("not a compiled table: it has no `format`")
    try:
        rest = {key: value for key, value in data.items() if key != "machine"}
        head = json.loads(canonical_json(rest))
        text = canonical_json(data.get("machine"))
        return TableParts(head, json.loads(text), text, digest(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise TableError(f"the table is damaged: {described(error)}") from None


def digest(machine_text: str) -> str:
    """The digest of a table: ``sha256:`` over the canonical bytes of its format and machine, the latter given as text."""
    return text_digest(f'{{"format":"{FORMAT}","machine":{machine_text}}}')


def verify(parts: TableParts) -> None:
    """Raise ``TableError`` unless *parts* are those of a table that nobody changed and that makes sense."""
    head, machine = parts.head, parts.machine
    if head.get("format") != FORMAT:
        raise TableError(f"table format {head['format']!r} is not {FORMAT!r}: compile the policy again with this fsmc")
    if not isinstance(machine, dict) or not isinstance(head.get("about"), dict):
        raise TableError("the table is damaged: `machine` or `about` is missing")
    if head.get("digest") != parts.digest:
        raise TableError("the table was changed after it was compiled: its digest does not match its content")
    # The digest says that nobody changed the table by accident, not that it makes sense.
    unlike = {**machine, "states": _unlike(machine.get("states")), "transitions": []}
    if not quick_check("table-v1")({**head, "machine": unlike}):
        body = {**head, "machine": {**machine, "transitions": []}}
        raise TableError(f"the table is damaged: {Validator(schema('table-v1'), 'table').error(body)}")
    try:
        _check_references(machine)
        _check_transitions(machine)
    except (KeyError, TypeError, ValueError) as error:
        raise TableError(f"the table is damaged: {described(error)}") from None


def _unlike(states: Any) -> Any:
    """The states that have more than a name and tools, or at least one: what the schema has to look at. All, when one is wrong."""
    if type(states) is not list or set(map(type, states)) != {dict}:
        return states
    names = [state.get("name") for state in states]
    offers = [state["tools"] for state in states if "tools" in state]
    if set(map(type, names)) != {str} or not set(map(type, offers)) <= {list}:
        return states
    if not set(map(type, chain.from_iterable(offers))) <= {int} or min(chain.from_iterable(offers), default=0) < 0:
        return states
    return [state for state in states if len(state) - ("tools" in state) > 1] or states[:1]


def _check_references(machine: Mapping[str, Any]) -> None:
    """Every number names something that is there, and every name is there once. Raises ``ValueError``."""
    states, tools = len(machine["states"]), len(machine["tools"])
    conditions, sets, events = len(machine["conditions"]), len(machine["sets"]), len(machine["events"])
    for part in ("states", "events", "tools", "guards"):
        names = [item["name"] for item in machine[part]]
        if len(set(names)) != len(names):
            raise ValueError(f"two {part} have the same name")
    _within([machine["initial"]], states)
    if "transition_guard" in machine:
        _within([machine["transition_guard"]], conditions)
    _within(chain.from_iterable([state["tools"] for state in machine["states"] if "tools" in state]), tools)
    for limit, repeated, fallback in [state["budget"] for state in machine["states"] if "budget" in state]:
        _within([fallback], states, -1)
        _within([limit, repeated], 2**53)
    _within([state["on_exhausted"] for state in machine["states"] if "on_exhausted" in state], states)
    for tool in machine["tools"]:
        _within([tool[key] for key in ("when", "failed_when") if key in tool], conditions)
        _within(tool.get("require", ()), conditions)
        _within([tool["on_failure"]] if "on_failure" in tool else [], events)
        for event, condition, number in tool.get("emits", ()):
            _within([event], events, -1)
            _within([condition], conditions, -1)
            _within([number], sets, -1)
        for key in ("input_schema", "output_schema"):
            json.loads(tool.get(key, "true"))


def _check_transitions(machine: Mapping[str, Any]) -> None:
    rows = machine["transitions"]
    if type(rows) is not list or not set(map(type, rows)) <= {list} or not set(map(len, rows)) <= {3, 6}:
        raise ValueError("a transition is a list of 3 or 6 numbers")
    states, events = len(machine["states"]), len(machine["events"])
    for place, count in enumerate((states, events, states)):
        _within([row[place] for row in rows], count)
    long = [row for row in rows if len(row) == 6]
    for place, count, least in ((3, len(machine["conditions"]), -1), (4, len(machine["sets"]), -1), (5, 2, 0)):
        _within([row[place] for row in long], count, least)


def _within(numbers: Iterable[int], count: int, least: int = 0) -> None:
    found = list(numbers)
    if not set(map(type, found)) <= {int}:  # 1.0 is an integer to JSON Schema
        raise ValueError("a number of the table is not whole")
    if found and not (least <= min(found) and max(found) < count):
        wrong = next(number for number in found if not least <= number < count)
        raise ValueError(f"{wrong} is no number of {count}")
