"""The expressions of a policy: a strictly typed subset of CEL.

`parse` reads text, `check` types it and writes its tree, `compile_text` does both, and
`fsmc.runtime.expression` turns the tree into a function.
"""

from collections.abc import Mapping

from fsmc.expression.checker import Checked, Tree, check
from fsmc.expression.errors import ExpressionError
from fsmc.expression.nodes import Node
from fsmc.expression.parser import MAX_LENGTH, parse
from fsmc.expression.schema import from_schema
from fsmc.expression.template import Template, parse_template
from fsmc.expression.types import (
    ANY_MAP,
    BOOL,
    DOUBLE,
    DYN,
    INT,
    NULL,
    NUMBER,
    STRING,
    ListType,
    MapType,
    Simple,
    String,
    Type,
    Union,
    describe,
    join,
    map_of,
)

__all__ = [
    "ANY_MAP",
    "BOOL",
    "DOUBLE",
    "DYN",
    "INT",
    "MAX_LENGTH",
    "NULL",
    "NUMBER",
    "STRING",
    "Checked",
    "ExpressionError",
    "ListType",
    "MapType",
    "Node",
    "Simple",
    "String",
    "Template",
    "Tree",
    "Type",
    "Union",
    "check",
    "compile_text",
    "describe",
    "from_schema",
    "join",
    "map_of",
    "parse",
    "parse_template",
]


def compile_text(
    text: str,
    env: Mapping[str, Type],
    expected: Type | None = None,
    unavailable: Mapping[str, str] | None = None,
) -> Checked:
    """Parse and check an expression; a syntax error is the only error that is then reported."""
    try:
        node = parse(text)
    except ExpressionError as error:
        return Checked(None, DYN, [error])
    return check(node, env, expected, unavailable)
