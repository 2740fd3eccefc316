"""What a YAML scalar means: the core schema of YAML 1.2, and its tags."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from fsmc.source.reading import Problems, printable, quoted

CORE = "tag:yaml.org,2002:"
NULLS = frozenset(("", "~", "null", "Null", "NULL"))
BOOLEANS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NUMBER = re.compile(
    r"""(?P<int>[-+]?[0-9]+)
    |(?P<octal>0o[0-7]+)
    |(?P<hex>0x[0-9a-fA-F]+)
    |(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)
    |(?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))""",
    re.VERBOSE,
)
# Words that YAML 1.1 does not read as text.
_WORDS = frozenset(
    form for word in ("y", "yes", "on", "n", "no", "off") for form in (word, word.capitalize(), word.upper())
) | {"="}
_KNOWN = "only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are known"


def plain(text: str, offset: int, problems: Problems) -> str | int | float | bool | None:
    """The value of a scalar written without quotes and without a tag."""
    if text in NULLS:
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    # Nothing else but a number starts like this, and most scalars are words.
    if text[0] in "0123456789-+.":
        number = _number(text, offset, problems)
        if number is not None:
            return number
    return text


def doubtful(texts: Collection[str]) -> list[str]:
    """Those of the plain scalars *texts* that YAML 1.1 may read otherwise: quick, and rather too careful."""
    numeric = [text for text in texts if text[:1] in "0123456789-+."]
    return [word for word in _WORDS if word in texts] + [
        text for text in numeric if len(text) > 1 and not (text[0] in "123456789" and text.isdecimal())
    ]


def tagged(tag: str, text: str, offset: int, problems: Problems) -> str | int | float | bool | None:
    """The value of a scalar with an explicit tag, whether quoted or not."""
    if tag in ("!", CORE + "str"):
        return text
    kind = tag.removeprefix(CORE) if tag.startswith(CORE) else ""
    if kind not in ("int", "float", "bool", "null"):
        unknown_tag(tag, offset, problems)
        return text
    noted = problems.count
    value = plain(text, offset, problems)
    if problems.count > noted:
        return text
    if kind == "float" and type(value) is int:
        return float(value)
    if type(value).__name__ != {"null": "NoneType"}.get(kind, kind):
        problems.add(
            "unsupported-value",
            offset,
            f"{quoted(text)} does not fit its tag !!{kind}",
            "remove the tag, or correct the value",
        )
        return text
    return value


def unknown_tag(tag: str, offset: int, problems: Problems) -> None:
    """Note a tag that means nothing in a policy."""
    shown = "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag
    problems.add(
        "unsupported-value",
        offset,
        f"the tag {printable(shown)} has no meaning in a policy",
        f"remove it; {_KNOWN}",
    )


def _number(text: str, offset: int, problems: Problems) -> str | int | float | None:
    """The number that `text` is; the text itself, with a problem, where it cannot be kept."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    kind = match.lastgroup
    if kind in ("int", "octal", "hex"):
        base = {"int": 10, "octal": 8, "hex": 16}[kind]
        integer = problems.integer(text if base == 10 else text[2:], offset, base)
        return text if integer is None else integer
    number = math.inf if kind == "special" else float(text)
    if math.isinf(number):
        problems.special_float(text, offset)
        return text
    return number
