"""The machine of a vector as a policy: data, as an application would write it."""

from __future__ import annotations

import json
from typing import Any

Data = dict[str, Any]

VETO = "may_move"
VALIDATOR = "validator"
PROBE = "probe"
UNNAMED = "unnamed"
"""Stands for a call that a vector makes without a name, in a state that offers nothing: there are no such calls
here."""

NO_SCHEMA: Data = {"type": "object", "properties": {}}


def policy_of(vector: Data) -> Data:
    """The policy: states with their tools, one budget for all of them, a guard where the vector has one.

    Machines of vectors have no edges, so the topology is open. A state that is written but not declared (a misspelt
    key) is
    what nothing leads to, and to show that takes edges: all of them, between the declared states.
    """
    machine = vector["machine"]
    states = {name: _state(vector, name) for name in _written(vector)}
    guards = {name: {"external": True} for name in external_guards(vector)}
    policy: Data = {
        "fsmc": 1,
        "id": vector["id"],
        "initial": machine["initial"],
        "topology": "open",
        "long_running": True,
        "guards": guards,
        "tools": {name: _tool(vector, name) for name in _all_tools(vector)},
        "states": states,
    }
    if VETO in guards:
        policy["transition_guard"] = VETO
    if "budget" in machine and (budget := _budget(machine["budget"])):
        policy["defaults"] = {"tool_budget": budget}
    if set(states) > set(machine["states"]):
        policy["topology"] = "cyclic"
        edges = [{"event": f"GO {target}", "target": target} for target in machine["states"]]
        for state in states.values():
            state["transitions"] = edges
    return policy


def external_guards(vector: Data) -> list[str]:
    """The guards that are functions of the application."""
    steps = vector.get("steps", [])
    held = any(step["op"] == "begin_async" for step in steps)
    names = [VETO] if "guard" in vector["machine"] or held else []
    names += [VALIDATOR for step in steps if step.get("schema", {}).get("kind") == "validator"]
    return names + [condition_guard(entry) for entry in vector.get("registry", []) if _is_async(entry)]


def condition_guard(entry: Data) -> str:
    """The guard that stands for an asynchronous condition of a registry entry."""
    return f"condition of {entry['name']}"


def undeclared(vector: Data) -> list[str]:
    """The tools that are called although no state offers them. Nobody checks calls in the vectors: here that is
    shadow mode."""
    offered = {name for state in _written(vector) for name in _offered(vector, state)}
    return [name for name in _called(vector) if name not in offered]


def _written(vector: Data) -> list[str]:
    """The declared states, then those that only a tools table or a gate names."""
    machine = vector["machine"]
    gates = [gate for entry in vector.get("registry", []) for gate in entry["gates"]]
    return list(dict.fromkeys([*machine["states"], *machine["tools"], *gates]))


def _state(vector: Data, name: str) -> Data:
    tools = _offered(vector, name)
    if name == vector["machine"]["initial"] and any(step["op"] == "validate" for step in vector.get("steps", [])):
        tools = [*tools, PROBE]
    state: Data = {"tools": tools} if tools else {}
    prompt = vector["machine"].get("prompts", {}).get(name)
    return {**state, "description": prompt} if prompt else state


def _offered(vector: Data, state: str) -> list[str]:
    """What the table gives the state and, where there is a registry, some gate opens. A look-up of a gate asks only
    the registry."""
    table: list[str] = vector["machine"]["tools"].get(state, [])
    if "registry" not in vector:
        return table
    gated = [entry["name"] for entry in vector["registry"] if state in entry["gates"]]
    if "steps" not in vector or any(step["op"] == "gate" for step in vector["steps"]):
        return gated
    return [name for name in table if name in gated]


def _all_tools(vector: Data) -> list[str]:
    offered = [name for state in _written(vector) for name in _state(vector, state).get("tools", [])]
    return list(dict.fromkeys([*offered, *_called(vector)]))


def _called(vector: Data) -> list[str]:
    names: list[str] = []
    for step in vector.get("steps", []):
        if step["op"] == "call":
            names.append(step.get("tool", UNNAMED))
        elif step["op"] == "between_steps":
            names += [name for made in step["steps"] for name in made]
    return list(dict.fromkeys(names))


def _tool(vector: Data, name: str) -> Data:
    if name == PROBE:
        return {"require": VALIDATOR} if VALIDATOR in external_guards(vector) else {}
    entry = next((entry for entry in vector.get("registry", []) if entry["name"] == name), None)
    if entry is None:
        return {}
    definition = entry["definition"].get("function", entry["definition"])
    tool: Data = {"description": definition.get("description", "")}
    if "parameters" in definition:
        tool["input_schema"] = definition["parameters"]
    if _is_async(entry):
        tool["when"] = condition_guard(entry)
    elif "condition" in entry:
        tool["when"] = f"context.{entry['condition']['key']} == {json.dumps(entry['condition']['equals'])}"
    return tool


def _is_async(entry: Data) -> bool:
    return bool(entry.get("condition", {}).get("kind") == "async")


def _budget(budget: Data) -> Data:
    """There is no switch for budgets: one that is off and goes nowhere is left out, and one that goes somewhere is
    out of reach."""
    if not budget["enabled"] and "fallback" not in budget:
        return {}
    word = "repeated" if budget.get("mode") == "repeated" else "limit"
    limit = budget["max"] if budget["enabled"] else 1_000_000
    return {word: limit, **({"fallback": budget["fallback"]} if "fallback" in budget else {})}
