"""Text to syntax tree: a Pratt parser for the subset of CEL that policies use."""

from __future__ import annotations

from fsmc.expression.calls import FUNCTIONS, MACROS, METHODS, refuse_call
from fsmc.expression.cursor import BINDING, LOGIC, WORDS, Cursor
from fsmc.expression.errors import ExpressionError
from fsmc.expression.lexer import Token, next_token
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
from fsmc.runtime.annotations import NamedTuple

MAX_LENGTH = 4096
"""How many characters an expression may have."""

RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
"""Words that CEL keeps for itself; they can be fields but not names."""

CONSTANTS: dict[str, tuple[str, bool | None]] = {
    "true": ("bool", True),
    "false": ("bool", False),
    "null": ("null", None),
}


class Placeholder(NamedTuple):
    """An expression in braces inside a text, and the offset behind its closing brace."""

    node: Node
    end: int


def parse(text: str) -> Node:
    """Read an expression; `ExpressionError` says what is wrong with it and where."""
    if len(text) > MAX_LENGTH:
        message = f"an expression has at most {MAX_LENGTH} characters, this one has {len(text)}"
        raise ExpressionError(message, MAX_LENGTH, len(text) - MAX_LENGTH)
    parser = _Parser(text, 0)
    node = parser.expression(1)
    parser.expect_end()
    return node


def parse_placeholder(text: str, start: int) -> Placeholder:
    """Read the expression at `start` and the closing brace after it."""
    parser = _Parser(text, start)
    node = parser.expression(1)
    if parser.token.kind != "}":
        ended = parser.token.kind == "end"
        parser.refuse_rest("the placeholder has no closing `}`" if ended else None)
    return Placeholder(node, parser.token.end)


_COUNTS = ("no argument", "one argument", "two arguments")


def _deepest(*nodes: Node) -> int:
    return max((node.depth for node in nodes), default=0)


class _Parser(Cursor):
    """The grammar; `level` counts how deep the recursion is: no text may exhaust the stack."""

    __slots__ = ()

    def expression(self, level: int) -> Node:
        """A conditional, or what binds tighter."""
        self.checked(level, self.token.start)
        condition = self.binary(1, level)
        if self.token.kind != "?":
            return condition
        self.advance()
        yes = self.binary(1, level + 1)
        if self.token.kind == "?":
            message = "a `?:` between `?` and `:` needs parentheses around it"
            raise ExpressionError(message, self.token.start)
        self.expect(":", "`?` has no `:`")
        no = self.expression(level + 1)
        depth = self.checked(1 + _deepest(condition, yes, no), condition.start)
        return Conditional(condition.start, no.end, depth, condition, yes, no)

    def binary(self, least: int, level: int) -> Node:
        """Operands and the operators between them that bind at least as tightly as `least`."""
        self.checked(level, self.token.start)
        left = self.operand(level)
        while True:
            token = self.token
            symbol = token.text if token.kind != "string" else ""
            binding = BINDING.get(symbol, 0)
            if binding < least or binding == 0:
                return left
            if symbol in LOGIC:
                left = self.chain(left, symbol, binding, level)
                continue
            self.advance()
            right = self.binary(binding + 1, level + 1)
            depth = self.checked(1 + _deepest(left, right), left.start)
            left = Binary(left.start, right.end, depth, symbol, left, right, token.start)

    def chain(self, first: Node, symbol: str, binding: int, level: int) -> Node:
        """A chain of one logical operator, flat, so that a long one is not a deep one."""
        nodes = [first]
        while self.token.kind == symbol:
            self.advance()
            nodes.append(self.binary(binding + 1, level + 1))
        terms: list[Node] = []
        for node in nodes:
            same = isinstance(node, Logic) and node.operator == symbol
            terms.extend(node.terms if same and isinstance(node, Logic) else [node])
        layers = (len(terms) - 1).bit_length()  # the tree of the table halves the chain
        depth = self.checked(layers + _deepest(*terms), first.start)
        return Logic(first.start, self.last_end, depth, symbol, tuple(terms))

    def operand(self, level: int) -> Node:
        """Signs and negations, and the value they apply to."""
        start, symbol, count = self.token.start, self.token.kind, 0
        if symbol not in ("!", "-"):
            return self.postfix(self.primary(level), level)
        while self.token.kind == symbol:
            self.advance()
            count += 1
        if self.token.kind in ("!", "-") and not (symbol == "!" and self.sign_of_number()):
            message = f"`{symbol}{self.token.text}` needs parentheses between the two"
            raise ExpressionError(message, start, self.token.end - start)
        if symbol == "-" and count == 1 and self.token.kind in ("int", "double"):
            return self.postfix(self.number(start, -1), level)
        if self.token.kind == "-":
            sign = self.advance()
            value = self.postfix(self.number(sign.start, -1), level)
        else:
            value = self.postfix(self.primary(level), level)
        if count % 2 == 0:  # as in CEL, a pair of signs is nothing at all
            return value
        depth = self.checked(1 + value.depth, start)
        return Unary(start, value.end, depth, symbol, value)

    def sign_of_number(self) -> bool:
        if self.token.kind != "-":
            return False
        return next_token(self.text, self.token.end).kind in ("int", "double")

    def number(self, start: int, sign: int) -> Node:
        token = self.advance()
        if token.kind == "double":
            assert isinstance(token.value, float)
            return Literal(start, token.end, 1, "double", sign * token.value)
        assert isinstance(token.value, int)
        value = sign * token.value
        if not -(2**63) <= value < 2**63:
            message = f"{self.text[start : token.end]} does not fit in 64 bits"
            raise ExpressionError(message, start, token.end - start)
        return Literal(start, token.end, 1, "int", value)

    def primary(self, level: int) -> Node:
        """A literal, a name, a call, a list, or an expression in parentheses."""
        token = self.token
        if token.kind in ("int", "double"):
            return self.number(token.start, 1)
        if token.kind == "string":
            self.advance()
            return Literal(token.start, token.end, 1, "string", token.value)
        if token.kind == "name":
            return self.name(level)
        if token.kind == "(":
            self.advance()
            inner = self.expression(level + 1)
            end = self.expect(")", "`)` is missing").end
            return inner._replace(start=token.start, end=end)
        if token.kind == "[":
            self.advance()
            items = self.items("]", level)
            end = self.expect("]", "`]` is missing").end
            depth = self.checked(1 + _deepest(*items), token.start)
            return ListOf(token.start, end, depth, tuple(items))
        self.refuse_operand()

    def items(self, closing: str, level: int) -> list[Node]:
        """Expressions between commas; a comma may follow the last of a list."""
        items: list[Node] = []
        while self.token.kind != closing:
            items.append(self.expression(level + 1))
            if self.token.kind != ",":
                break
            self.advance()
            if closing == ")" and self.token.kind == ")":
                self.refuse_operand()
        return items

    def name(self, level: int) -> Node:
        """A name, a constant, or a call by name alone."""
        token = self.advance()
        if token.text in CONSTANTS:
            kind, value = CONSTANTS[token.text]
            return Literal(token.start, token.end, 1, kind, value)
        if self.token.kind == "(":
            return self.function(token, level)
        if WORDS.get(token.text) == "!":
            message = f"`{token.text}` is written `!`"
            raise ExpressionError(message, token.start, len(token.text))
        if token.text in RESERVED or token.text == "in":
            message = f"`{token.text}` is a reserved word and cannot be a name"
            raise ExpressionError(message, token.start, len(token.text))
        return Name(token.start, token.end, 1, token.text)

    def function(self, token: Token, level: int) -> Node:
        if token.text not in FUNCTIONS:
            refuse_call(token.text, method=False, offset=token.start)
        arguments, end = self.arguments(level)
        length = end - token.start
        if len(arguments) != 1:
            message = f"`{token.text}` takes one argument, not {len(arguments)}"
            raise ExpressionError(message, token.start, length, f"write {FUNCTIONS[token.text]}")
        depth = self.checked(1 + _deepest(*arguments), token.start)
        if token.text == "size":
            return Call(token.start, end, depth, "size", tuple(arguments), token.start)
        field = arguments[0]
        if isinstance(field, Field):
            return Has(token.start, end, depth, field)
        hint = "write has(x.name)"
        if isinstance(field, Index):
            key, operand = field.key, field.operand
            hint = f"write {self.source(key)} in {self.source(operand)}"
        message = "`has` asks for a field by its name"
        raise ExpressionError(message, field.start, field.end - field.start, hint)

    def source(self, node: Node) -> str:
        return self.text[node.start : node.end]

    def arguments(self, level: int) -> tuple[list[Node], int]:
        """What stands in the parentheses of a call, and the offset behind them."""
        self.advance()
        items = self.items(")", level)
        return items, self.expect(")", "`)` is missing").end

    def postfix(self, node: Node, level: int) -> Node:
        """Fields, elements and methods of a value."""
        while self.token.kind in (".", "["):
            if self.token.kind == "[":
                self.advance()
                index = self.expression(level + 1)
                end = self.expect("]", "`]` is missing").end
                depth = self.checked(1 + _deepest(node, index), node.start)
                node = Index(node.start, end, depth, node, index)
            else:
                node = self.member(node, level)
        return node

    def member(self, node: Node, level: int) -> Node:
        self.advance()
        token = self.token
        if token.kind != "name":
            length = max(len(token.text), 1)
            raise ExpressionError("a name is missing after `.`", token.start, length)
        self.advance()
        if self.token.kind == "(":
            return self.method(node, token, level)
        if token.text in CONSTANTS or token.text == "in":
            message = f"`{token.text}` is a word of the language and cannot follow a `.`"
            hint = f'write ["{token.text}"]'
            raise ExpressionError(message, token.start, len(token.text), hint)
        depth = self.checked(1 + node.depth, node.start)
        return Field(node.start, token.end, depth, node, token.text, token.start)

    def method(self, node: Node, token: Token, level: int) -> Node:
        name = token.text
        if name not in METHODS:
            refuse_call(name, method=True, offset=token.start)
        arguments, end = self.arguments(level)
        wanted = 0 if name == "size" else 2 if name in MACROS else 1
        if len(arguments) != wanted:
            message = f"`{name}` takes {_COUNTS[wanted]}, not {len(arguments)}"
            hint = f"write {METHODS[name]}"
            raise ExpressionError(message, token.start, end - token.start, hint)
        depth = self.checked(1 + _deepest(node, *arguments), node.start)
        if name not in MACROS:
            return Call(node.start, end, depth, name, (node, *arguments), token.start)
        variable, body = arguments
        if not isinstance(variable, Name) or self.text[variable.start] == "(":
            message = f"the first argument of `{name}` names the element"
            length = variable.end - variable.start
            raise ExpressionError(message, variable.start, length, f"write {METHODS[name]}")
        return Macro(node.start, end, depth, name, variable.name, node, body)
