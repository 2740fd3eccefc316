"""What becomes of a JSON Schema: every value that it accepts has the type, and what is too clever becomes anything."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fsmc.codegen.layout import flat
from fsmc.codegen.names import Identifiers
from fsmc.codegen.python_types import PythonTypes
from fsmc.codegen.shapes import Anything, Choice, Either, Items, Mapped, Record, Scalar, Shape, shape_of
from fsmc.codegen.typescript import _type

SIMPLE = [
    ({"type": "string"}, "str", "string"),
    ({"type": "integer", "minimum": 3}, "int", "number"),
    ({"type": "number"}, "float", "number"),
    ({"type": ["string", "null"]}, "str | None", "string | null"),
    ({"type": ["integer", "number"]}, "int | float", "number"),
    ({"enum": ["a", 1, True, None]}, "Literal['a', 1, True] | None", '"a" | 1 | true | null'),
    ({"const": "x"}, "Literal['x']", '"x"'),
    ({"type": "string", "enum": ["a", 1]}, "Literal['a']", '"a"'),
    ({"enum": [1, 2.5]}, "Literal[1] | float", "1 | number"),
    ({"enum": [[], "a"]}, "Any", "unknown"),
    ({"const": 2**60}, f"Literal[{2**60}]", "number"),
    ({"type": "array", "items": {"type": "string"}}, "list[str]", "readonly string[]"),
    ({"type": "array"}, "list[Any]", "readonly unknown[]"),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, "list[Literal['a', 'b']]", 'readonly ("a" | "b")[]'),
    ({"type": "array", "prefixItems": [{}], "items": {"type": "string"}}, "list[Any]", "readonly unknown[]"),
    ({"type": "object"}, "dict[str, Any]", "{ readonly [name: string]: unknown }"),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        "dict[str, int]",
        "{ readonly [name: string]: number }",
    ),
    (
        {"type": "object", "properties": {"a": {}}, "patternProperties": {"x": {}}},
        "dict[str, Any]",
        "{ readonly [name: string]: unknown }",
    ),
    (
        {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
        "dict[str, Any]",
        "{ readonly [name: string]: unknown }",
    ),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None", "string | null"),
    ({"anyOf": [{"type": "string"}, {}]}, "Any", "unknown"),
    ({"oneOf": [{"type": "string"}], "properties": {}}, "Any", "unknown"),
    ({"allOf": [{"type": "string"}]}, "Any", "unknown"),
    ({"not": {"type": "string"}}, "Any", "unknown"),
    ({"$ref": "#/$defs/a~1b"}, "int", "number"),
    ({"$ref": "#/$defs/loop"}, "list[list[Any] | None]", "readonly (readonly unknown[] | null)[]"),
    ({"$ref": "#/nowhere"}, "Any", "unknown"),
    (True, "Any", "unknown"),
    (False, "Any", "unknown"),
]
DEFINITIONS = {
    "a/b": {"type": "integer"},
    "loop": {
        "type": "array",
        "items": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/loop"}}, {"type": "null"}]},
    },
}


def field(schema: Any) -> Shape:
    """The shape of one property."""
    whole = shape_of(json.dumps({"type": "object", "properties": {"f": schema}, "$defs": DEFINITIONS}))
    assert isinstance(whole, Record)
    return whole.fields[0].shape


@pytest.mark.parametrize(("schema", "python", "typescript"), SIMPLE, ids=[json.dumps(row[0]) for row in SIMPLE])
def test_types(schema: Any, python: str, typescript: str) -> None:
    shape = field(schema)
    assert flat(PythonTypes(Identifiers(())).expression(shape, "F", False)).replace('"', "'") == python
    assert _type(shape, 0) == typescript


def test_arrays_of_a_context_are_read_as_tuples() -> None:
    expression = PythonTypes(Identifiers(())).expression(Items(Scalar("string")), "F", True)
    assert flat(expression) == "list[str] | tuple[str, ...]"


@pytest.mark.parametrize("text", [None, "true", "{}", '{"type":"array"}', '{"type":["object","null"]}'])
def test_what_says_nothing_about_an_object_is_any_object(text: str | None) -> None:
    assert shape_of(text) == Mapped(Anything())


def test_a_schema_that_grows_without_end_is_cut_off() -> None:
    twice = {
        f"d{i}": {"type": "object", "properties": {n: {"$ref": f"#/$defs/d{i + 1}"} for n in "ab"}} for i in range(60)
    }
    shape = shape_of(json.dumps({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": twice}))
    assert len(repr(shape)) < 1_000_000


SCALARS = st.sampled_from([None, True, False, 0, 1, -3, 1.5, "", "a", "b"])
LEAVES = st.one_of(
    st.sampled_from(
        [{}, True, {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": ["string", "null"]}]
    ),
    st.lists(SCALARS, min_size=1, max_size=3).map(lambda values: {"enum": values}),
    SCALARS.map(lambda value: {"const": value}),
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from("abc")
    return st.one_of(
        inner.map(lambda item: {"type": "array", "items": item}),
        st.builds(
            lambda fields, required, others: {"type": "object", "properties": fields, "required": required} | others,
            st.dictionaries(names, inner, max_size=3),
            st.lists(names, unique=True, max_size=2),
            st.one_of(
                st.just({}),
                inner.map(lambda other: {"additionalProperties": other}),
                st.just({"additionalProperties": False}),
            ),
        ),
        inner.map(lambda other: {"type": "object", "additionalProperties": other}),
        st.lists(inner, min_size=1, max_size=2).map(lambda options: {"anyOf": options}),
        st.lists(inner, min_size=1, max_size=2).map(lambda options: {"allOf": options}),
        st.builds(lambda a, b: {"oneOf": [a], "anyOf": [b]}, inner, inner),
    )


SCHEMAS = st.recursive(LEAVES, _nested, max_leaves=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)


def fits(value: Any, shape: Shape) -> bool:
    """Whether a value has the type that a shape stands for; names that a record does not list are not looked at."""
    if isinstance(shape, Scalar):
        kinds = {"string": str, "integer": (int, float), "number": (int, float), "boolean": bool, "null": type(None)}
        return isinstance(value, kinds[shape.kind]) and (shape.kind == "boolean" or not isinstance(value, bool))
    if isinstance(shape, Choice):
        return any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in shape.values)
    if isinstance(shape, Items):
        return isinstance(value, list) and all(fits(item, shape.item) for item in value)
    if isinstance(shape, Mapped):
        return isinstance(value, dict) and all(fits(item, shape.value) for item in value.values())
    if isinstance(shape, Either):
        return any(fits(value, option) for option in shape.options)
    if isinstance(shape, Record):
        return isinstance(value, dict) and all(
            fits(value[field.name], field.shape) if field.name in value else not field.required
            for field in shape.fields
        )
    return True


@settings(max_examples=150, deadline=None, derandomize=True)
@given(SCHEMAS, VALUES)
def test_what_the_schema_accepts_has_the_type(schema: Any, value: Any) -> None:
    assume(jsonschema.Draft202012Validator(schema).is_valid(value))
    assert fits(value, field(schema))
