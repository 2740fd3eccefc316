"""From a policy without errors to the data of a frozen table."""

from __future__ import annotations

import json
from typing import Any

from fsmc.policy.model import Assignment, Condition, Policy, State, Tool
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.verify import FORMAT, digest
from fsmc.source.tree import MappingNode

LANGUAGE_VERSION = 1


def compile_policy(policy: Policy, source_map: bool = False) -> dict[str, Any]:
    """The table of *policy* as JSON data; ``fsmc.Table`` freezes it and ``canonical_json`` writes it.

    The digest covers format and machine, not the texts about it nor the source map. The policy must have no errors.
    """
    compiler = _Compiler(policy)
    machine = compiler.machine()
    table = {
        "format": FORMAT,
        "digest": digest(canonical_json(machine)),
        "about": compiler.about(),
        "machine": machine,
    }
    if source_map:
        table["source_map"] = compiler.source_map()
    return table


def schema_text(schema: Any) -> str:
    """A JSON Schema as one canonical text, so that a table holds no floats and nothing that could be mutated."""
    return json.dumps(schema, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def reading_order(policy: Policy) -> list[str]:
    """State names breadth-first from the initial state, then the unreachable ones by name.

    It follows the lists of transitions, which have an order, and never the order of keys, which has none.
    """
    order: dict[str, None] = dict.fromkeys([policy.initial])
    queue = [policy.initial]
    for name in queue:
        state = policy.states[name]
        targets = [transition.target for transition in state.transitions]
        targets += [name for name in (state.budget and state.budget.fallback, state.on_exhausted) if name]
        for target in targets:
            if target not in order:
                order[target] = None
                queue.append(target)
    return [*order, *sorted(policy.states.keys() - order.keys())]


class _Compiler:
    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._states = reading_order(policy)
        self._state_index = {name: i for i, name in enumerate(self._states)}
        self._tools = sorted(policy.tools)
        self._tool_index = {name: i for i, name in enumerate(self._tools)}
        self._guards = sorted(policy.guards)
        self._guard_index = {name: i for i, name in enumerate(self._guards)}
        events = {transition.event for state in policy.states.values() for transition in state.transitions}
        self._events = sorted(events | policy.emitters.keys() | (policy.events or {}).keys())
        self._event_index = {name: i for i, name in enumerate(self._events)}
        self._conditions: dict[str, int] = {}
        self._condition_trees: list[Any] = []
        self._sets: dict[str, int] = {}
        self._set_trees: list[Any] = []

    def machine(self) -> dict[str, Any]:
        policy = self._policy
        machine: dict[str, Any] = {
            "language": LANGUAGE_VERSION,
            "topology": policy.topology,
            "initial": self._state_index[policy.initial],
            "states": [self._state(policy.states[name]) for name in self._states],
            "events": [self._event(name) for name in self._events],
            "guards": [self._guard(name) for name in self._guards],
            "tools": [self._tool(policy.tools[name]) for name in self._tools],
            "transitions": self._transitions(),
        }
        if policy.long_running:
            machine["long_running"] = True
        if policy.context is not None:
            machine["context"] = schema_text(policy.context)
        if policy.transition_guard is not None:
            machine["transition_guard"] = self._condition(policy.transition_guard)
        # Last: the pools fill while the parts above are compiled.
        machine["conditions"] = self._condition_trees
        machine["sets"] = self._set_trees
        return machine

    def about(self) -> dict[str, Any]:
        policy = self._policy
        texts: dict[str, Any] = {"id": policy.id, "version": policy.version, "description": policy.description}
        texts["states"] = _descriptions([policy.states[name].node for name in self._states])
        texts["tools"] = _descriptions([policy.tools[name].node for name in self._tools])
        return {key: value for key, value in texts.items() if value}

    def source_map(self) -> dict[str, Any]:
        """Where states, tools and transitions are written: [line, column], in the order of the table's lists."""
        policy = self._policy
        places = policy.root["states"].key_place
        tools = policy.root["tools"].key_place if policy.tools else None
        return {
            "file": policy.document.path.replace("\\", "/").rpartition("/")[2],
            "states": [list(places(name)) for name in self._states],
            "tools": [list(tools(name)) for name in self._tools] if tools else [],
            "transitions": [
                list(transition.node.place) for name in self._states for transition in policy.states[name].transitions
            ],
        }

    def _event(self, name: str) -> dict[str, Any]:
        return {"name": name, "reserved": True} if self._policy.reserved(name) else {"name": name}

    def _guard(self, name: str) -> dict[str, Any]:
        guard = self._policy.guards[name]
        body: dict[str, Any] = {"name": name}
        if guard.external:
            body["external"] = True
        else:
            body["expr"] = guard.tree
        if guard.reason is not None:
            body["reason"] = guard.reason
        return body

    def _tool(self, tool: Tool) -> dict[str, Any]:
        body: dict[str, Any] = {"name": tool.name, "effect": tool.effect}
        for key in ("input_schema", "output_schema"):
            if key in tool.node:
                body[key] = schema_text(tool.node[key])
        for key, condition in (("when", tool.when), ("failed_when", tool.failed_when)):
            if condition is not None:
                body[key] = self._condition(condition)
        if tool.require:
            body["require"] = [self._condition(condition) for condition in tool.require]
        for key, number in (("max_calls", tool.max_calls), ("approval", tool.approval)):
            if number is not None:
                body[key] = number
        if tool.on_failure is not None:
            body["on_failure"] = self._event_index[tool.on_failure]
        if tool.emits:
            body["emits"] = [
                [
                    -1 if emit.event is None else self._event_index[emit.event],
                    self._condition(emit.when),
                    self._set(emit.sets),
                ]
                for emit in tool.emits
            ]
        return body

    def _state(self, state: State) -> dict[str, Any]:
        body: dict[str, Any] = {"name": state.name}
        if state.kind != "intermediate":
            body["type"] = state.kind
        if state.tools:
            body["tools"] = [self._tool_index[name] for name in state.tools]
        if state.budget is not None:
            limit, repeated, fallback, _ = state.budget
            body["budget"] = [limit or 0, repeated or 0, -1 if fallback is None else self._state_index[fallback]]
        for key, number in (("parallel_calls", state.parallel_calls), ("max_visits", state.max_visits)):
            if number is not None:
                body[key] = number
        if state.on_exhausted is not None:
            body["on_exhausted"] = self._state_index[state.on_exhausted]
        return body

    def _transitions(self) -> list[list[int]]:
        """[source, event, target, condition, set, default], without the last three where they say nothing."""
        rows = []
        states, events = self._state_index, self._event_index
        for source, name in enumerate(self._states):
            for event, target, guard, sets, _, default in self._policy.states[name].transitions:
                row = [source, events[event], states[target]]
                if guard is not None or sets or default:
                    row += [self._condition(guard), self._set(sets), int(default)]
                rows.append(row)
        return rows

    def _condition(self, condition: Condition | None) -> int:
        if condition is None:
            return -1
        tree = condition.tree if condition.guard is None else ["guard", self._guard_index[condition.guard]]
        return _pooled(tree, self._conditions, self._condition_trees)

    def _set(self, sets: tuple[Assignment, ...]) -> int:
        if not sets:
            return -1
        pairs = [[item.name, item.tree] for item in sorted(sets, key=lambda item: item.name)]
        return _pooled(pairs, self._sets, self._set_trees)


def _pooled(tree: Any, numbers: dict[str, int], pool: list[Any]) -> int:
    """The number of *tree* in *pool*, where equal trees share one."""
    key = canonical_json(tree)
    if key not in numbers:
        numbers[key] = len(pool)
        pool.append(tree)
    return numbers[key]


def _descriptions(nodes: list[MappingNode]) -> list[list[Any]]:
    """[index, text] for what has one. Pairs, not keys: names are not always ASCII, which the canonical form relies on."""
    return [[i, node["description"]] for i, node in enumerate(nodes) if "description" in node]
