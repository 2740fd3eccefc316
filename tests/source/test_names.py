"""The names that lead to a place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsmc.source import parse, read
from fsmc.source.names import Names
from fsmc.source.tree import MappingNode, Place, SequenceNode

POLICIES = sorted((Path(__file__).parents[2] / "policies").glob("*/policy.*"))


def places(node: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[Place, tuple[str, ...]]]:
    if isinstance(node, MappingNode):
        for key, value in node.items():
            yield node.key_place(key), (*names, key)
            if not value or not isinstance(value, (MappingNode, SequenceNode)):  # what begins with a key is named by it
                yield node.value_place(key), (*names, key)
            yield from places(value, (*names, key))
    elif isinstance(node, SequenceNode):
        for number, value in enumerate(node):
            if not isinstance(value, (MappingNode, SequenceNode)):
                yield node.value_place(number), names
            yield from places(value, names)


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.parent.name)
def test_every_key_and_value_of_the_gallery(path: Path) -> None:
    document = read(path)
    names = Names(document)
    found = list(places(document.root))
    assert found
    for place, expected in found:
        # What an alias stands for is named where it is written.
        assert names.at(place) == expected or "*" in document.text


def test_tables_of_toml_in_any_order() -> None:
    document = parse(
        b'fsmc = 1\nid = "a"\n[states.A]\ntools = ["look"]\n[tools.look]\neffect = "read"\n[states.B]\ntype = "terminal"\n',
        "p.toml",
    )
    names = Names(document)
    assert names.at(Place(8, 1)) == names.at(Place(8, 12)) == ("states", "B", "type")
    assert names.at(Place(4, 10)) == ("states", "A", "tools")
    assert names.at(Place(6, 3)) == ("tools", "look", "effect")


def test_a_text_that_cannot_be_read_has_no_names() -> None:
    assert Names(parse(b"a: [", "p.yaml")).at(Place(1, 1)) == ()
