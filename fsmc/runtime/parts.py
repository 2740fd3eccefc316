"""The parts of a table, from the data of its file to read-only values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from fsmc.runtime.annotations import Any
from fsmc.runtime.conditions import Facts, named_facts
from fsmc.runtime.infos import BudgetInfo, EmitInfo, StateInfo, ToolInfo

# A candidate is (target state, condition or -1, set or -1, 1 when from defaults): a plain tuple, for there may be many.
Candidate = tuple[int, int, int, int]


def named_fields(context_schema: str | None) -> tuple[str, ...] | None:
    """The fields that a context may have, where its schema names them and does not say that there are others.

    Stricter than JSON Schema, where a name that is not listed is allowed: for a fact it would be a typing error.
    """
    schema = json.loads(context_schema) if context_schema is not None else True
    if not isinstance(schema, dict) or "properties" not in schema:
        return None
    others = {"additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"}
    if others & schema.keys() and schema.get("additionalProperties") is not False:
        return None
    return tuple(schema["properties"])


def tool_info(tool: Mapping[str, Any], events: tuple[str, ...], description: str) -> ToolInfo:
    """A tool, its events by name."""
    on_failure = tool.get("on_failure")
    return ToolInfo(
        name=tool["name"],
        effect=tool["effect"],
        description=description,
        input_schema=tool.get("input_schema"),
        output_schema=tool.get("output_schema"),
        when=tool.get("when"),
        require=tuple(tool.get("require", ())),
        max_calls=tool.get("max_calls"),
        approval=tool.get("approval"),
        failed_when=tool.get("failed_when"),
        on_failure=None if on_failure is None else events[on_failure],
        emits=tuple(
            EmitInfo(
                events[event] if event >= 0 else None,
                when if when >= 0 else None,
                number if number >= 0 else None,
            )
            for event, when, number in tool.get("emits", ())
        ),
    )


def state_info(state: Mapping[str, Any], names: tuple[str, ...], tools: tuple[str, ...], description: str) -> StateInfo:
    """A state, its tools and where it leads by name."""
    budget = state.get("budget")
    exhausted = state.get("on_exhausted")
    if budget is not None:
        limit, repeated, fallback = budget
        budget = BudgetInfo(limit or None, repeated or None, names[fallback] if fallback >= 0 else None)
    return StateInfo(
        state["name"],
        state.get("type", "intermediate"),
        description,
        tuple([tools[i] for i in state["tools"]]) if "tools" in state else (),
        budget,
        state.get("parallel_calls"),
        state.get("max_visits"),
        None if exhausted is None else names[exhausted],
    )


def rows(rows: list[Any], count: int, events: tuple[str, ...]) -> tuple[dict[str, tuple[Candidate, ...]], ...]:
    """Per state: event -> candidates in the order in which they are tried."""
    building: list[dict[str, tuple[Candidate, ...]]] = [{} for _ in range(count)]
    for entry in rows:
        if len(entry) == 3:
            source, event, target = entry
            candidate = (target, -1, -1, 0)
        else:
            source, event, target, condition, sets, default = entry
            candidate = (target, condition, sets, default)
        if not (0 <= target < count and 0 <= source < count and 0 <= event < len(events)):
            raise ValueError(f"transition {entry} names what is not there")
        row, name = building[source], events[event]
        row[name] = (*row[name], candidate) if name in row else (candidate,)
    return tuple(building)


def compile_set(pairs: list[Any]) -> tuple[tuple[str, Callable[[Facts], Any]], ...]:
    """The closures of one ``set``, each with the fact that it writes."""
    from fsmc.runtime.expression import compile_tree  # only a table with facts pays for the import

    return tuple((name, compile_tree(tree)) for name, tree in pairs)


def reads_visits(machine: Mapping[str, Any]) -> bool:
    """Whether anything of a checked policy can depend on how often a state was entered; external guards may read it."""
    guards = machine["guards"]
    return (
        any("max_visits" in state for state in machine["states"])
        or any(guard.get("external") for guard in guards)
        or "visits"
        in named_facts(
            *(tree for tree in machine["conditions"] if tree[0] != "guard"),
            *(guard["expr"] for guard in guards),
            *(part for guard in guards for part in guard.get("reason", ()) if not isinstance(part, str)),
            *(tree for pairs in machine["sets"] for _, tree in pairs),
        )
    )
