"""Shapes as Python types: expressions, and the definitions that they need."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from fsmc.codegen.layout import Expression, Sub, alias, annotated, flat, function
from fsmc.codegen.names import Identifiers, python_string
from fsmc.codegen.shapes import Anything, Choice, Either, Field, Items, Mapped, Record, Scalar, Shape

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
Entry: TypeAlias = tuple[str, Expression, bool]  # key, type, required

# A list of values that is longer than this gets a name of its own.
_LONG = 40


def literal_of(names: Iterable[str]) -> Expression:
    """The type of exactly these names; of none, the type that nothing has."""
    texts = tuple(map(python_string, names))
    return Sub("Literal", texts) if texts else "NoReturn"


def optional(expression: Expression) -> Expression:
    """The type, or None."""
    parts = expression.parts if isinstance(expression, Sub) and expression.head == "Union" else (expression,)
    return Sub("Union", (*parts, "None"))


class PythonTypes:
    """Turns shapes into types and collects the definitions on the way, each before its first use.

    *readonly* types are for values that a session shows: its arrays are tuples then, and its objects cannot be changed.
    """

    def __init__(self, identifiers: Identifiers) -> None:
        self.definitions: list[str] = []
        self.identifiers = identifiers

    def expression(self, shape: Shape, name: str, readonly: bool) -> Expression:
        """The type of a shape. *name* is what a definition for it is called, or starts with."""
        if isinstance(shape, Scalar):
            return _SCALARS[shape.kind]
        if isinstance(shape, Choice):
            return self._choice(shape, name)
        if isinstance(shape, Items):
            item = self.expression(shape.item, f"{name}Item", readonly)
            if readonly and not _may_be_text(shape.item):
                return Sub("Sequence", (item,))
            # A text is a sequence of texts, and hardly ever meant as one.
            parts = (Sub("list", (item,)), Sub("tuple", (item, "...")))
            return Sub("Union", parts) if readonly else parts[0]
        if isinstance(shape, Mapped):
            value = self.expression(shape.value, f"{name}Value", readonly)
            return Sub("Mapping" if readonly else "dict", ("str", value))
        if isinstance(shape, Either):
            options = [self.expression(option, f"{name}Option", readonly) for option in shape.options]
            return Sub("Union", tuple(dict.fromkeys(options)))
        if isinstance(shape, Record):
            defined = self.identifiers.make(name, "Object")
            self.typed_dict(defined, self.entries(shape.fields, defined, readonly))
            return defined
        return "Any"

    def entries(self, fields: Sequence[Field], name: str, readonly: bool) -> list[Entry]:
        """The entries for the fields of an object called *name*."""
        return [
            (field.name, self.expression(field.shape, f"{name} {field.name}", readonly), field.required)
            for field in fields
        ]

    def typed_dict(self, name: str, entries: Sequence[Entry], text: str = "") -> None:
        """Define a TypedDict called *name*, which nothing else is called, with *text* as its docstring.

        A key such as ``__init__`` cannot be in one: pyright takes it for the method.
        """
        if any(key.startswith("__") and key.endswith("__") for key, _, _ in entries):
            self.alias(name, Sub("Mapping", ("str", "Any")))
            return
        required = [(key, kind) for key, kind, needed in entries if needed]
        others = [(key, kind) for key, kind, needed in entries if not needed]
        if not (required and others):
            self._object(name, required or others, not others, text)
            return
        # `NotRequired` came with Python 3.11; bases with and without `total=False` say the same in any.
        self._object(f"_{name}Required", required, True, "")
        if _can_be_class(others):
            self.definitions.append(_as_class(name, [f"_{name}Required"], others, False, text))
        else:
            self._object(f"_{name}Optional", others, False, "")
            bases = [f"_{name}Required", f"_{name}Optional"]
            self.definitions.append(_as_class(name, bases, [], True, text or "What must be there, and what may."))

    def _object(self, name: str, entries: Sequence[tuple[str, Expression]], total: bool, text: str) -> None:
        if _can_be_class(entries):
            self.definitions.append(_as_class(name, ["TypedDict"], entries, total, text))
        else:
            self.definitions.append(_as_call(name, entries, total))

    def alias(self, name: str, expression: Expression) -> None:
        """Define a type under a name."""
        self.definitions.append(alias(name, expression))

    def _choice(self, shape: Choice, name: str) -> Expression:
        literal = Sub("Literal", tuple(python_string(v) if isinstance(v, str) else repr(v) for v in shape.values))
        if len(flat(literal)) <= _LONG:
            return literal
        defined = self.identifiers.make(name, "Choice")
        self.alias(defined, literal)
        return defined


def _may_be_text(shape: Shape) -> bool:
    if isinstance(shape, Either):
        return any(map(_may_be_text, shape.options))
    if isinstance(shape, Choice):
        return any(isinstance(value, str) for value in shape.values)
    return isinstance(shape, Anything) or shape == Scalar("string")


def _can_be_class(entries: Sequence[tuple[str, Expression]]) -> bool:
    """Whether every key can be written as a field. One that hides a type of another, or is changed by Python, cannot."""
    used = {word for _, kind in entries for word in re.findall(r"\w+", flat(kind))}
    return all(
        key.isidentifier()
        and key.isascii()
        and not keyword.iskeyword(key)
        and not key.startswith("__")
        and key not in used
        for key, _ in entries
    )


def _as_class(
    name: str, bases: Sequence[str], entries: Sequence[tuple[str, Expression]], total: bool, text: str
) -> str:
    arguments = [(base, None, "") for base in bases]
    head = function(f"class {name}", arguments if total else [*arguments, ("total", None, "False")], ":")
    fields = [annotated(key, kind, 4) for key, kind in entries]
    if not entries:
        return f'{head}\n    """{text or "Nothing."}"""'
    intro = [f'    """{text}"""', ""] if text else []
    return "\n".join([head, *intro, *fields])


def _as_call(name: str, entries: Sequence[tuple[str, Expression]], total: bool) -> str:
    fields = [annotated(python_string(key), kind, 8, ",") for key, kind in entries]
    end = [] if total else ["    total=False,"]
    return "\n".join([f"{name} = TypedDict(", f'    "{name}",', "    {", *fields, "    },", *end, ")"])
