"""The draft-07 twin of the policy schema, for editors that know no later draft. ``python -m tests.schema.twin`` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fsmc.runtime.schemas import schema

TWIN = Path(__file__).parents[2] / "schemas" / "policy-v1.draft-07.schema.json"

_MAPS = {"properties", "patternProperties", "$defs"}
_SINGLE = {"items", "additionalProperties", "not", "if", "then", "else", "propertyNames", "contains"}
_LISTS = {"allOf", "anyOf", "oneOf"}
_KEPT = {
    "$id", "title", "description", "type", "enum", "const", "required", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "pattern",
    "minItems", "maxItems", "minProperties", "uniqueItems", "default", "examples", "$comment", "format",
}  # fmt: skip


def twin(part: Any) -> Any:
    """*part* of a schema of draft 2020-12 in the words of draft-07. Raises ``ValueError`` for a keyword that has none."""
    if not isinstance(part, dict):
        return part
    if "$ref" in part and len(part) > 1:  # draft-07 looks at nothing beside a reference
        words = {key: part[key] for key in ("title", "description") if key in part}
        beside = {key: value for key, value in part.items() if key not in words and key != "$ref"}
        return {**words, "allOf": [twin({"$ref": part["$ref"]}), *([twin(beside)] if beside else [])]}
    made: dict[str, Any] = {}
    for key, value in part.items():
        if key == "$schema":
            made[key] = "http://json-schema.org/draft-07/schema#"
        elif key == "$ref":
            made[key] = value.replace("#/$defs/", "#/definitions/")
        elif key in _MAPS:
            made["definitions" if key == "$defs" else key] = {name: twin(inner) for name, inner in value.items()}
        elif key in _SINGLE:
            made[key] = twin(value)
        elif key in _LISTS:
            made[key] = [twin(inner) for inner in value]
        elif key == "dependentRequired":
            made["dependencies"] = value
        elif key in _KEPT:
            made[key] = value
        else:
            raise ValueError(f"draft-07 has no word for {key!r}")
    return made


def text() -> str:
    """The text of the twin."""
    made = twin(schema())
    made["$id"] = f"{made['$id']}.draft-07"
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TWIN.write_text(text(), encoding="utf-8", newline="\n")
