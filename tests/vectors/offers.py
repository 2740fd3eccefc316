"""The tools that a session offers, as each provider wants them. Adapters of fsmc are to come; these are the few lines
without."""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Mapping
from typing import Any

from fsmc import Table
from tests.vectors.policies import NO_SCHEMA


def payload(provider: str, table: Table, names: Iterable[str]) -> Any:
    """What is sent to *provider*. The policy holds the one definition of each tool; only words and nesting differ."""
    tools = [table.tools[name] for name in names]
    schemas = {tool.name: json.loads(tool.input_schema) if tool.input_schema else NO_SCHEMA for tool in tools}
    described = [{"name": tool.name, "description": tool.description} for tool in tools]
    if provider == "anthropic":
        return {"tools": [{**tool, "input_schema": schemas[tool["name"]]} for tool in described]}
    functions = [{**tool, "parameters": schemas[tool["name"]]} for tool in described]
    if provider == "gemini":
        return {"tools": [{"functionDeclarations": functions}]}
    if provider == "openai":
        return {"tools": [{"type": "function", "function": function} for function in functions]}
    return {function["name"]: function for function in functions}


def built(registry: Iterable[Mapping[str, Any]], names: Iterable[str], context: Mapping[str, Any]) -> dict[str, Any]:
    """The application's own definitions of the offered tools, with ``${key}`` filled in from its context."""
    definitions = {entry["name"]: entry["definition"] for entry in registry}
    return {name: _filled(definitions[name], context) for name in names}


def _filled(value: Any, context: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return string.Template(value).safe_substitute(context)
    if isinstance(value, dict):
        return {key: _filled(item, context) for key, item in value.items()}
    return value
