"""How structure is talked about: subjects, kinds, values and sentences for what a schema refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsmc.spelling import nearest

Path = tuple[Any, ...]
Sentence = tuple[str, str, "str | None"]  # rule, message, hint

_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
# What other tools call the values of ours.
_SYNONYMS = {
    **dict.fromkeys(
        ("final", "end", "ending", "accepting", "accept", "finish", "finished", "exit", "done", "stop"), "terminal"
    ),
    **dict.fromkeys(("start", "entry", "begin"), "initial"),
    **dict.fromkeys(("normal", "middle", "inner", "atomic", "state"), "intermediate"),
    **dict.fromkeys(("readonly", "read-only", "none"), "read"),
    **{"str": "string", "text": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean"},
    **{"dict": "object", "map": "object", "mapping": "object", "list": "array", "tuple": "array", "nil": "null"},
}
_SPOKEN = {**dict.fromkeys(("true", "yes", "on", "y"), "true"), **dict.fromkeys(("false", "no", "off", "n"), "false")}
_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
}
# The large maps of a policy, and what one of their members is called: by people, and by the schema.
MEMBERS = {"states": "state", "tools": "tool", "guards": "guard", "events": "event"}
_ITEMS = {"transitions": "transition", "emits": "outcome"}


def shown(text: str, limit: int = 60) -> str:
    """*text* on one line, printable and not too long."""
    short = text if len(text) <= limit else text[: limit - 3] + "..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short)


def kind(found: Any) -> str:
    """What sort of thing *found* is, in words."""
    if found is None:
        return "nothing"
    if isinstance(found, bool):
        return "true or false"
    for types, words in (((str,), "text"), ((int, float), "a number"), ((list,), "a list")):
        if isinstance(found, types):
            return words
    return "a mapping"


def value(found: Any) -> str:
    """*found* as a message shows it: the value if it is short, its kind if it is a container."""
    if isinstance(found, bool):
        return f"`{str(found).lower()}`"
    if isinstance(found, (int, float)):
        return f"`{found}`"
    return f"`{shown(found)}`" if isinstance(found, str) and found else "empty text" if found == "" else kind(found)


def subject(path: Path) -> str:
    """What stands at *path*, from the inside out: "`tool_budget.limit` of state `TRIAGE`"."""
    if not path:
        return "the policy"
    parts: list[str] = []
    rest = list(path)
    if len(rest) >= 2 and rest[0] in MEMBERS and isinstance(rest[1], str):
        parts.append(f"{MEMBERS[rest[0]]} `{shown(rest[1])}`")
        rest = rest[2:]
    elif rest[0] == "defaults" and len(rest) > 1:
        parts.append("the defaults")
        rest = rest[1:]
    if len(rest) >= 2 and rest[0] in _ITEMS and isinstance(rest[1], int):
        parts.append(f"{_ITEMS[rest[0]]} {rest[1] + 1}")
        rest = rest[2:]
    if rest:
        dotted = "".join(f"[{part}]" if isinstance(part, int) else f".{shown(part)}" for part in rest)
        parts.append(f"`{dotted.lstrip('.')}`")
    return " of ".join(reversed(parts))


def bad_name(keyword: str, name: str, owner: str) -> tuple[str, str | None]:
    """Message and hint for a key that may not be a name."""
    if keyword == "minLength":
        return f"a name in {owner} is empty", None
    if keyword == "maxLength":
        return f"the name `{shown(name)}` in {owner} is {len(name)} characters long; at most 200 are allowed", None
    return f"the name `{shown(name)}` in {owner} contains {_control(name)}", "names may not contain control characters"


def missing(keys: Sequence[str], path: Path) -> str:
    """The sentence for a mapping at *path* that lacks *keys*."""
    return f"{subject(path)} needs the key{'s' if len(keys) > 1 else ''} {_listed(keys, 'and')}"


def choice(keys: Sequence[str], present: Sequence[str], owner: str) -> str:
    """The sentence for a mapping that needs one of *keys*."""
    if present:
        return f"{owner} needs exactly one of {_listed(keys, 'and')}, and has both"
    exactly = "exactly one of " if keys == ["expr", "external"] else ""
    return f"{owner} needs {exactly}{_listed(keys, 'and' if exactly else 'or')}"


def bad_value(keyword: str, argument: Any, found: Any, path: Path) -> Sentence:
    """Rule, message and hint for a value that *keyword* of the schema, with *argument*, refuses."""
    what = subject(path)
    if keyword == "type":
        return _wrong_type(argument if isinstance(argument, list) else [argument], found, what, path)
    if keyword == "enum":
        hint = None
        if isinstance(found, str):
            similar = _SYNONYMS.get(found.lower())
            similar = (
                similar if similar in argument else nearest(found, [each for each in argument if isinstance(each, str)])
            )
            hint = f"did you mean `{similar}`?" if similar else None
        return "invalid-value", f"{what} must be one of {_listed(argument, 'or')}, not {value(found)}", hint
    if keyword == "const":
        hint = "leave the key out instead" if found is False else _spoken(found) if argument is True else None
        return "invalid-value", f"{what} must be {value(argument)}, not {value(found)}", hint
    if keyword == "pattern":
        return _bad_pattern(found, what, path)
    if found == "" and len(path) > 1 and path[-2] == "set":
        return (
            "invalid-value",
            f"{what} must not be empty",
            "a value of `set` is an expression: the empty text is '\"\"'",
        )
    return "invalid-value", *_bad_size(keyword, argument, found, what)


def _spoken(found: Any) -> str | None:
    """The hint for a text that was meant as true or false."""
    word = found.strip().lower() if isinstance(found, str) else ""
    if word not in _SPOKEN:
        return None
    if word in ("true", "false"):
        return f"write `{word}` without quotes"
    return f"`{shown(found)}` is text in YAML 1.2: write `{_SPOKEN[word]}`"


def _wrong_type(expected: list[str], found: Any, what: str, path: Path) -> Sentence:
    wanted = " or ".join(_KINDS[name] for name in expected)
    if found is None:
        return "wrong-type", f"{what} is empty; it must be {wanted}", None
    hint = _spoken(found) if "boolean" in expected else None
    if hint is not None:
        pass
    elif len(path) > 1 and path[-2] == "set":
        hint = _as_expression(found)
    elif isinstance(found, str) and {"integer", "number"} & set(expected) and found.strip().isdecimal():
        hint = "write it without quotes"
    elif isinstance(found, (bool, int, float)) and "string" in expected:
        hint = "put it in quotes"
    elif "array" in expected:
        hint = "put it in a list"
    shown_value = value(found) if isinstance(found, (bool, int, float)) else kind(found)
    if isinstance(found, str) and "integer" in expected:
        shown_value = f"the text {value(found)}"
    return "wrong-type", f"{what} must be {wanted}, not {shown_value}", hint


def _as_expression(found: Any) -> str:
    """The hint for a value of `set` that is no text: an expression is written as one."""
    import json

    text = json.dumps(found, ensure_ascii=False)
    if isinstance(found, dict) or len(text) > 40:
        return "a value of `set` is an expression, written as text"
    return f"a value of `set` is an expression, written as text: {json.dumps(text, ensure_ascii=False)}"


def _bad_pattern(found: str, what: str, path: Path) -> Sentence:
    if path[-1] == "expires":
        message = f"{what} is not a duration: {value(found)}"
        return "invalid-value", message, "write `250ms`, `30s`, `5m`, `2h`, or a number of seconds"
    if path[-1] == "$ref":
        message = f"{what} must start with `#`: it may only point into its own schema, not to {value(found)}"
        return "invalid-value", message, None
    return "invalid-value", f"{what} is not in the expected form: {value(found)}", None


def _bad_size(keyword: str, argument: Any, found: Any, what: str) -> tuple[str, str | None]:
    if keyword == "not":
        return f"{what} contains {_control(str(found))}", "names may not contain control characters"
    if keyword in ("minLength", "minItems", "minProperties"):
        return f"{what} must not be empty", None
    if keyword == "maxLength":
        return f"{what} is {len(found)} characters long; at most {argument} are allowed", None
    if keyword == "uniqueItems":
        return f"{what} lists an entry twice", None
    if keyword in _BOUNDS:
        return f"{what} must be {_BOUNDS[keyword]} {argument}, not {value(found)}", None
    return f"{what} is not valid: {value(found)}", None


def _control(text: str) -> str:
    code = next((ord(c) for c in text if ord(c) < 32 or 127 <= ord(c) < 160), 0)
    return f"the control character U+{code:04X}"


def _listed(items: Sequence[Any], last: str) -> str:
    shown_items = [value(item) for item in items]
    return shown_items[0] if len(shown_items) == 1 else f"{', '.join(shown_items[:-1])} {last} {shown_items[-1]}"
