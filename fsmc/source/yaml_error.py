"""What libyaml complains about, in words that say what to do."""

from __future__ import annotations

import re
from typing import Any

from fsmc.runtime.annotations import NamedTuple
from fsmc.source.reading import Problems, Unreadable

# What libyaml refuses to read at all; it reports such a character before it parses anything.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INDENT = re.compile(r"[ \t]*")


class _Wording(NamedTuple):
    fragment: str
    message: str
    hint: str
    # Whether the text to correct is where the construct starts, not where reading failed.
    at_start: bool = False


_TAB = _Wording(
    "",
    "this line is indented with a tab; YAML allows only spaces there",
    "replace the tab with spaces",
)
_WORDINGS = (
    _Wording(
        "cannot start any token",
        "no value can start with this character",
        "put the value in quotes",
    ),
    _Wording("tab character", _TAB.message, _TAB.hint),
    _Wording(
        "mapping values are not allowed",
        'a ": " cannot stand here',
        "put a value that contains it in quotes, or correct the indentation",
    ),
    _Wording(
        "block sequence entries are not allowed",
        'a "- " cannot stand here',
        "start the list on its own line, indented under its key",
    ),
    _Wording(
        "mapping keys are not allowed",
        'a "? " key cannot stand here',
        'write the key as plain text followed by ": "',
    ),
    _Wording(
        "could not find expected ':'",
        'this looks like a key, but no ": " follows it',
        'add ": " and a value, or indent the line to continue the text above',
        at_start=True,
    ),
    _Wording(
        "unexpected end of stream",
        "this quote is never closed",
        "add the closing quote",
        at_start=True,
    ),
    _Wording(
        "unexpected document indicator",
        "this quote is not closed before the document ends",
        "add the closing quote",
        at_start=True,
    ),
    _Wording(
        "unknown escape character",
        "this backslash escape is unknown",
        "write \\\\ for a backslash, or use single quotes",
    ),
    _Wording(
        "hexdecimal number",
        "this escape needs hexadecimal digits: \\x41, \\u0041 or \\U00000041",
        "write \\\\ for a backslash, or use single quotes",
    ),
    _Wording(
        "invalid Unicode character escape",
        "this escape is not a character by itself",
        "write the character itself, or its number as \\U and eight digits",
    ),
    _Wording(
        "alphabetic or numeric character",
        "an anchor (&) or alias (*) needs a name of letters, digits, - and _",
        "put a value that starts with & or * in quotes",
    ),
    _Wording("undefined tag handle", "this tag has a prefix that is not declared", "remove the tag"),
    _Wording("directive", "this % directive cannot be read", "remove the line"),
    _Wording("incompatible YAML", "this YAML version is unknown", "remove the %YAML line"),
    _Wording("version", "the version of this %YAML line cannot be read", "remove the line"),
    _Wording(
        "comment or line break",
        "only a comment may follow the | or > of a text block",
        "start the text on the next line, or put the value in quotes",
    ),
    _Wording(
        "indentation indicator equal to 0",
        "the indentation of a text block is a digit from 1 to 9",
        "remove the 0",
    ),
    _Wording(
        "expected '-' indicator",
        'this line is in a list but does not start with "- "',
        'start it with "- ", or correct the indentation',
    ),
    _Wording(
        "expected key",
        "a key was expected here",
        "check the indentation of this line, and the end of the value above it",
    ),
    _Wording(
        "expected ',' or ']'",
        'this "[" list is not closed, or an item lacks its comma',
        'add "]" or ","',
        at_start=True,
    ),
    _Wording(
        "expected ',' or '}'",
        'this "{" mapping is not closed, or an entry lacks its comma',
        'add "}" or ","',
        at_start=True,
    ),
    _Wording(
        "<document start>",
        "nothing may follow the end of the value",
        "correct the indentation, or put the whole value in quotes",
    ),
    _Wording("node content", "a value was expected here", "write a value, or remove the tag"),
    _Wording("tag", "this tag cannot be read", "put a value that starts with ! in quotes"),
)
_OTHER = _Wording("", "this is not valid YAML", "put the value in quotes if it is meant as text")


def explain(error: Any, problems: Problems) -> Unreadable:
    """Note what libyaml's `error` means; for `raise explain(...)`."""
    text = problems.lines.text
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        match = _UNPRINTABLE.search(text)
        offset = match.start() if match else 0
        message = f"the character U+{ord(text[offset : offset + 1] or '?'):04X} is not allowed here"
        return problems.fatal("encoding-error", offset, message, "delete it, or write it as an escape in quotes")
    said = str(error.problem)
    start = getattr(error, "context_mark", None)
    if "nesting depth" in said:
        return problems.too_deep(mark.index)
    wording = next((w for w in _WORDINGS if w.fragment in said), _OTHER)
    line_start = problems.lines.starts[problems.lines.place(mark.index).line - 1]
    indented = not text[line_start : mark.index].strip()
    if indented and _indented_with_tab(text, line_start):
        return problems.fatal("syntax-error", mark.index, _TAB.message, _TAB.hint)
    if start is not None and wording.at_start:
        found = ((problems.lines.place(mark.index), "this was found instead"),)
        related = found if "',' or" in wording.fragment else ()
        return problems.fatal("syntax-error", start.index, wording.message, wording.hint, related)
    return problems.fatal("syntax-error", mark.index, wording.message, wording.hint)


def _indented_with_tab(text: str, start: int) -> bool:
    """Whether the line from `start` on has a tab before what it says, and says something."""
    match = _INDENT.match(text, start)
    assert match is not None
    following = text[match.end() : match.end() + 1]
    return "\t" in match.group() and following != "" and not following.isspace()
