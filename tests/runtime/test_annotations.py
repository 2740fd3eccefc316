"""The stand-ins for ``typing``: the public tuples are what ``typing.NamedTuple`` would have made of them."""

from __future__ import annotations

import inspect
import pickle
import typing
from collections.abc import Mapping

import pytest

from fsmc.runtime import annotations, conditions, decision, infos, ledger

RECORDS = [
    kind
    for module in (conditions, decision, infos, ledger)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, tuple) and kind.__module__ == module.__name__
]


class Ours(annotations.NamedTuple):
    """A tuple."""

    name: str
    number: int | None = None

    @property
    def long(self) -> bool:
        """Whether the name is long."""
        return len(self.name) > 10


class Theirs(typing.NamedTuple):
    """A tuple."""

    name: str
    number: int | None = None

    @property
    def long(self) -> bool:
        """Whether the name is long."""
        return len(self.name) > 10


def test_a_tuple_is_like_one_of_typing() -> None:
    for name in ("_fields", "_field_defaults", "__match_args__", "__mro__", "__doc__", "__module__", "__slots__"):
        ours, theirs = getattr(Ours, name), getattr(Theirs, name)
        assert ours == theirs or (name == "__mro__" and ours[1:] == theirs[1:]), name
    assert vars(Theirs).keys() - vars(Ours).keys() <= {"__orig_bases__"}
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Theirs)
    assert list(inspect.signature(Ours).parameters) == list(inspect.signature(Theirs).parameters)
    assert repr(Ours("x")) == "Ours(name='x', number=None)"
    assert pickle.loads(pickle.dumps(Ours("x", 1))) == Ours("x", 1)
    assert Ours("x")._replace(number=2)._asdict() == {"name": "x", "number": 2}
    assert Ours("x") == ("x", None) and not Ours("x").long


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_tools_that_read_annotations_can_read_those_of_the_runtime(kind: type) -> None:
    hints = typing.get_type_hints(kind)
    assert list(hints) == list(kind._fields)  # type: ignore[attr-defined]
    assert kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(")


def test_any_is_any_object() -> None:
    assert typing.get_type_hints(infos.Step)["writes"] == Mapping[str, object]
