"""Tables of keys and options, made from the published schemas and the commands: pages and programs say the same.

A page holds them between ``<!-- keys of NAME -->`` and ``<!-- end -->``, where NAME is a schema and, after a dot, one of its
definitions or the path of a nested object: ``policy``, ``policy.tool``, ``table.machine.states``; or, for a command, between
``<!-- options of NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

import click

from fsmc.runtime.schemas import schema

_SECTION = re.compile(r"(<!-- (keys|options) of (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)

# What a reader calls the definitions of the schema, and where the page explains them.
_CALLED = {
    "name": "name",
    "stateName": "name of a state",
    "description": "text",
    "meta": "mapping",
    "condition": "[condition](#guards)",
    "transitionGuard": "[condition](#guards)",
    "count": "whole number from 1",
    "parallelCalls": "whole number from 1",
    "duration": "[duration](#approvals)",
    "event": "[event](#events)",
    "guard": "[guard](#guards)",
    "set": "[assignments](#facts)",
    "emit": "[outcome](#results-and-events)",
    "tool": "[tool](#tools)",
    "toolList": "[list of tools](#tools)",
    "budget": "[budget](#budgets)",
    "transition": "[transition](#transitions)",
    "transitions": "list of [transitions](#transitions)",
    "state": "[state](#states)",
    "contextSchema": "JSON Schema",
    "jsonSchema": "JSON Schema",
    "tree": "expression tree",
    "texts": "list of pairs",
    "places": "list of places",
    "finding": "finding",
    "place": "place",
    "fix": "fix",
    "edit": "edit",
    "summary": "counts",
}
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "boolean": "`true` or `false`",
    "object": "mapping",
    "array": "list",
    "null": "`null`",
}


def with_tables(page: str) -> str:
    """The page with every table made anew."""
    makers = {"keys": keys_table, "options": options_table}
    return _SECTION.sub(lambda match: f"{match[1]}{makers[match[2]](match[3])}{match[5]}", page)


def options_table(name: str) -> str:
    """The table of the options of one command: option, value, meaning; what ``--help`` says."""
    command: click.Command = import_module(f"fsmc.cli.{name}").command
    rows = ""
    for option in command.params:
        if not isinstance(option, click.Option):
            continue
        names = ", ".join(f"`{text}`" for text in option.opts)
        choices = getattr(option.type, "choices", None)
        value = ", ".join(f"`{choice}`" for choice in choices) if choices else f"`{option.metavar}`"
        value = "" if option.is_flag else value
        if option.show_default:
            value += f"; default `{option.default}`"
        rows += f"| {names} | {_cell(value)} | {_cell(option.help or '')} |\n"
    return "| option | value | meaning |\n|---|---|---|\n" + rows


def keys_table(name: str) -> str:
    """The table of the keys of one object: key, value, meaning."""
    root = schema(f"{name.partition('.')[0]}-v1")
    owner = _find(root, name.split(".")[1:])
    required = owner.get("required", ())
    rows = [
        f"| `{key}`{' (required)' if key in required else ''} | {_value(root, body)} | {_meaning(root, body)} |\n"
        for key, body in owner["properties"].items()
    ]
    return "| key | value | meaning |\n|---|---|---|\n" + "".join(rows)


def shown_tables(page: str) -> set[str]:
    """The names of the tables on a page."""
    return {match[3] for match in _SECTION.finditer(page)}


def objects(name: str) -> set[str]:
    """The names of everything in a schema that has keys of its own, JSON Schemas of the author's aside."""
    root = schema(f"{name}-v1")
    found = {name}
    for key, body in root.get("$defs", {}).items():
        if key != "jsonSchema" and "properties" in body:
            found.add(f"{name}.{key}")
    return found


def _find(root: dict[str, Any], path: list[str]) -> dict[str, Any]:
    owner = root
    for part in path:
        found = root.get("$defs", {}).get(part) if owner is root else None
        owner = found or owner["properties"][part]
        owner = owner.get("items", owner)
    return owner


def _value(root: dict[str, Any], body: dict[str, Any]) -> str:
    if "$ref" in body:
        return _CALLED[body["$ref"].rpartition("/")[2]]
    text = _own_value(root, body)
    return f"{text}; default `{_literal(body['default'])}`" if "default" in body else text


def _own_value(root: dict[str, Any], body: dict[str, Any]) -> str:
    if "const" in body:
        return f"`{_literal(body['const'])}`"
    if "anyOf" in body:
        return " or ".join(_value(root, choice) for choice in body["anyOf"])
    if "enum" in body:
        return ", ".join(f"`{choice}`" for choice in body["enum"])
    kinds = body.get("type", "any value")
    if kinds == "object" and isinstance(body.get("additionalProperties"), dict):
        return f"mapping: name to {_value(root, body['additionalProperties'])}"
    if kinds == "array" and "$ref" in body.get("items", {}):
        return f"list: {_value(root, body['items'])} each"
    if kinds == ["string", "array"] and "$ref" in body.get("items", {}):
        return f"{_value(root, body['items'])}, or a list of them"
    return " or ".join(_TYPES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _meaning(root: dict[str, Any], body: dict[str, Any]) -> str:
    if "description" not in body and "$ref" in body:
        body = root["$defs"][body["$ref"].rpartition("/")[2]]
    return _cell(str(body.get("description", "")))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _literal(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
