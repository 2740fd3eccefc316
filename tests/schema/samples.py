"""Policies as data, which between them use every key of the language."""

from __future__ import annotations

from typing import Any

SAMPLES: dict[str, dict[str, Any]] = {
    "small": {"fsmc": 1, "id": "small", "initial": "A", "states": {"A": {"type": "terminal"}}},
    "clinic": {
        "fsmc": 1,
        "id": "clinic-booking",
        "version": "1.4.0",
        "description": "Book a slot.",
        "meta": {"owner": ["a", {"b": 1.5}]},
        "initial": "TRIAGE",
        "topology": "dag",
        "long_running": False,
        "context": {
            "type": "object",
            "properties": {
                "role": {"enum": ["patient", "staff"]},
                "slot": {"type": ["object", "null"], "properties": {"status": {"enum": ["free", "sold", 1, None]}}},
                "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "uniqueItems": True},
                "age": {"type": "integer", "minimum": 0, "exclusiveMaximum": 150, "default": 18},
            },
            "required": ["role"],
            "additionalProperties": False,
            "x-origin": "crm",
        },
        "events": {"CANCELLED": {"source": "any", "description": "x"}, "IDENTIFIED": {"source": "tool", "meta": {}}},
        "defaults": {
            "tools": ["effect:read"],
            "tool_budget": {"limit": 8, "repeated": 3, "fallback": "HANDOFF", "description": "enough"},
            "parallel_calls": 2,
            "transitions": [{"event": "CANCELLED", "target": "HANDOFF"}],
        },
        "guards": {
            "slot_free": 'context.slot.status == "free"',
            "calendar_agrees": {"external": True, "description": "asks the calendar", "meta": {}},
            "adult": {"expr": "context.age >= 18", "reason": "the patient is {context.age}"},
        },
        "tools": {
            "verify_identity": {
                "description": "Look a patient up.",
                "effect": "read",
                "input_schema": {
                    "type": "object",
                    "properties": {"document": {"type": "string"}},
                    "required": ["document"],
                },
                "output_schema": {"$ref": "#/$defs/answer", "$defs": {"answer": {"oneOf": [{"type": "object"}, True]}}},
                "emits": [
                    {"event": "IDENTIFIED", "when": "result.verified == true", "set": {"patient": "result.id"}},
                    {"set": {"last": "result.id"}, "description": "x", "meta": {}},
                ],
            },
            "confirm": {
                "when": 'context.role == "patient"',
                "require": "args.price <= 200",
                "max_calls": 1,
                "approval": {"expires": "5m"},
                "failed_when": "result.ok == false",
                "on_failure": "SLOT_LOST",
            },
            "note": {"approval": True, "meta": {"a": None}},
            "wait": {"approval": {"expires": 1.5}},
        },
        "states": {
            "TRIAGE": {"type": "initial", "tools": ["verify_identity"], "tool_budget": {"limit": 3}},
            "BOOK:ING": {
                "description": "x",
                "meta": {},
                "tools": ["confirm", "effect:write", "c*"],
                "tool_budget": {"repeated": 2},
                "parallel_calls": 1,
                "transitions": [
                    {"event": "IDENTIFIED", "target": "DONE", "guard": "slot_free", "set": {"a": "1"}, "meta": {}},
                    {"event": "SLOT_LOST", "target": "HANDOFF", "description": "x"},
                ],
                "max_visits": 3,
                "on_exhausted": "HANDOFF",
            },
            "DONE": {"type": "terminal"},
            "HANDOFF": {"type": "terminal"},
        },
    },
    "open": {
        "fsmc": 1,
        "id": "open",
        "initial": "A",
        "topology": "open",
        "transition_guard": "target != state",
        "states": {"A": {}, "B": {"type": "intermediate"}, "C": {"type": "terminal"}},
    },
}
