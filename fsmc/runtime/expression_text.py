"""Expression trees written back as text, for diagrams and messages made from a compiled table.

Parsing the text gives the same tree again.
"""

from __future__ import annotations

import re

from fsmc.runtime.annotations import Any
from fsmc.runtime.expression_tree import LITERALS, label, literal_value, operation

_SYMBOLS = {"and": "&&", "or": "||"}
_LEVELS = {
    "?:": 1,
    "or": 2,
    "and": 3,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 4),
    **dict.fromkeys(("+", "-"), 5),
    "*": 6,
    **dict.fromkeys(("not", "neg"), 7),
}
_POSTFIX = 8
_ATOM = 9

_IDENTIFIER = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*\Z")
_NOT_FIELDS = frozenset({"in", "true", "false", "null"})
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def render(tree: Any) -> str:
    """Write a tree as the text that a policy would hold; `ValueError` for a malformed tree."""
    return _write(tree, 0, 1)


def quote(text: str) -> str:
    """Write a string literal; whatever does not print is escaped."""
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _write(tree: Any, least: int, depth: int) -> str:
    """Write a tree, in parentheses where it binds less tightly than `least`."""
    name = operation(tree, depth)
    if name in LITERALS:
        text, level = _literal(tree)
    else:
        text = _operation(name, tree, depth + 1)
        level = _LEVELS.get(name, _POSTFIX)
    return f"({text})" if level < least else text


def _literal(tree: Any) -> tuple[str, int]:
    value = literal_value(tree)
    if isinstance(value, str):
        return quote(value), _ATOM
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value], _ATOM
    text = repr(value)
    # `-(5)` and `-5` are different trees: a negative literal behaves as if it had an operator.
    return text, _LEVELS["neg"] if text.startswith("-") else _ATOM


def _operation(name: str, tree: Any, depth: int) -> str:
    if name in ("and", "or"):
        return _logic(name, tree, depth)
    if name in ("not", "neg"):
        return _prefix(name, tree[1], depth)
    if name in _LEVELS and name != "?:":
        level = _LEVELS[name]
        return f"{_write(tree[1], level, depth)} {name} {_write(tree[2], level + 1, depth)}"
    if name == "?:":
        condition, yes, no = (_write(tree[i], level, depth) for i, level in ((1, 2), (2, 2), (3, 1)))
        return f"{condition} ? {yes} : {no}"
    if name == "list":
        return "[" + ", ".join(_write(item, 0, depth) for item in tree[1:]) + "]"
    if name == "var":
        return label(tree[1])
    return _call(name, tree, depth)


def _call(name: str, tree: Any, depth: int) -> str:
    if name == "size":
        return f"size({_write(tree[1], 0, depth)})"
    if name in ("all", "exists"):
        source, body = _write(tree[2], _POSTFIX, depth), _write(tree[3], 0, depth)
        return f"{source}.{name}({label(tree[1])}, {body})"
    owner = _write(tree[1], _POSTFIX, depth)
    if name in ("field", "has"):
        field = label(tree[2])
        plain = _IDENTIFIER.match(field) and field not in _NOT_FIELDS
        text = f"{owner}.{field}" if plain else f"{owner}[{quote(field)}]"
        return text if name == "field" else f"has({text})"
    if name == "index":
        return f"{owner}[{_write(tree[2], 0, depth)}]"
    return f"{owner}.{name}({_write(tree[2], 0, depth)})"


def _prefix(name: str, operand: Any, depth: int) -> str:
    """`!` and `-`; in parentheses whatever would otherwise be read as one with the sign."""
    text = _write(operand, _POSTFIX, depth)
    if name == "neg" and operand[0] in ("int", "double"):
        return f"-({text})" if not text.startswith("(") else f"-{text}"
    return ("!" if name == "not" else "-") + text


def _logic(name: str, tree: Any, depth: int) -> str:
    """A chain of one operator, without the parentheses that say nothing."""
    terms: list[str] = []
    pending = [(tree, depth - 1)]
    while pending:
        item, level = pending.pop()
        if operation(item, level) == name:
            pending += [(item[2], level + 1), (item[1], level + 1)]
        else:
            terms.append(_write(item, _LEVELS[name] + 1, level))
    return f" {_SYMBOLS[name]} ".join(terms)
