"""What annotations take from ``typing``, without importing it: that alone would cost half as much as loading a table.

Type checkers see the names of ``typing`` itself. At run time ``Any`` and type variables stand for any object, and
``NamedTuple`` makes the same classes, in half the time, in modules whose annotations are texts (``from __future__ import
annotations``).
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, NamedTuple, TypeVar, overload
else:
    Any = object

    def TypeVar(name, bound=object):
        return bound

    def overload(function):
        return function

    class _FromAnnotations(type):
        """Makes of a class body what ``typing.NamedTuple`` makes of it."""

        def __new__(cls, name, bases, body):
            types = body.pop("__annotations__")
            defaults = [body.pop(field) for field in types if field in body]
            made = namedtuple(name, types, defaults=defaults, module=body.pop("__module__"))
            made.__annotations__ = made.__new__.__annotations__ = types
            for key, value in body.items():
                setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_FromAnnotations, "NamedTuple", (), {})

__all__ = ["TYPE_CHECKING", "Any", "NamedTuple", "TypeVar", "overload"]
