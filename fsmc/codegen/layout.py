"""Python source laid out as a formatter leaves it: what fits a line is on one, the rest one item a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from fsmc.codegen.names import width

LINE = 88
_STEP = 4


class Sub(NamedTuple):
    """``head[part, part]``; a union is written with ``|`` where it fits."""

    head: str
    parts: tuple[Expression, ...]


Expression: TypeAlias = str | Sub


def flat(expression: Expression) -> str:
    """An expression on one line."""
    if isinstance(expression, str):
        return expression
    parts = [flat(part) for part in expression.parts]
    return " | ".join(parts) if expression.head == "Union" else f"{expression.head}[{', '.join(parts)}]"


def laid_out(expression: Expression, indent: int, before: int, after: int = 0) -> str:
    """An expression that starts in column *before* of a line indented by *indent*, with *after* columns behind it."""
    line = flat(expression)
    if isinstance(expression, str) or before + width(line) + after <= LINE:
        return line
    comma = "," if len(expression.parts) > 1 else ""
    inner = indent + _STEP
    parts = [" " * inner + laid_out(part, inner, inner, len(comma)) + comma for part in expression.parts]
    return "\n".join([f"{expression.head}[", *parts, " " * indent + "]"])


def annotated(name: str, expression: Expression, indent: int = 0, after: str = "") -> str:
    """``name: expression``, as a line or as many as it takes."""
    start = f"{' ' * indent}{name}: "
    return start + laid_out(expression, indent, width(start), len(after)) + after


def alias(name: str, expression: Expression) -> str:
    """A type under a name."""
    start = f"{name}: TypeAlias = "
    return start + laid_out(expression, 0, len(start))


def constant(name: str, literal: str) -> str:
    """A text under a name."""
    if width(f"{name} = {literal}") > LINE and _STEP + width(literal) <= LINE:
        return f"{name} = (\n{' ' * _STEP}{literal}\n)"
    return f"{name} = {literal}"


def function(head: str, parameters: Sequence[tuple[str, Expression | None, str]], tail: str, indent: int = 0) -> str:
    """``def``: *head* up to the bracket, (name, type, default) of each parameter, *tail* from the bracket on."""
    texts = [_parameter(*parameter, indent=None) for parameter in parameters]
    line = f"{' ' * indent}{head}({', '.join(texts)}){tail}"
    if width(line) <= LINE:
        return line
    lines = [_parameter(*parameter, indent=indent + _STEP) + "," for parameter in parameters]
    return "\n".join([f"{' ' * indent}{head}(", *lines, f"{' ' * indent}){tail}"])


def _parameter(name: str, expression: Expression | None, default: str, indent: int | None) -> str:
    end = f" = {default}" if default else ""
    if expression is None:
        return " " * (indent or 0) + name + (f"={default}" if default else "")
    if indent is None:
        return f"{name}: {flat(expression)}{end}"
    return annotated(name, expression, indent, end + ",")[:-1]
