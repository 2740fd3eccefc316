"""Tables for the tests of this folder, from a short description of states and transitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.table import Table
from fsmc.runtime.verify import FORMAT, digest


def make_table(
    states: Sequence[str | Mapping[str, Any]],
    transitions: Sequence[tuple[Any, ...]] = (),
    *,
    tools: Sequence[str | Mapping[str, Any]] = (),
    guards: Sequence[Mapping[str, Any]] = (),
    about: Mapping[str, Any] | None = None,
    **machine: Any,
) -> Table:
    """A frozen table. States and transitions name each other; ``(source, event, target, guard tree, default)`` is a transition.

    A state is a name or a mapping with ``name``, ``type``, ``tools``, ``budget`` (limit, repeated, fallback), ``on_exhausted``.
    """
    rows = [{"name": state} if isinstance(state, str) else dict(state) for state in states]
    names = [row["name"] for row in rows]
    tool_rows = [{"name": tool, "effect": "read"} if isinstance(tool, str) else dict(tool) for tool in tools]
    tool_names = [tool["name"] for tool in tool_rows]
    events = sorted({transition[1] for transition in transitions})
    conditions: list[Any] = list(machine.pop("conditions", ()))
    for row in rows:
        row.setdefault("type", "initial" if row is rows[0] else "intermediate")
        if "tools" in row:
            row["tools"] = [tool_names.index(name) for name in row["tools"]]
        if "on_exhausted" in row:
            row["on_exhausted"] = names.index(row["on_exhausted"])
        if "budget" in row:
            limit, repeated, fallback = row["budget"]
            row["budget"] = [limit, repeated, -1 if fallback is None else names.index(fallback)]
    candidates = []
    for source, event, target, *rest in transitions:
        guard, default = (*rest, *(None, False)[len(rest) :])
        number = -1
        if guard is not None:
            number = len(conditions)
            conditions.append(guard)
        candidates.append([names.index(source), events.index(event), names.index(target), number, -1, int(default)])
    body = {
        "language": 1,
        "topology": "cyclic",
        "initial": 0,
        "states": rows,
        "events": [{"name": event} for event in events],
        "guards": list(guards),
        "tools": tool_rows,
        "transitions": sorted(candidates, key=lambda row: row[0]),
        "conditions": conditions,
        "sets": [],
        **machine,
    }
    machine_digest = digest(canonical_json(body))
    return Table({"format": FORMAT, "digest": machine_digest, "about": dict(about or {"id": "test"}), "machine": body})


def booking() -> Table:
    """The booking machine of the design with defaults, a budget fallback, groups and a bounded loop."""
    slot_free = {
        "name": "slot_free",
        "expr": ["==", ["field", ["field", ["var", "context"], "slot"], "status"], ["string", "free"]],
    }
    calendar = {"name": "calendar_agrees", "external": True}
    price = ["<=", ["field", ["var", "args"], "price"], ["int", 200]]
    own = {"name": "own", "expr": ["==", ["field", ["var", "context"], "role"], ["string", "patient"]]}
    reads = ["check_availability", "check_service", "verify_identity"]
    tools = [
        {"name": "cancel_booking", "effect": "write", "approval": 600000, "max_calls": 1},
        *({"name": name, "effect": "read"} for name in reads[:2]),
        {"name": "confirm", "effect": "write", "max_calls": 1, "require": [0], "when": 1, "approval": 600000},
        {"name": "hold_slot", "effect": "write"},
        {"name": "verify_identity", "effect": "read"},
    ]
    budget = [8, 3, "HANDOFF"]
    states = [
        {
            "name": "TRIAGE",
            "type": "initial",
            "tools": ["check_service", "verify_identity"],
            "budget": [3, 0, "HANDOFF"],
        },
        {"name": "BOOKING:SEARCH", "tools": reads, "budget": budget, "max_visits": 5, "on_exhausted": "HANDOFF"},
        {"name": "BOOKING:HELD", "tools": ["confirm", *reads], "budget": budget, "parallel_calls": 1},
        {"name": "CANCEL", "tools": ["cancel_booking", *reads], "budget": budget},
        {"name": "DONE", "type": "terminal"},
        {"name": "UNAVAILABLE", "type": "terminal"},
        {"name": "HANDOFF", "type": "terminal"},
    ]
    transitions = [
        ("TRIAGE", "IDENTIFIED", "BOOKING:SEARCH"),
        ("TRIAGE", "UNKNOWN_PATIENT", "HANDOFF"),
        ("TRIAGE", "CANCEL_ASKED", "CANCEL", ["guard", 1]),
        ("BOOKING:SEARCH", "SLOT_HELD", "BOOKING:HELD", ["guard", 2]),
        ("BOOKING:SEARCH", "NOTHING_FREE", "UNAVAILABLE"),
        ("BOOKING:HELD", "CONFIRMED", "DONE", ["guard", 0]),
        ("BOOKING:HELD", "CONFIRMED", "UNAVAILABLE"),
        ("BOOKING:HELD", "SLOT_LOST", "BOOKING:SEARCH"),
        ("CANCEL", "CANCELLED", "DONE"),
        *(
            (state, "HUMAN_ASKED", "HANDOFF", None, True)
            for state in ("TRIAGE", "BOOKING:SEARCH", "BOOKING:HELD", "CANCEL")
        ),
    ]
    return make_table(
        states,
        transitions,
        tools=tools,
        guards=[calendar, own, slot_free],
        conditions=[price, ["guard", 1]],
        about={
            "id": "clinic-booking",
            "version": "1.4.0",
            "description": "Book a clinic slot for an identified patient.",
        },
    )
