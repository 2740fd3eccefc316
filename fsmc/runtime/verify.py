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
from fsmc.runtime.values import described, shortened

FORMAT = "fsmc-table/1"
# Below this, writing the machine again costs less than recognising its text as canonical.
_SMALL = 20_000
# The machine stands last in canonical text, for its name is the last in order.
_MACHINE = ',"machine":'


class TableParts(NamedTuple):
    """A table file taken apart: the *machine*, its *text* and the *digest* of that, and everything else, the *head*. Private copies."""

    head: dict[str, Any]
    machine: Any
    text: str
    digest: str
    plain: bool  # see ``fsmc.runtime.plain``


def parts_of_text(text: str) -> TableParts | None:
    """The parts of the text of a table, unverified; None for other JSON. Raises ``TableError`` for a table that cannot be read.

    Raises ``ValueError`` for what is no JSON. In a text as ``fsmc compile`` writes it the machine is parsed from the very characters that its digest is over.
    """
    before, mark, rest = text.rstrip(" \t\r\n").partition(_MACHINE)
    if mark and rest.endswith("}"):
        rest = rest[:-1]
        try:
            head = json.loads(before + "}")
            found = digest(rest)
            if _is_marked(head) and head["digest"] == found and "machine" not in head:
                machine = json.loads(rest)
                plain = _is_plain(rest, machine)
                if plain or canonical_json(machine) == rest:
                    return TableParts(head, machine, rest, found, plain)
        except (ValueError, TypeError, KeyError):
            pass  # not the text that was written, or the mark is one in the midst of it
    data = json.loads(text)
    return parts_of_data(data) if _is_marked(data) else None


def _is_marked(data: Any) -> bool:
    return isinstance(data, dict) and str(data.get("format")).startswith("fsmc-table/")


def parts_of_data(data: Any, owned: bool = False) -> TableParts:
    """The parts of a table given as data. Raises ``TableError`` for what is none.

    What is *owned*, because it was just compiled and nobody else holds it, is not copied.
    """
    if not isinstance(data, Mapping) or "format" not in data:
        raise TableError("not a compiled table: it has no `format`")
    try:
        rest = {key: value for key, value in data.items() if key != "machine"}
        head = json.loads(canonical_json(rest))
        text = canonical_json(data.get("machine"))
        machine = data["machine"] if owned else json.loads(text)
        return TableParts(head, machine, text, digest(text), _is_plain(text, machine))
    except (TypeError, ValueError, RecursionError) as error:
        raise TableError(f"the table is damaged: {described(error)}") from None


def _is_plain(text: str, machine: Any) -> bool:
    if len(text) < _SMALL:
        return False
    from fsmc.runtime.plain import is_plain  # only a large table pays for the import

    return is_plain(text, machine)


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
    states = machine["states"][:1] if parts.plain else machine.get("states")
    if not quick_check("table-v1")({**head, "machine": {**machine, "states": states, "transitions": []}}):
        body = {**head, "machine": {**machine, "transitions": []}}
        raise TableError(f"the table is damaged: {Validator(schema('table-v1'), 'table').error(body)}")
    try:
        _check_references(machine)
        _check_transitions(machine)
        for part in ("states", "tools"):
            _check_texts(head["about"].get(part, []), len(machine[part]))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise TableError(f"the table is damaged: {described(error)}") from None


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
    _within(chain.from_iterable(_each(machine["states"], "tools")), tools)
    limited = [state for state in machine["states"] if len(state) > 1 + ("tools" in state)]
    _within(_each(limited, "on_exhausted"), states)
    bounds = ((2**53, 0), (2**53, 0), (states, -1))
    for column, (count, least) in zip(zip(*_each(limited, "budget")), bounds):  # noqa: B905
        _within(column, count, least)
    for items, key in (
        (limited, "parallel_calls"),
        (limited, "max_visits"),
        (machine["tools"], "max_calls"),
        (machine["tools"], "approval"),
    ):
        _check_whole(_each(items, key))
    for tool in machine["tools"]:
        _within([tool[key] for key in ("when", "failed_when") if key in tool], conditions)
        _within(tool.get("require", ()), conditions)
        _within([tool["on_failure"]] if "on_failure" in tool else [], events)
        for event, condition, number in tool.get("emits", ()):
            _within([event], events, -1)
            _within([condition], conditions, -1)
            _within([number], sets, -1)
        for key in ("input_schema", "output_schema"):
            _check_schema(tool.get(key, "true"))
    _check_schema(machine.get("context", "true"))


def _check_transitions(machine: Mapping[str, Any]) -> None:
    rows = machine["transitions"]
    lengths = set(map(len, rows)) if type(rows) is list and set(map(type, rows)) <= {list} else {0}
    if not lengths <= {3, 6}:
        raise ValueError("a transition is a list of 3 or 6 numbers")
    states, events = len(machine["states"]), len(machine["events"])
    for column, count in zip(zip(*rows), (states, events, states)):  # noqa: B905
        _within(column, count)
    if 6 in lengths:
        _, _, _, guards, writes, defaults = zip(*[row for row in rows if len(row) == 6], strict=True)
        _within(guards, len(machine["conditions"]), -1)
        _within(writes, len(machine["sets"]), -1)
        _within(defaults, 2)


def _check_texts(texts: list[list[Any]], count: int) -> None:
    """What the policy says about states or tools: by number, and nothing but text."""
    _within([number for number, _ in texts], count)
    if not {type(text) for _, text in texts} <= {str}:
        raise ValueError("a description is no text")


def _check_schema(text: str) -> None:
    if not isinstance(json.loads(text), (dict, bool)):
        raise ValueError(f"no schema: {shortened(text)}")


def _each(items: list[dict[str, Any]], key: str) -> list[Any]:
    """What those of *items* have under *key* that have it."""
    return [item[key] for item in items if key in item]


def _within(numbers: Iterable[Any], count: int, least: int = 0) -> None:
    found = tuple(numbers)
    _check_whole(found)
    if found and not (least <= min(found) and max(found) < count):
        wrong = next(number for number in found if not least <= number < count)
        raise ValueError(f"{wrong} is no number of {count}")


def _check_whole(numbers: Iterable[Any]) -> None:
    """Refuse ``1.0``, which JSON Schema takes for a whole number, and ``true``."""
    if not set(map(type, numbers)) <= {int}:
        raise ValueError("a number is not a whole number, written as one")
