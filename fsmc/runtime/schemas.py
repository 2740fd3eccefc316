"""The published schemas, from the files that editors read too: each the one definition of its structure."""

from __future__ import annotations

import json
import os
from functools import cache

from fsmc.runtime.annotations import Any
from fsmc.runtime.validity import Check, compile_schema

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def schema_text(name: str) -> str:
    """The text of a published schema, from the wheel or from a checkout.

    They are ``policy-v1``, ``table-v1``, ``trace-v1``, ``session-v1`` and ``lint-report-v1``.
    """
    for folder in (_PACKAGE, os.path.dirname(_PACKAGE)):
        path = os.path.join(folder, "schemas", f"{name}.schema.json")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(f"schema {name} is not part of this installation")


@cache
def schema(name: str = "policy-v1") -> Any:
    """A published schema as data. Shared: do not change it."""
    return json.loads(schema_text(name))


@cache
def quick_check(name: str = "policy-v1") -> Check:
    """The quick predicate of a published schema: True means valid."""
    return compile_schema(schema(name), metered=False)
