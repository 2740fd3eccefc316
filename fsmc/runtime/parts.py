"""The parts of a table, from the data of its file to read-only values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter

from fsmc.runtime.annotations import Any
from fsmc.runtime.conditions import Facts, named_facts
from fsmc.runtime.infos import BudgetInfo, EmitInfo, StateInfo, ToolInfo
from fsmc.runtime.values import View

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


class Candidates:
    """Per number of a state: event -> candidates in the order in which they are tried. Made when they are first asked for."""

    __slots__ = ("_begins", "_entries", "_events", "_made")

    def __init__(self, entries: list[list[int]], count: int, events: tuple[str, ...]) -> None:
        self._entries = sorted(
            entries, key=itemgetter(0)
        )  # in the order of the states; what is tried first stays first
        # State -> where its entries begin: the last that is said of a state, from the end to the start.
        sources = map(itemgetter(0), reversed(self._entries))
        self._begins = dict(zip(sources, range(len(entries) - 1, -1, -1), strict=True))
        self._events = events
        self._made: list[dict[str, tuple[Candidate, ...]] | None] = [None] * count

    def __iter__(self) -> Iterator[dict[str, tuple[Candidate, ...]]]:
        return (self[number] for number in range(len(self._made)))

    def __getitem__(self, number: int) -> dict[str, tuple[Candidate, ...]]:
        made = self._made[number]
        if made is None:
            made = self._made[number] = self._of(number)
        return made

    def _of(self, number: int) -> dict[str, tuple[Candidate, ...]]:
        row: dict[str, tuple[Candidate, ...]] = {}
        entries = self._entries
        for place in range(self._begins.get(number, len(entries)), len(entries)):
            entry = entries[place]
            if entry[0] != number:
                break
            if len(entry) == 3:
                _, event, target = entry
                candidate = (target, -1, -1, 0)
            else:
                _, event, target, condition, sets, default = entry
                candidate = (target, condition, sets, default)
            name = self._events[event]
            row[name] = (*row[name], candidate) if name in row else (candidate,)
        return row


class States(View[StateInfo]):
    """The states of a table by name. One is made when it is first asked for."""

    __slots__ = ("_data", "_index", "_names", "_texts", "_tools")

    def __init__(
        self, data: list[dict[str, Any]], index: Mapping[str, int], tools: tuple[str, ...], texts: Mapping[int, str]
    ) -> None:
        super().__init__({})
        self._data = data
        self._index = index
        self._names = tuple(index)
        self._tools = tools
        self._texts = texts

    def __getitem__(self, name: str) -> StateInfo:
        found = self._items.get(name)
        if found is None:
            number = self._index[name]
            made = state_info(self._data[number], self._names, self._tools, self._texts.get(number, ""))
            found = self._items.setdefault(name, made)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __repr__(self) -> str:
        return repr(dict(self))


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
