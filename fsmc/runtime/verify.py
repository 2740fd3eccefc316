"""A table file before it is frozen: format, digest, structure, and every number naming something that is there."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping

from fsmc.runtime.annotations import Any
from fsmc.runtime.canonical import canonical_json, text_digest
from fsmc.runtime.errors import TableError
from fsmc.runtime.schemas import quick_check, schema
from fsmc.runtime.validator import Validator
from fsmc.runtime.values import described

FORMAT = "fsmc-table/1"


def verified_text(data: Any) -> str:
    """The canonical text of a table file, once format and digest are right."""
    if not isinstance(data, Mapping) or "format" not in data:
        raise TableError("not a compiled table: it has no `format`")
    if data["format"] != FORMAT:
        raise TableError(f"table format {data['format']!r} is not {FORMAT!r}: compile the policy again with this fsmc")
    if "machine" not in data or not isinstance(data.get("about"), Mapping):
        raise TableError("the table is damaged: `machine` or `about` is missing")
    try:
        machine = canonical_json(data["machine"])
        rest = {key: canonical_json(value) for key, value in data.items() if key != "machine"}
        found = digest(machine)
    except (TypeError, ValueError, RecursionError) as error:
        raise TableError(f"the table is damaged: {described(error)}") from None
    if data.get("digest") != found:
        raise TableError("the table was changed after it was compiled: its digest does not match its content")
    # The digest says that nobody changed the table by accident, not that it makes sense.
    body = {**data, "machine": {**data["machine"], "transitions": []}} if isinstance(data["machine"], dict) else data
    if not quick_check("table-v1")(body):
        raise TableError(f"the table is damaged: {Validator(schema('table-v1'), 'table').error(body)}")
    return "{" + ",".join(f'"{key}":{text}' for key, text in sorted({**rest, "machine": machine}.items())) + "}"


def digest(machine_text: str) -> str:
    """The digest of a table: ``sha256:`` over the canonical bytes of its format and machine, the latter given as text."""
    return text_digest(f'{{"format":"{FORMAT}","machine":{machine_text}}}')


def check_references(machine: Mapping[str, Any]) -> None:
    """Every number of the table names something that is there, and every name is there once. Raises ``ValueError``."""
    states, tools = len(machine["states"]), len(machine["tools"])
    conditions, sets, events = len(machine["conditions"]), len(machine["sets"]), len(machine["events"])

    def within(number: int, count: int, least: int = 0) -> None:
        if not least <= number < count:
            raise ValueError(f"{number} is no number of {count}")

    for part in ("states", "events", "tools", "guards"):
        names = [item["name"] for item in machine[part]]
        if len(set(names)) != len(names):
            raise ValueError(f"two {part} have the same name")
    within(machine["initial"], states)
    if "transition_guard" in machine:
        within(machine["transition_guard"], conditions)
    for state in machine["states"]:
        for tool in state.get("tools", ()):
            within(tool, tools)
        if "budget" in state:
            limit, repeated, fallback = state["budget"]
            within(fallback, states, -1)
            within(min(limit, repeated), 2**53)
        within(state.get("on_exhausted", 0), states)
    for tool in machine["tools"]:
        for condition in (tool.get("when", 0), tool.get("failed_when", 0), *tool.get("require", ())):
            within(condition, max(conditions, 1))
        within(tool.get("on_failure", 0), max(events, 1))
        for event, condition, number in tool.get("emits", ()):
            within(event, events, -1)
            within(condition, conditions, -1)
            within(number, sets, -1)
        for key in ("input_schema", "output_schema"):
            json.loads(tool.get(key, "true"))
    for row in machine["transitions"]:
        array("q", row)  # refuses what is not a whole number
        if len(row) != 3:
            _, _, _, condition, number, _ = row
            within(condition, conditions, -1)
            within(number, sets, -1)
