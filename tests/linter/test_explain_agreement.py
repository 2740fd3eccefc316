"""Whatever is wrong with the structure is explained, and what is valid is not: on mutated policies."""

from __future__ import annotations

import copy
import json
import random

import pytest

from fsmc.policy.explain import explain
from fsmc.source import parse
from tests.schema.samples import SAMPLES
from tests.schema.test_schema_agreement import JUDGE, mutate


@pytest.mark.parametrize("name", SAMPLES)
def test_explained_means_invalid(name: str) -> None:
    chance = random.Random(name)
    for _ in range(120):
        data = copy.deepcopy(SAMPLES[name])
        for _ in range(chance.randint(1, 3)):
            mutate(data, chance)
        document = parse(json.dumps(data, indent=1).encode(), "policy.json")
        assert not document.problems
        problems = explain(document)
        assert bool(problems) != JUDGE.is_valid(data), (data, problems)
        places = [problem.place for problem in problems]
        assert places == sorted(set(places))
        for problem in problems:
            assert document.line(problem.place.line)
            assert problem.message.isprintable()
            assert len(problem.message) < 400
