"""What the tests of the readers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsmc.source import Document, MappingNode, Place, SequenceNode, Value, parse
from tests.support import data_folder


@pytest.fixture(scope="session")
def torture() -> Path:
    """The folder of torture sets; skips the test where it is absent."""
    return data_folder("torture")


@pytest.fixture(scope="session")
def read_text() -> Callable[..., Document]:
    """Parses a text given as str; the format is a keyword."""

    def read(text: str, format: str = "yaml") -> Document:
        return parse(text.encode(), f"policy.{format}")

    return read


Entry = tuple[Place, Value]


def walk(value: Value, place: Place | None = None) -> Iterator[Entry]:
    """Every key and value below `value`, with its place."""
    if place is not None:
        yield place, value
    if isinstance(value, MappingNode):
        for key, child in value.items():
            yield value.key_place(key), key
            yield from walk(child, value.value_place(key))
    elif isinstance(value, SequenceNode):
        for index, child in enumerate(value):
            yield from walk(child, value.value_place(index))


@pytest.fixture(scope="session")
def places() -> Callable[[Value], Iterator[Entry]]:
    """The function that lists every key and value with its place."""
    return walk
