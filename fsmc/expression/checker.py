"""Types an expression against the facts it may read, and writes its expression tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from fsmc.expression import messages
from fsmc.expression.errors import ExpressionError
from fsmc.expression.messages import Typed
from fsmc.expression.nodes import (
    Binary,
    Call,
    Conditional,
    Field,
    Has,
    Index,
    ListOf,
    Literal,
    Logic,
    Macro,
    Name,
    Node,
    Unary,
)
from fsmc.expression.types import (
    BOOL,
    DOUBLE,
    DYN,
    INT,
    NULL,
    STRING,
    ListType,
    String,
    Type,
    can_equal,
    can_order,
    element_of,
    families,
    field_of,
    item_of,
    join,
    may_be,
    may_be_integer,
    options_of,
)
from fsmc.runtime.annotations import NamedTuple

Tree: TypeAlias = list[Any]
"""An expression tree, as `docs/architecture.md` describes it."""

_SAFE_INTEGER = 2**53 - 1
_LITERAL_TYPES = {"bool": BOOL, "int": INT, "double": DOUBLE, "null": NULL}
_LOGIC_NAMES = {"&&": "and", "||": "or"}
_ORDER = ("<", "<=", ">", ">=")


class Checked(NamedTuple):
    """What became of an expression: its tree unless there are errors, the type of its value."""

    tree: Tree | None
    type: Type
    errors: list[ExpressionError]


def check(
    node: Node,
    env: Mapping[str, Type],
    expected: Type | None = None,
    unavailable: Mapping[str, str] | None = None,
) -> Checked:
    """Type an expression.

    `env` gives the type of each name that may be used.  `unavailable` gives, for names that mean
    something elsewhere, the sentence that says why they mean nothing here.  With `expected` a value
    that can never be of that type is an error; a value of unknown type is left to run time.
    """
    checker = _Checker(env, unavailable or {})
    result = checker.visit(node)
    if expected is not None and not can_equal(expected, result.type, _filled(node)):
        checker.errors.append(messages.unexpected(result, expected))
    errors = sorted(checker.errors, key=lambda error: error.offset)
    return Checked(None if errors else result.tree, result.type, errors)


class _Checker:
    """One walk over one expression.

    A part with a mistake in it has type `DYN`, about which nothing more can be wrong.
    """

    __slots__ = ("env", "errors", "unavailable")

    def __init__(self, env: Mapping[str, Type], unavailable: Mapping[str, str]) -> None:
        self.env = dict(env)
        self.unavailable = unavailable
        self.errors: list[ExpressionError] = []

    def visit(self, node: Node) -> Typed:
        tree, kind = _VISITORS[type(node)](self, node)
        return Typed(node, tree, kind)

    def fail(self, error: ExpressionError) -> Type:
        self.errors.append(error)
        return DYN

    def wants(self, value: Typed, who: str, wanted: str, *kinds: str) -> bool:
        """Whether a value may be of one of the kinds that `who` works on; complains if not."""
        if may_be(value.type, *kinds):
            return True
        self.fail(messages.wrong_kind(value, who, wanted))
        return False

    def literal(self, node: Literal) -> tuple[Tree, Type]:
        value = node.value
        if isinstance(value, str):
            return ["string", value], String(frozenset((value,)))
        if node.kind == "null":
            return ["null"], NULL
        if node.kind == "double":
            return ["double", repr(value)], DOUBLE
        if isinstance(value, int) and abs(value) > _SAFE_INTEGER:
            return [node.kind, str(value)], INT
        return [node.kind, value], _LITERAL_TYPES[node.kind]

    def list_of(self, node: ListOf) -> tuple[Tree, Type]:
        items = [self.visit(item) for item in node.items]
        return ["list", *(item.tree for item in items)], ListType(join(i.type for i in items))

    def name(self, node: Name) -> tuple[Tree, Type]:
        kind = self.env.get(node.name)
        if kind is None:
            kind = self.fail(messages.unknown_name(node, self.env, self.unavailable))
        return ["var", node.name], kind

    def field(self, node: Field) -> tuple[Tree, Type]:
        operand = self.visit(node.operand)
        kind = self.type_of_field(operand, node.name, node.at, len(node.name))
        return ["field", operand.tree, node.name], kind

    def type_of_field(self, operand: Typed, name: str, offset: int, length: int) -> Type:
        kind = field_of(operand.type, name)
        if kind is None:
            return self.fail(messages.unknown_field(operand, name, offset, length))
        return kind

    def has(self, node: Has) -> tuple[Tree, Type]:
        field, _ = self.field(node.field)
        return ["has", field[1], field[2]], BOOL

    def index(self, node: Index) -> tuple[Tree, Type]:
        operand, key = self.visit(node.operand), self.visit(node.key)
        if isinstance(node.key, Literal) and isinstance(node.key.value, str):
            name, place = node.key.value, node.key
            kind = self.type_of_field(operand, name, place.start, place.end - place.start)
            return ["field", operand.tree, name], kind
        tree = ["index", operand.tree, key.tree]
        if not self.wants(operand, "`[...]`", "a list or a map", "list", "map"):
            return tree, DYN
        if may_be(operand.type, "list") and may_be(key.type, "int"):
            if key.tree[0] == "int" and int(key.tree[1]) < 0:
                return tree, self.fail(messages.negative_position(key))
            return tree, item_of(operand.type)
        if may_be(operand.type, "map") and may_be(key.type, "string"):
            return tree, item_of(operand.type)
        return tree, self.fail(messages.wrong_key(operand, key))

    def call(self, node: Call) -> tuple[Tree, Type]:
        arguments = [self.visit(argument) for argument in node.arguments]
        tree = [node.name, *(argument.tree for argument in arguments)]
        if node.name == "size":
            self.wants(arguments[0], "`size`", "a string, a list or a map", "string", "list", "map")
            return tree, INT
        receiver, part = arguments
        if node.name == "contains" and families(receiver.type) == {"list"}:
            self.fail(messages.list_contains(receiver, part))
        else:
            for argument in arguments:
                self.wants(argument, f"`{node.name}`", "strings", "string")
        return tree, BOOL

    def macro(self, node: Macro) -> tuple[Tree, Type]:
        source = self.visit(node.source)
        item: Type = DYN
        if self.wants(source, f"`{node.name}`", "lists", "list"):
            item = element_of(source.type)
            if may_be(source.type, "map") and source.type != DYN:
                item = join((item, STRING))  # of a map they go over the keys
        outer = self.env
        self.env = {**outer, node.variable: item}
        body = self.visit(node.body)
        self.env = outer
        self.wants(body, f"the condition of `{node.name}`", "a bool", "bool")
        return [node.name, node.variable, source.tree, body.tree], BOOL

    def unary(self, node: Unary) -> tuple[Tree, Type]:
        operand = self.visit(node.operand)
        if node.operator == "!":
            known = self.wants(operand, "`!`", "a bool", "bool")
            return ["not", operand.tree], BOOL if known else DYN
        if not self.wants(operand, "`-`", "numbers", "int", "double"):
            return ["neg", operand.tree], DYN
        numbers = [kind for kind in options_of(operand.type) if kind in (INT, DOUBLE)]
        return ["neg", operand.tree], join(numbers)

    def binary(self, node: Binary) -> tuple[Tree, Type]:
        left, right = self.visit(node.left), self.visit(node.right)
        tree = [node.operator, left.tree, right.tree]
        if node.operator in ("==", "!="):
            if not can_equal(left.type, right.type, _filled(node.left) or _filled(node.right)):
                self.fail(messages.never_equal(node, left, right))
        elif node.operator == "in":
            self.membership(node, left, right)
        elif node.operator in _ORDER:
            if not can_order(left.type, right.type):
                self.fail(messages.no_order(node, left, right))
        elif node.operator == "+":
            return tree, self.addition(left, right)
        else:
            return tree, self.arithmetic(node, left, right)
        return tree, BOOL

    def addition(self, left: Typed, right: Typed) -> Type:
        """`+`: integers are added, lists joined; where nothing is known it may be either."""
        kinds: list[Type] = []
        if may_be_integer(left.type) and may_be_integer(right.type):
            kinds.append(INT)
        if may_be(left.type, "list") and may_be(right.type, "list"):
            kinds.append(ListType(join(element_of(operand.type) for operand in (left, right))))
        return join(kinds) if kinds else self.fail(messages.no_sum(left, right))

    def arithmetic(self, node: Binary, left: Typed, right: Typed) -> Type:
        """`-` and `*`."""
        for operand in (left, right):
            if not may_be_integer(operand.type):
                return self.fail(messages.not_an_integer(operand, node.operator))
        return INT

    def membership(self, node: Binary, needle: Typed, holder: Typed) -> None:
        """`needle in holder`, where each element of a literal list has to be possible."""
        if not may_be(holder.type, "list", "map"):
            self.fail(messages.wrong_holder(needle, holder))
            return
        if isinstance(node.right, ListOf):
            for item, tree in zip(node.right.items, holder.tree[1:], strict=True):
                element = Typed(item, tree, _type_of_element(tree, holder.type))
                if not can_equal(needle.type, element.type):
                    self.fail(messages.never_equal(node, needle, element))
            return
        lists = [kind for kind in options_of(holder.type) if isinstance(kind, ListType)]
        if any(can_equal(needle.type, kind.item) for kind in lists) or holder.type == DYN:
            return
        if not may_be(holder.type, "map"):
            self.fail(messages.never_inside(needle, holder, lists[0].item))
        elif not may_be(needle.type, "string"):
            self.fail(messages.wrong_key(holder, needle))
        elif needle.tree[0] == "string" and field_of(holder.type, needle.tree[1]) is None:
            start, end = needle.node.start, needle.node.end
            self.fail(messages.unknown_field(holder, needle.tree[1], start, end - start))

    def logic(self, node: Logic) -> tuple[Tree, Type]:
        terms = [self.visit(term) for term in node.terms]
        for term in terms:
            self.wants(term, f"`{node.operator}`", "bools", "bool")
        return _balanced(_LOGIC_NAMES[node.operator], [term.tree for term in terms]), BOOL

    def conditional(self, node: Conditional) -> tuple[Tree, Type]:
        condition, yes, no = (self.visit(part) for part in (node.condition, node.yes, node.no))
        self.wants(condition, "the condition of `?:`", "a bool", "bool")
        tree = ["?:", condition.tree, yes.tree, no.tree]
        if not _alike(yes.type, no.type):
            return tree, self.fail(messages.unlike_branches(yes, no))
        return tree, join((yes.type, no.type))


def _filled(node: Node) -> bool:
    """Whether this is a list with something in it."""
    return isinstance(node, ListOf) and bool(node.items)


def _type_of_element(tree: Tree, holder: Type) -> Type:
    """The type of one element of a literal list; that of a literal is exact."""
    if tree[0] == "string":
        return String(frozenset((tree[1],)))
    if tree[0] in _LITERAL_TYPES:
        return _LITERAL_TYPES[tree[0]]
    return item_of(holder)


def _alike(first: Type, second: Type) -> bool:
    """Whether one expression may have either type: null goes with everything, int with double."""
    one, other = families(first), families(second)
    if not one or not other or "null" in one | other:
        return True
    return bool(one & other) or (one | other) <= {"int", "double"}


def _balanced(name: str, terms: list[Tree]) -> Tree:
    """A chain as a tree of pairs: grouping means nothing, and halving keeps a long one shallow."""
    if len(terms) == 1:
        return terms[0]
    half = (len(terms) + 1) // 2
    return [name, _balanced(name, terms[:half]), _balanced(name, terms[half:])]


_VISITORS: dict[type, Callable[[_Checker, Any], tuple[Tree, Type]]] = {
    Literal: _Checker.literal,
    ListOf: _Checker.list_of,
    Name: _Checker.name,
    Field: _Checker.field,
    Index: _Checker.index,
    Has: _Checker.has,
    Call: _Checker.call,
    Macro: _Checker.macro,
    Unary: _Checker.unary,
    Binary: _Checker.binary,
    Logic: _Checker.logic,
    Conditional: _Checker.conditional,
}
