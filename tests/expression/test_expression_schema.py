"""What a JSON Schema says about the types of facts."""

from typing import Any

import pytest

from fsmc.expression import (
    ANY_MAP,
    BOOL,
    DYN,
    INT,
    NUMBER,
    STRING,
    ListType,
    MapType,
    Type,
    compile_text,
    describe,
    from_schema,
)

DESCRIPTIONS: list[tuple[Any, str]] = [
    (None, "value of unknown type"),
    (True, "value of unknown type"),
    (False, "value of unknown type"),
    ({}, "value of unknown type"),
    ({"type": "strange"}, "value of unknown type"),
    ({"not": {"type": "string"}}, "value of unknown type"),
    ({"$ref": "https://example.com/other.json"}, "value of unknown type"),
    ({"$ref": "#/nowhere"}, "value of unknown type"),
    ({"$ref": "#"}, "value of unknown type"),
    ({"type": "boolean"}, "bool"),
    ({"type": "integer", "minimum": 0}, "int"),
    ({"type": "number"}, "number"),
    ({"type": "string", "format": "date"}, "string"),
    ({"type": ["string", "null"]}, "string or null"),
    ({"type": ["integer", "number", "null"]}, "number or null"),
    ({"enum": ["a", "b"]}, "string"),
    ({"enum": ["a", None]}, "string or null"),
    ({"enum": [1, 2]}, "int"),
    ({"const": True}, "bool"),
    ({"type": "string", "enum": ["a", 1]}, "string"),
    ({"type": "array"}, "list"),
    ({"type": "array", "items": {"type": "string"}}, "list of string"),
    ({"items": {"type": "integer"}}, "list of int"),
    (
        {"prefixItems": [{"type": "string"}, {"type": "null"}], "items": False},
        "list of string or null",
    ),
    ({"type": "array", "prefixItems": [{"type": "string"}]}, "list"),
    ({"items": [{"type": "string"}], "additionalItems": False}, "list of string"),
    ({"type": "object"}, "map"),
    ({"properties": {}}, "map"),
    ({"required": ["a"]}, "value of unknown type"),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "string or int"),
    ({"oneOf": [{"type": "string"}, {}]}, "value of unknown type"),
    ({"type": ["string", "integer"], "anyOf": [{"type": "string"}]}, "string"),
    ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "int"),
    ({"allOf": [{"minimum": 1}, {"type": "integer"}]}, "int"),
    ({"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"}, "int"),
    ({"$defs": {"a/b": {"type": "null"}}, "$ref": "#/$defs/a~1b"}, "null"),
]


@pytest.mark.parametrize(("schema", "name"), DESCRIPTIONS)
def test_type_of_a_schema(schema: Any, name: str) -> None:
    assert describe(from_schema(schema)) == name


STRICT = {"properties": {"a": {"type": "integer"}}}
OPENNESS: list[tuple[dict[str, Any], Type | None]] = [
    ({"type": "object"}, DYN),
    (STRICT, None),
    ({**STRICT, "additionalProperties": False}, None),
    ({**STRICT, "unevaluatedProperties": False}, None),
    ({**STRICT, "additionalProperties": True}, DYN),
    ({**STRICT, "additionalProperties": {"type": "string"}}, STRING),
    ({**STRICT, "patternProperties": {"^x-": {}}}, DYN),
    ({**STRICT, "if": {}, "then": {"properties": {"b": {}}}}, DYN),
    ({"type": "object", "additionalProperties": {"type": "boolean"}}, BOOL),
    ({"type": "object", "additionalProperties": False}, None),
]


@pytest.mark.parametrize(("schema", "rest"), OPENNESS)
def test_fields_without_a_name(schema: dict[str, Any], rest: Type | None) -> None:
    kind = from_schema(schema)
    assert isinstance(kind, MapType)
    assert kind.rest == rest


def test_fields_come_from_every_part() -> None:
    kind = from_schema(
        {
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "allOf": [{"properties": {"b": {"type": "string"}}}, {"required": ["b"]}],
            "anyOf": [{"required": ["c"]}, {"required": ["d"]}],
        }
    )
    assert kind == MapType({"a": INT, "b": STRING}, frozenset(("a",)), None)


def test_alternatives_offer_their_own_fields() -> None:
    schema = {
        "oneOf": [
            {"properties": {"kind": {"const": "card"}, "digits": {"type": "integer"}}},
            {"properties": {"kind": {"const": "cash"}}},
        ]
    }
    env = {"paid": from_schema(schema)}
    assert compile_text('paid.kind == "cash" || paid.digits == 4', env).errors == []
    (error,) = compile_text('paid.kind == "cart"', env).errors
    assert error.hint == "did you mean `card`?"


def test_a_schema_may_refer_to_itself() -> None:
    tree = {
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "value": {"type": "number"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
            }
        },
        "$ref": "#/$defs/node",
    }
    kind = from_schema(tree)
    assert kind == MapType({"value": NUMBER, "children": ListType(DYN)}, frozenset(), None)


def test_references_do_not_multiply() -> None:
    definitions: dict[str, Any] = {
        f"d{i}": {"properties": {"l": {"$ref": f"#/$defs/d{i + 1}"}, "r": {"$ref": f"#/$defs/d{i + 1}"}}}
        for i in range(60)
    }
    assert from_schema({"$defs": definitions, "$ref": "#/$defs/d0"}) != ANY_MAP


def test_depth_is_bounded() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        schema = {"type": "array", "items": schema}
    assert describe(from_schema(schema)).startswith("list of list of")
