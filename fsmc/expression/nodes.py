"""The syntax tree of an expression: what was written, and where.

Every node has `start` and `end`, offsets in characters, and `depth`, the number of operations
that lie inside one another in it.
"""

from __future__ import annotations

from typing import TypeAlias

from fsmc.runtime.annotations import NamedTuple


class Literal(NamedTuple):
    """A scalar; `kind` is the operation that stands for it in an expression tree."""

    start: int
    end: int
    depth: int
    kind: str
    value: str | int | float | bool | None


class ListOf(NamedTuple):
    """`[a, b]`."""

    start: int
    end: int
    depth: int
    items: tuple[Node, ...]


class Name(NamedTuple):
    """A name on its own: of the language, or the variable of a macro."""

    start: int
    end: int
    depth: int
    name: str


class Field(NamedTuple):
    """`operand.name`; the name itself starts at `at`."""

    start: int
    end: int
    depth: int
    operand: Node
    name: str
    at: int


class Index(NamedTuple):
    """`operand[key]`."""

    start: int
    end: int
    depth: int
    operand: Node
    key: Node


class Has(NamedTuple):
    """`has(field)`."""

    start: int
    end: int
    depth: int
    field: Field


class Call(NamedTuple):
    """`size(x)` or `x.startsWith(y)`: the receiver is the first argument, the name is at `at`."""

    start: int
    end: int
    depth: int
    name: str
    arguments: tuple[Node, ...]
    at: int


class Macro(NamedTuple):
    """`source.all(variable, body)` or `exists`."""

    start: int
    end: int
    depth: int
    name: str
    variable: str
    source: Node
    body: Node


class Unary(NamedTuple):
    """`!x` or `-x`."""

    start: int
    end: int
    depth: int
    operator: str
    operand: Node


class Binary(NamedTuple):
    """`left operator right`; the operator starts at `at`."""

    start: int
    end: int
    depth: int
    operator: str
    left: Node
    right: Node
    at: int


class Logic(NamedTuple):
    """A chain of `&&` or of `||`, however it was grouped: grouping cannot change its value."""

    start: int
    end: int
    depth: int
    operator: str
    terms: tuple[Node, ...]


class Conditional(NamedTuple):
    """`condition ? yes : no`."""

    start: int
    end: int
    depth: int
    condition: Node
    yes: Node
    no: Node


Node: TypeAlias = Literal | ListOf | Name | Field | Index | Has | Call | Macro | Unary | Binary | Logic | Conditional
