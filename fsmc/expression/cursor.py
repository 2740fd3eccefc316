"""A text with one token of look-ahead, and what to say about a token that stands wrongly."""

from typing import NoReturn

from fsmc.expression.errors import ExpressionError
from fsmc.expression.lexer import Token, next_token
from fsmc.runtime.expression_tree import MAX_DEPTH

LOGIC = {"||": 1, "&&": 2}
BINDING = {
    **LOGIC,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 3),
    **dict.fromkeys(("+", "-"), 4),
    "*": 5,
}
WORDS = {
    **dict.fromkeys(("and", "AND"), "&&"),
    **dict.fromkeys(("or", "OR"), "||"),
    **dict.fromkeys(("not", "NOT"), "!"),
    **dict.fromkeys(("is", "eq", "equals"), "=="),
    "ne": "!=",
    "IN": "in",
    "lt": "<",
    "gt": ">",
    "le": "<=",
    "ge": ">=",
}


class Cursor:
    """One token of look-ahead over one text."""

    __slots__ = ("last_end", "text", "token")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.last_end = start
        self.token = next_token(text, start)

    def advance(self) -> Token:
        token = self.token
        self.last_end = token.end
        self.token = next_token(self.text, token.end)
        return token

    def expect(self, kind: str, message: str) -> Token:
        if self.token.kind != kind:
            self.refuse_rest(message)
        return self.advance()

    def expect_end(self) -> None:
        if self.token.kind != "end":
            self.refuse_rest(None)

    def checked(self, depth: int, start: int) -> int:
        """The depth itself, unless it is beyond what an expression may have."""
        if depth > MAX_DEPTH:
            message = f"the expression is nested more than {MAX_DEPTH} levels deep"
            raise ExpressionError(message, start, max(self.last_end - start, 1))
        return depth

    def refuse_rest(self, expected: str | None) -> NoReturn:
        """Complain about the token at hand, which cannot follow what was read."""
        token = self.token
        length = max(len(token.text), 1)
        if token.kind == "end":
            raise ExpressionError(expected or "the expression ends too early", token.start, 1)
        if token.text in WORDS and WORDS[token.text] != "!":
            message = f"`{token.text}` is written `{WORDS[token.text]}`"
            raise ExpressionError(message, token.start, length)
        if token.text == "not":
            hint = "`x not in y` is written `!(x in y)`"
            raise ExpressionError("`not` cannot stand here", token.start, length, hint)
        if token.kind == ")" and expected is None:
            raise ExpressionError("this `)` closes nothing", token.start)
        if token.kind in ("name", "int", "double", "string"):
            message = f"an operator is missing before `{token.text[:40]}`"
            raise ExpressionError(message, token.start, length)
        raise ExpressionError(expected or f"`{token.text}` cannot stand here", token.start, length)

    def refuse_operand(self) -> NoReturn:
        token = self.token
        before = self.text[: self.last_end].rstrip()[-2:]
        if token.kind == "end" and not self.text.strip():
            raise ExpressionError("the expression is empty", 0)
        if token.kind == ".":
            raise ExpressionError("a name is missing before `.`", token.start)
        message = f"a value is missing before `{token.text}`"
        if token.kind == "end":
            operator = before if before in BINDING else before[-1:]
            message = f"a value is missing after `{operator}`"
        raise ExpressionError(message, token.start, max(len(token.text), 1))
