"""The quick check against jsonschema: True must mean valid, and ordinary policies must be quick."""

from __future__ import annotations

import copy
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referencing import Registry

from fsmc.runtime.effort import TooMuchWork, weigh
from fsmc.runtime.references import UnsupportedSchema
from fsmc.runtime.schemas import quick_check, schema
from fsmc.runtime.validator import Validator
from fsmc.runtime.validity import compile_schema
from tests.schema.samples import SAMPLES

JUDGE = jsonschema.Draft202012Validator(schema(), registry=Registry())


@pytest.mark.parametrize("name", SAMPLES)
def test_ordinary_policies_are_valid_and_quick(name: str) -> None:
    assert JUDGE.is_valid(SAMPLES[name])
    assert quick_check()(SAMPLES[name])


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


WORDS = [
    "",
    "A",
    "x",
    "fsmc",
    "type",
    "event",
    "terminal",
    "a\u0007b",
    "n" * 201,
    "30s",
    "5 minutes",
    "#/$defs/x",
    "http://x/y",
]
SCALARS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    1.5,
    10**10,
    [],
    {},
    [1],
    ["A", "A"],
    {"a": 1},
    {"type": "string"},
    *WORDS,
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or index) of a document, at every depth."""
    found: list[tuple[Any, Any]] = []
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        found += places(value[key])
    return found


def mutate(document: dict[str, Any], chance: random.Random) -> None:
    """Drop, rename, duplicate, retype or replace something, anywhere."""
    container, key = chance.choice(places(document))
    action = chance.randrange(5)
    if action == 0:
        del container[key]
    elif action == 1 and isinstance(container, dict):
        container[chance.choice(WORDS)] = container.pop(key)
    elif action == 2:
        container[key] = copy.deepcopy(chance.choice(SCALARS))
    elif action == 3:
        donor, other = chance.choice(places(document))
        container[key] = copy.deepcopy(donor[other])
    elif isinstance(container, dict):
        container[chance.choice(WORDS)] = copy.deepcopy(chance.choice(SCALARS))
    else:
        container.append(copy.deepcopy(chance.choice(SCALARS)))


@pytest.mark.parametrize("name", SAMPLES)
def test_mutated_policies(name: str) -> None:
    chance = random.Random(name)
    quick_and_valid = 0
    for _ in range(150):
        document = copy.deepcopy(SAMPLES[name])
        for _ in range(chance.randint(1, 3)):
            mutate(document, chance)
        quick, valid = quick_check()(document), JUDGE.is_valid(document)
        assert valid or not quick, document
        # The other direction is allowed to fail only where the quick check leaves the decision to the judge on purpose.
        quick_and_valid += quick == valid
    assert quick_and_valid >= 148


@settings(max_examples=300, deadline=None)
@given(
    st.recursive(
        st.sampled_from(SCALARS),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*schema()["properties"], *schema()["$defs"]["tool"]["properties"], "A"]),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_arbitrary_documents(document: Any) -> None:
    for candidate in (document, {**SAMPLES["small"], "states": document}, {**SAMPLES["small"], "context": document}):
        assert JUDGE.is_valid(candidate) or not quick_check()(candidate)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from([0.0, 1.0, 2.5, 1e300])
    | st.sampled_from(["", "a", "ab", "x1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "x1"]), inner, max_size=3),
    max_leaves=8,
)
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
SMALL = st.integers(0, 4)
LEAF = st.booleans() | st.fixed_dictionaries({}, optional={
    "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
    "enum": st.lists(VALUES, max_size=3), "const": VALUES, "pattern": st.sampled_from(["^a", "[0-9]", "b$"]),
    "required": st.lists(st.sampled_from(["a", "b"]), unique=True, max_size=2), "multipleOf": st.sampled_from([1, 2, 3]),
    "uniqueItems": st.booleans(), "minimum": SMALL, "maximum": SMALL, "exclusiveMinimum": SMALL, "exclusiveMaximum": SMALL,
    "minLength": SMALL, "maxLength": SMALL, "minItems": SMALL, "maxItems": SMALL, "minProperties": SMALL,
    "maxProperties": SMALL, "title": st.just("t"), "format": st.just("date"), "x-note": VALUES,
})  # fmt: skip


def combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    return st.fixed_dictionaries({}, optional={
        "properties": named, "patternProperties": st.dictionaries(st.sampled_from(["^a", "1"]), inner, max_size=2),
        "additionalProperties": inner, "propertyNames": inner, "items": inner, "allOf": some, "anyOf": some, "oneOf": some,
        "not": inner, "if": inner, "then": inner, "else": inner, "type": st.sampled_from(TYPES),
        "$ref": st.just("#/$defs/other"),
    })  # fmt: skip


SCHEMAS = st.recursive(LEAF, combined, max_leaves=6)


@settings(max_examples=250, deadline=None)
@given(SCHEMAS, LEAF, st.lists(VALUES, min_size=1, max_size=5))
def test_any_schema_of_the_known_keywords(found: Any, other: Any, values: list[Any]) -> None:
    if isinstance(found, bool):
        found = {"allOf": [found]}
    whole = {**found, "$defs": {"other": other}}
    try:
        quick = compile_schema(whole)
    except UnsupportedSchema:
        return  # the judge decides everything then
    judge = jsonschema.Draft202012Validator(whole, registry=Registry())
    for value in values:
        assert judge.is_valid(value) or not quick(value), (whole, value)


@pytest.mark.parametrize("unknown", [
    {"contains": {}}, {"$dynamicRef": "#x"}, {"dependentRequired": {}}, {"$ref": "http://example.org/x"}, {"pattern": "("},
    {"not": {"uniqueItems": True}}, {"unevaluatedProperties": False}, {"minimun": 1}, {"type": "strin"}, [],
    {"ref": "#"}, {"$allOf": [True]}, {"$items": True}, {"$not": False}, {"$$ref": "#"}, {"id": "x"}, {"$anchor": "a"},
    {"$ref": "#/$defs/a%20b", "$defs": {"a b": True}}, {"$ref": "#a", "$defs": {"a": {"$anchor": "a"}}},
    {"allOf": [{"$id": "urn:x:y"}]}, {"$ref": "#/$defs/a", "$defs": {"a": {"$id": "urn:x:y", "type": "string"}}},
    {"$ref": "#/$defs/a/$defs/b", "$defs": {"a": {"$id": "urn:x:y", "$defs": {"b": {"$ref": "#/$defs/c"}}}}},
    {"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#"}]},
    {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#"}}},
])  # fmt: skip
def test_what_is_not_known_is_never_passed(unknown: Any) -> None:
    with pytest.raises(UnsupportedSchema):
        compile_schema(unknown)


@pytest.mark.parametrize("usual", [
    {"$id": "urn:x:y", "$schema": "http://json-schema.org/draft-07/schema#", "type": "string"},
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}},
    {"properties": {"$id": {"type": "string"}, "$ref": {"type": "string"}}},
    {"$ref": "#/$defs/$id/a~1b", "$defs": {"$id": {"a/b": {"type": "string"}}}},
])  # fmt: skip
def test_what_only_looks_unusual_is_known(usual: Any) -> None:
    quick, judge = compile_schema(usual), jsonschema.Draft202012Validator(usual, registry=Registry())
    for value in ("a", 1, {"$id": "a"}, {"$id": 1}, {"$ref": 1}):
        assert quick(value) == judge.is_valid(value)


# References that multiply


def multiplied(combine: Any, leaf: Any = None, length: int = 40) -> dict[str, Any]:
    """Each definition refers twice to the next one."""
    definitions: dict[str, Any] = {f"d{length}": {"type": "string"} if leaf is None else leaf}
    for number in range(length):
        definitions[f"d{number}"] = combine({"$ref": f"#/$defs/d{number + 1}"})
    return {"$ref": "#/$defs/d0", "$defs": definitions}


def nested(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {"c": value}
    return value


MULTIPLIED: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "allOf": (multiplied(lambda ref: {"allOf": [ref, ref]}), ["x", 1]),
    "anyOf": (multiplied(lambda ref: {"anyOf": [ref, ref]}), ["x", 1]),
    "oneOf": (multiplied(lambda ref: {"oneOf": [ref, ref]}), ["x", 1]),
    "not": (multiplied(lambda ref: {"allOf": [{"not": ref}, {"not": ref}]}), ["x", 1]),
    "if": (multiplied(lambda ref: {"if": ref, "then": ref, "else": ref}), ["x", 1]),
    "an unknown keyword": (multiplied(lambda ref: {"allOf": [ref, ref], "minContains": 1}), ["x", 1]),
    "long lists": (
        multiplied(lambda ref: {"allOf": [ref, ref]}, {"items": {"type": "integer"}}, 16), [[1] * 5_000, ["x"] * 5_000]
    ),
    "lists in lists": (
        multiplied(lambda ref: {"allOf": [ref, ref]}, {"items": {"items": {"type": "integer"}}}, 15), [[[1] * 50_000]]
    ),
    "a smaller value": (
        {"$ref": "#/$defs/n", "$defs": {"n": {"allOf": [{"properties": {"c": {"$ref": "#/$defs/n"}}}] * 2}}}, [nested(60)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MULTIPLIED)
def test_references_that_multiply_are_given_up(name: str) -> None:
    schema, values = MULTIPLIED[name]
    for value in values:
        before = time.process_time()
        with suppress(TooMuchWork, UnsupportedSchema):
            # A mistake found soon is as good an answer, and so is one way that holds.
            assert compile_schema(schema)(value) in (True, False)
        with pytest.raises(TooMuchWork):
            weigh(schema, value)
        assert Validator(schema, "arguments").error(value) in (
            None, "the arguments are too much work for their schema to be validated"
        )  # fmt: skip
        assert time.process_time() - before < 3  # about 0.3 s


def test_references_of_large_values_are_followed() -> None:
    tree = {"type": "object", "properties": {"c": {"$ref": "#"}, "l": {"type": "array", "items": {"$ref": "#"}}}}
    value = {"l": [{"l": [{}] * 300, "c": nested(50)} for _ in range(1_000)]}  # 350,000 values
    assert compile_schema(tree)(value)
    weigh(tree, value)
    assert not compile_schema(tree)({"l": [*value["l"], {"c": 1}]})


def test_one_thread_does_not_pay_for_another() -> None:
    check = compile_schema(multiplied(lambda ref: {"allOf": [ref, ref]}, length=13))  # 16,000 references
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(check, ["x"] * 60))


def test_a_schema_of_our_own_is_not_metered() -> None:
    schema = multiplied(lambda ref: {"allOf": [ref, ref]}, length=17)
    assert compile_schema(schema, metered=False)("x")
    with pytest.raises(TooMuchWork):
        compile_schema(schema)("x")
