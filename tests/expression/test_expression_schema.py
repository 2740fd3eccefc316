"""What a JSON Schema says about the types of facts."""

from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmc.expression import (
    ANY_MAP,
    BOOL,
    DYN,
    INT,
    NUMBER,
    STRING,
    ListType,
    MapType,
    String,
    Type,
    Union,
    compile_text,
    describe,
    from_schema,
    map_of,
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
    ({"items": {"type": "integer"}}, "value of unknown type"),
    ({"type": ["array", "null"], "items": {"type": "integer"}}, "list of int or null"),
    (
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "items": False},
        "list of string or null",
    ),
    ({"type": "array", "prefixItems": [{"type": "string"}]}, "list"),
    ({"type": "array", "items": [{"type": "string"}], "additionalItems": False}, "list of string"),
    ({"type": "object"}, "map"),
    ({"properties": {}}, "value of unknown type"),
    ({"properties": {}, "allOf": [{"type": "object"}]}, "map"),
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
    kind = map_of(from_schema(schema))
    assert kind is not None and kind.rest == rest
    assert from_schema({**schema, "type": "object"}) == kind


def test_fields_come_from_every_part() -> None:
    kind = from_schema(
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "allOf": [{"properties": {"b": {"type": "string"}}}, {"required": ["b"]}],
            "anyOf": [{"required": ["c"]}, {"required": ["d"]}],
        }
    )
    assert kind == MapType({"a": INT, "b": STRING, "c": DYN, "d": DYN}, frozenset(("a",)), None)


NAMED: list[dict[str, Any]] = [
    {"properties": {"a": {}}, "required": ["a", "x"]},
    {"properties": {"a": {}}, "dependentRequired": {"x": ["a"]}},
    {"properties": {"a": {}}, "allOf": [{"if": {"required": ["a"]}, "then": {"properties": {"x": {}}}}]},
    {"properties": {"a": {}}, "anyOf": [{"properties": {"x": {"type": "integer"}}}, {"required": ["a"]}]},
    {"properties": {"a": {}}, "oneOf": [{"properties": {"x": {}}}, True]},
    {"properties": {"a": {}}, "not": {"required": ["x"]}},
    {"properties": {"a": {}}, "allOf": [{"patternProperties": {"^x": {}}}]},
    {"properties": {"a": {}}, "allOf": [{"dependentSchemas": {"a": {"required": ["x"]}}}]},
    {"properties": {"a": {}}, "allOf": [{"allOf": [{"anyOf": [{"additionalProperties": True}]}]}]},
    {"allOf": [{"properties": {"a": {}}}], "additionalProperties": True},
    {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": {}},
    {"properties": {"a": {}}, "allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"required": ["x"]}}},
    {"properties": {"a": {}}, "$ref": "https://example.com/other"},
    {"properties": {"a": {}}, "$ref": "#/$defs/a%20b", "$defs": {"a b": {"properties": {"x": {}}}}},
]


@pytest.mark.parametrize("schema", NAMED)
@pytest.mark.parametrize("more", [{}, {"type": "object"}])
def test_a_field_that_any_part_names_is_known(schema: dict[str, Any], more: dict[str, Any]) -> None:
    env = {"context": from_schema({**schema, **more})}
    for text in ("context.x == 1", 'context["x"] == "text"', "has(context.x)", '"x" in context'):
        assert compile_text(text, env).errors == []


UNBOUND: list[tuple[dict[str, Any], str]] = [
    ({"properties": {"a": {}}}, 'v == "text" && v == 1 && v == null && v[0] && v.a && size(v) > 1'),
    ({"items": {"type": "integer"}}, 'v == "text" && v.a && v[0] == 1 && v.all(i, i == 1 || i == "key")'),
    ({"prefixItems": [{"type": "integer"}]}, "v || v.a"),
    ({"minItems": 1, "required": ["a"]}, "v || v.a"),
]


@pytest.mark.parametrize(("schema", "text"), UNBOUND)
def test_without_a_type_a_value_may_be_of_any(schema: dict[str, Any], text: str) -> None:
    assert compile_text(text, {"v": from_schema(schema)}).errors == []


def test_what_a_value_of_any_type_names_is_checked_all_the_same() -> None:
    env = {"v": from_schema({"properties": {"kind": {"enum": ["a", "b"]}}})}
    assert [str(error) for error in compile_text('v.kid == "a" || v.kind == "c"', env).errors] == [
        "v has no field `kid`; did you mean `kind`?",
        "v.kind is one of a, b; `c` can never be equal",
    ]


def test_alternatives_do_not_multiply() -> None:
    def either(n: int) -> dict[str, Any]:
        return {"anyOf": [{"properties": {f"a{n}": {"type": "integer"}}}, {"properties": {f"b{n}": {}}}]}

    kind = from_schema({"type": "object", "allOf": [either(n) for n in range(60)]})
    text = " && ".join(f"v.a{n} == 1 && v.b{n}" for n in range(60))
    assert compile_text(text, {"v": kind}).errors == []


# Whatever a schema accepts is a value of its type, but for fields that no part of it names.

_NAMES = st.sampled_from("abc")


def _schemas(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(parts, min_size=1, max_size=2)
    maps = st.dictionaries(_NAMES, parts, max_size=2)
    names = st.lists(_NAMES, max_size=2, unique=True)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "integer", "number", "string", ["object", "null"]]),
            "enum": st.lists(st.sampled_from(["a", "b", 1, 1.0, 2.5, None, True]), min_size=1, max_size=3),
            "properties": maps, "required": names, "additionalProperties": parts, "items": parts, "not": parts,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b|c"]), parts, max_size=1),
            "unevaluatedProperties": parts, "dependentSchemas": maps, "prefixItems": lists,
            "allOf": lists, "anyOf": lists, "oneOf": lists, "if": parts, "then": parts, "else": parts,
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b"]),
        },
    )  # fmt: skip


_PARTS = st.recursive(st.one_of(st.booleans(), _schemas(st.booleans())), _schemas, max_leaves=4)
_DATA = st.recursive(
    st.sampled_from(["a", "b", "c", 1, 1.0, 2.5, None, True, []]),
    lambda parts: st.one_of(st.lists(parts, max_size=2), st.dictionaries(_NAMES, parts, max_size=3)),
    max_leaves=5,
)


def admits(kind: Type, value: Any) -> bool:
    if kind == DYN:
        return True
    if isinstance(kind, Union):
        return any(admits(option, value) for option in kind.options)
    if isinstance(kind, MapType):
        known = isinstance(value, dict) and {key: kind.fields.get(key, kind.rest) for key in value}
        return known is not False and all(k is None or admits(k, value[key]) for key, k in known.items())
    if isinstance(kind, ListType):
        return isinstance(value, list) and all(admits(kind.item, item) for item in value)
    if isinstance(kind, String):
        return isinstance(value, str) and (kind.values is None or value in kind.values)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # as the runtime does with what comes in
    return {"bool": bool, "int": int, "double": float, "null": type(None)}[kind.name] is type(value)


@settings(deadline=None, max_examples=1500, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(_PARTS, st.fixed_dictionaries({"a": _PARTS, "b": _PARTS}), _DATA)
def test_a_type_admits_whatever_its_schema_accepts(schema: Any, definitions: Any, value: Any) -> None:
    if isinstance(schema, dict):
        schema = {**schema, "$defs": definitions}
    try:
        valid = jsonschema.Draft202012Validator(schema).is_valid(value)
    except RecursionError:
        return
    if valid:
        assert admits(from_schema(schema), value)


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
