"""JSON: a tree with places, strictly as RFC 8259 writes it, without recursion."""

from __future__ import annotations

import math
import re
from array import array
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # missing from the stubs only
from typing import Any

from fsmc.source.reading import MAX_DEPTH, Cursor, Problems, Unreadable, printable, quoted
from fsmc.source.tree import Lines, MappingNode, SequenceNode, Value

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"[-+.\w]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {"true": True, "false": False, "null": None}
_ESCAPES = '\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits'


def build(lines: Lines, problems: Problems) -> Value:
    """The value of the text; notes what is wrong with it in `problems`."""
    return _Reader(lines, problems).read()


class _Frame:
    """A container being filled, with the key whose value comes next."""

    __slots__ = ("first", "key", "key_offset", "node", "parent")

    def __init__(self, parent: _Frame | None, node: MappingNode | SequenceNode) -> None:
        self.parent = parent
        self.node = node
        self.key = ""
        self.key_offset = 0
        # Where each key of a mapping was first written.
        self.first: dict[str, int] = {}


class _Reader(Cursor):
    """Walks over the text once."""

    level = 0

    def read(self) -> Value:
        """The one value of the text."""
        if not self.peek():
            raise self.fail("the file holds no data", "a policy in JSON is an object: {...}")
        root: Value = None
        frame: _Frame | None = None
        while True:
            start = self.position
            value, opened = self.value(frame)
            if frame is None:
                root = value
            else:
                self.attach(frame, value, start)
            if opened:
                frame = _Frame(frame, value)
                if not self.closes(frame):
                    self.before_value(frame)
                    continue
                frame = self.leave(frame)
            # A finished value may be the last one of several containers.
            while frame is not None and not self.goes_on(frame):
                frame = self.leave(frame)
            if frame is None:
                break
            self.before_value(frame)
        if self.peek():
            raise self.fail("the value ends before this, and nothing may follow it", "a file holds one value")
        return root

    def peek(self) -> str:
        """The next character that is not white space; "" at the end."""
        here = self.text[self.position : self.position + 1]
        if here > " ":
            return here
        match = _SPACE.match(self.text, self.position)
        assert match is not None
        self.position = match.end()
        return self.text[self.position : self.position + 1]

    def value(self, frame: _Frame | None) -> tuple[Any, bool]:
        """The value that starts here, and whether it is a container still to be filled."""
        self.count()
        start = self.position
        first = self.peek()
        if first == '"':
            return self.string(), False
        if first in ("{", "["):
            self.level += 1
            if self.level > MAX_DEPTH:
                raise self.problems.too_deep(start)
            self.position += 1
            kind = MappingNode if first == "{" else SequenceNode
            return kind((), array("I", (start,)), self.lines), True
        match = _NUMBER.match(self.text, start)
        if match is not None:
            self.position = match.end()
            return self.number(match), False
        match = _WORD.match(self.text, start)
        if match is not None and match.group() in _WORDS:
            self.position = match.end()
            return _WORDS[match.group()], False
        raise self.no_value(match.group() if match else first, frame)

    def attach(self, frame: _Frame, value: Any, start: int) -> None:
        """Put a value into the container around it."""
        if isinstance(frame.node, SequenceNode):
            frame.node.put(value, start)
        elif frame.key in frame.node:
            self.problems.duplicate(frame.key, frame.first[frame.key], frame.key_offset)
        else:
            frame.first[frame.key] = frame.key_offset
            frame.node.put(frame.key, value, frame.key_offset, start)

    def before_value(self, frame: _Frame) -> None:
        """Go to the next value of a container; in a mapping that is behind a key and a colon."""
        first = self.peek()
        if isinstance(frame.node, SequenceNode):
            if first == "]":
                raise self.fail("an item must follow the comma", "remove the comma before the ]")
            return
        if first == "}":
            raise self.fail("a key must follow the comma", "remove the comma before the }")
        if first != '"':
            raise self.no_key(first)
        frame.key_offset = self.position
        frame.key = self.string()
        if self.peek() != ":":
            message = f'a ":" must follow the key {quoted(frame.key)}'
            raise self.fail(message, 'write "key": value')
        self.position += 1
        self.peek()

    def closes(self, frame: _Frame) -> bool:
        """Whether the container ends here; if so, goes behind its bracket."""
        ends = self.peek() == ("]" if isinstance(frame.node, SequenceNode) else "}")
        self.position += ends
        return ends

    def goes_on(self, frame: _Frame) -> bool:
        """Whether another value follows in the container, and goes there or behind its end."""
        if self.closes(frame):
            return False
        if self.peek() == ",":
            self.position += 1
            return True
        bracket, close = ("[", "]") if isinstance(frame.node, SequenceNode) else ("{", "}")
        opened = ((frame.node.place, f'this "{bracket}" is still open'),)
        if not self.peek():
            message = f'the file ends before the "{bracket}" is closed'
        else:
            message = f'a "," or "{close}" must stand here'
        hint = f'add the missing "," or "{close}"'
        raise self.problems.fatal("syntax-error", self.position, message, hint, opened)

    def leave(self, frame: _Frame) -> _Frame | None:
        """The container around one that has ended."""
        self.level -= 1
        return frame.parent

    def string(self) -> str:
        """The string that starts here."""
        start = self.position
        text: str
        try:
            text, self.position = scanstring(self.text, start + 1, True)
        except JSONDecodeError as error:
            raise self.bad_string(error, start) from None
        # Only an escape can bring half a character in; the text itself has none.
        if len(text) != self.position - start - 2 and _SURROGATE.search(text):
            message = "the string holds a \\u escape that is half of a character"
            hint = "write the character itself, or both halves one after the other"
            self.problems.add("unsupported-value", start, message, hint)
            return _SURROGATE.sub("\ufffd", text)
        return text

    def number(self, match: re.Match[str]) -> str | int | float:
        """The number that was found; its text, with a problem, where it cannot be kept."""
        text, start = match.group(), match.start()
        if match[2] is None and match[3] is None:
            integer = self.problems.integer(text, start)
            return text if integer is None else integer
        number = float(text)
        if math.isinf(number):
            self.problems.special_float(text, start)
            return text
        return number

    def no_value(self, word: str, frame: _Frame | None) -> Unreadable:
        """Note that no value can be read here."""
        if not word:
            opened = frame and ((frame.node.place, "what starts here is still open"),)
            message = "the file ends where a value should stand"
            return self.problems.fatal("syntax-error", self.position, message, None, opened or ())
        message = f"no value can be written as {printable(word)}"
        hint = "text stands in double quotes"
        if word in ("NaN", "Infinity", "-Infinity"):
            self.problems.special_float(word, self.position)
            return Unreadable()
        if word.lower() in ("true", "false", "null", "none"):
            hint = "write true, false or null in small letters"
        elif word[0] in "-+.0123456789":
            message = f"{printable(word)} is not a number as JSON writes it"
            hint = "write digits without a plus sign, leading zeros or a bare dot: 0.5, -12, 1e3"
        elif word == "/":
            message, hint = "JSON has no comments", "remove it, or write the policy in YAML"
        return self.fail(message, hint)

    def no_key(self, first: str) -> Unreadable:
        """Note that a key must stand here, in quotes."""
        from fsmc.source.span import token  # only a mistake pays for the import

        message = "a key in double quotes must stand here"
        hint = f"write {quoted(token(self.lines, self.position, 'json'))}" if first else None
        if first == "'":
            hint = "use double quotes instead of single ones"
        elif first == "/":
            message, hint = "JSON has no comments", "remove it, or write the policy in YAML"
        return self.fail(message, hint)

    def bad_string(self, error: JSONDecodeError, start: int) -> Unreadable:
        """Note what is wrong inside a string."""
        if error.msg.startswith("Unterminated"):
            self.position = start
            return self.fail("this string is never closed", "add the closing double quote")
        self.position = min(error.pos, len(self.text))
        if "control character" in error.msg:
            message = "a string ends on the line it starts, and holds no raw tab or control"
            return self.fail(message, "write \\n for a line break, \\t for a tab, or close the quote")
        return self.fail("this backslash escape is unknown", f"JSON has {_ESCAPES}")

    def fail(self, message: str, hint: str | None) -> Unreadable:
        """Note a syntax error at the current position."""
        return self.problems.fatal("syntax-error", self.position, message, hint)
