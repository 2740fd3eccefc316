"""The draft-07 twin says what the schema says."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import jsonschema
import pytest
from referencing import Registry

from fsmc.runtime.schemas import schema
from tests.schema.samples import SAMPLES
from tests.schema.twin import TWIN, text

JUDGE = jsonschema.Draft202012Validator(schema(), registry=Registry())
TWIN_JUDGE = jsonschema.Draft7Validator(json.loads(text()), registry=Registry())


def test_the_file_is_current() -> None:
    assert TWIN.read_text(encoding="utf-8") == text(), "run `python -m tests.schema.twin`"


def test_it_is_a_schema_of_draft_07() -> None:
    jsonschema.Draft7Validator.check_schema(json.loads(text()))


@pytest.mark.parametrize("name", SAMPLES)
def test_both_judge_alike(name: str) -> None:
    """A valid policy, and it with one value or key changed in turn."""
    assert TWIN_JUDGE.is_valid(SAMPLES[name])
    chance = random.Random(name)
    for _ in range(60):
        changed = copy.deepcopy(SAMPLES[name])
        holder = _somewhere(changed, chance)
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        value = holder[key]
        holder[key] = chance.choice([None, 1, -1, 0.5, "", "x", True, [], {}, [value], {"x": value}])
        if isinstance(holder, dict) and chance.random() < 0.3:
            holder[chance.choice(["x", "type", "target", "guard"])] = holder.pop(key)
        assert TWIN_JUDGE.is_valid(changed) == JUDGE.is_valid(changed), changed


def _somewhere(value: Any, chance: random.Random) -> Any:
    while True:
        inner = [
            item
            for item in (value.values() if isinstance(value, dict) else value)
            if item and isinstance(item, (dict, list))
        ]
        if not inner or chance.random() < 0.25:
            return value
        value = chance.choice(inner)
