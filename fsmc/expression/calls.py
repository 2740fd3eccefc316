"""The functions, methods and macros of the language, and those that people miss in it."""

from typing import NoReturn

from fsmc.expression.errors import ExpressionError
from fsmc.spelling import did_you_mean

FUNCTIONS = {"size": "size(x)", "has": "has(x.name)"}
"""What is called by name alone, and how it is written."""

METHODS = {
    "size": "x.size()",
    "startsWith": 'x.startsWith("...")',
    "endsWith": 'x.endsWith("...")',
    "contains": 'x.contains("...")',
    "all": "x.all(item, condition)",
    "exists": "x.exists(item, condition)",
}
"""What is called on a value, and how it is written."""

MACROS = ("all", "exists")

_ABSENT = {
    **dict.fromkeys(("matches", "regex", "match"), "regular expressions are"),
    **dict.fromkeys(("timestamp", "duration", "now"), "clocks and durations are"),
    **dict.fromkeys(
        (
            "getDate",
            "getDayOfMonth",
            "getDayOfWeek",
            "getDayOfYear",
            "getFullYear",
            "getHours",
            "getMilliseconds",
            "getMinutes",
            "getMonth",
            "getSeconds",
        ),
        "clocks and durations are",
    ),
    **dict.fromkeys(("int", "uint", "double", "string", "bool", "bytes", "dyn"), "conversions are"),
    "type": "types as values are",
    **dict.fromkeys(("map", "filter", "exists_one", "existsOne"), "macros other than `all` and `exists` are"),
    **dict.fromkeys(("min", "max", "abs", "sum", "round", "floor", "ceil"), "mathematical functions are"),
    **dict.fromkeys(
        ("lowerAscii", "upperAscii", "lower", "upper", "trim", "split", "join", "replace"),
        "functions that make strings are",
    ),
}
_SYNONYMS = {
    **dict.fromkeys(("len", "length", "count"), "size(x)"),
    **dict.fromkeys(("any", "some"), METHODS["exists"]),
    **dict.fromkeys(("every", "forall"), METHODS["all"]),
    **dict.fromkeys(("exist", "defined", "isset"), FUNCTIONS["has"]),
    **dict.fromkeys(("includes", "include"), METHODS["contains"]),
    **dict.fromkeys(("get",), 'x["name"]'),
}


def refuse_call(name: str, method: bool, offset: int) -> NoReturn:
    """Say why a function or method cannot be called, and what to write instead."""
    known, other = (METHODS, FUNCTIONS) if method else (FUNCTIONS, METHODS)
    noun = "method" if method else "function"
    if name in other:
        message = f"`{name}` is not a {noun}"
        raise ExpressionError(message, offset, len(name), f"write {other[name]}")
    if name in _ABSENT:
        message = f"`{name}` is not available: {_ABSENT[name]} not part of the policy language"
        raise ExpressionError(message, offset, len(name))
    if name in _SYNONYMS:
        message = f"there is no {noun} `{name}`"
        raise ExpressionError(message, offset, len(name), f"write {_SYNONYMS[name]}")
    hint = did_you_mean(name, known) or "there are " + ", ".join([*FUNCTIONS, *METHODS][1:])
    raise ExpressionError(f"there is no {noun} `{name[:40]}`", offset, len(name), hint)
