"""Texts with expressions in braces: the reasons that a policy gives for a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from fsmc.expression.checker import Tree, check
from fsmc.expression.errors import ExpressionError
from fsmc.expression.messages import a_type
from fsmc.expression.parser import MAX_LENGTH, parse_placeholder
from fsmc.expression.types import DYN, Type, families
from fsmc.runtime.annotations import NamedTuple

Part: TypeAlias = str | Tree
"""A piece of a template: text as it is, or the tree of an expression whose value goes there."""


class Template(NamedTuple):
    """A template in pieces, or the mistakes in it."""

    parts: list[Part]
    errors: list[ExpressionError]


def parse_template(text: str, env: Mapping[str, Type], unavailable: Mapping[str, str] | None = None) -> Template:
    """Read a text such as `the patient is {context.age}`; `{{` and `}}` stand for single braces."""
    if len(text) > MAX_LENGTH:
        message = f"a text has at most {MAX_LENGTH} characters, this one has {len(text)}"
        error = ExpressionError(message, MAX_LENGTH, len(text) - MAX_LENGTH)
        return Template([], [error])
    parts: list[Part] = []
    errors: list[ExpressionError] = []
    plain = ""
    position = 0
    while position < len(text):
        character = text[position]
        if text[position : position + 2] in ("{{", "}}"):
            plain += character
            position += 2
        elif character == "{":
            placeholder = _placeholder(text, position, env, unavailable)
            parts += [plain] if plain else []
            parts += placeholder.parts
            errors += placeholder.errors
            plain, position = "", placeholder.end
        else:
            if character == "}":
                message = "this `}` closes nothing"
                errors.append(ExpressionError(message, position, 1, "a brace is written `}}`"))
            plain += character
            position += 1
    if plain:
        parts.append(plain)
    return Template([] if errors else parts, errors)


class _Placeholder(NamedTuple):
    """What one placeholder came to, and the offset at which the text goes on."""

    parts: list[Part]
    errors: list[ExpressionError]
    end: int


def _placeholder(text: str, start: int, env: Mapping[str, Type], unavailable: Mapping[str, str] | None) -> _Placeholder:
    try:
        node, end = parse_placeholder(text, start + 1)
    except ExpressionError as error:
        closing = text.find("}", max(error.offset, start))
        return _Placeholder([], [error], closing + 1 if closing >= 0 else len(text))
    checked = check(node, env, unavailable=unavailable)
    errors = checked.errors
    if checked.type != DYN and families(checked.type) <= {"list", "map"}:
        message = f"a text can hold a single value, this is {a_type(checked.type)}"
        errors = [*errors, ExpressionError(message, node.start, node.end - node.start)]
    return _Placeholder([] if checked.tree is None else [checked.tree], errors, end)
