"""What the three readers share: budgets, the collector of problems, numbers that JSON can say."""

from __future__ import annotations

from fsmc.source.tree import Code, Lines, Note, NoteCode, Place, Problem

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 100
MAX_NODES = 300_000
MAX_PROBLEMS = 1_000
MAX_NOTES = 20
INTEGERS = range(-(2**63), 2**63)
_NEVER_IN_TEXT = frozenset((*range(1, 9), *range(14, 27), *range(28, 32)))
# How much of a text a message repeats.
_SHOWN = 60
# More digits than any 64-bit integer has; Python itself refuses to read very long ones.
_DIGITS = 20


def is_binary(data: bytes) -> bool:
    """Whether *data* is no text in any encoding: a picture, a program, a packed file."""
    start = data[:1024]
    return (b"\0" in start and not _NEVER_IN_TEXT.isdisjoint(start)) or start.startswith(b"%PDF-")


class Unreadable(Exception):
    """The text cannot be read further; the problem that says why is already noted."""


class Problems:
    """Collects what is wrong with a text, at offsets in it."""

    __slots__ = ("_found", "_notes", "lines")

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self._found: list[Problem] = []
        self._notes: list[Note] = []

    @property
    def count(self) -> int:
        """How many problems are noted so far."""
        return len(self._found)

    def add(
        self,
        code: Code,
        offset: int,
        message: str,
        hint: str | None = None,
        related: tuple[tuple[Place, str], ...] = (),
    ) -> None:
        """Note a problem and go on."""
        if len(self._found) == MAX_PROBLEMS:
            place = self.lines.place(offset)
            message = f"more than {MAX_PROBLEMS:,} problems; the rest of the file was not read"
            self._found.append(Problem("too-large", message, place))
            raise Unreadable
        self._found.append(Problem(code, message, self.lines.place(offset), hint, related))

    def note(self, code: NoteCode, offset: int, message: str, hint: str) -> bool:
        """Note what is not wrong but worth knowing; whether there is room for more of that."""
        self._notes.append(Note(code, message, self.lines.place(offset), hint))
        return len(self._notes) < MAX_NOTES

    def fatal(
        self,
        code: Code,
        offset: int,
        message: str,
        hint: str | None = None,
        related: tuple[tuple[Place, str], ...] = (),
    ) -> Unreadable:
        """Note a problem behind which nothing can be read; for `raise problems.fatal(...)`."""
        self.add(code, offset, message, hint, related)
        return Unreadable()

    def duplicate(self, key: str, first: int, second: int) -> None:
        """Note a key that its mapping already has."""
        self.add(
            "duplicate-key",
            second,
            f"the key {quoted(key)} is written twice in this mapping",
            "remove one of the two, or rename it",
            ((self.lines.place(first), "first written here"),),
        )

    def too_deep(self, offset: int) -> Unreadable:
        """Note a value below more containers than a policy may have."""
        message = f"values are nested more than {MAX_DEPTH} levels deep here"
        return self.fatal("too-large", offset, message, "a policy needs fewer than 20 levels")

    def too_many(self, offset: int) -> Unreadable:
        """Note the value that is one too many."""
        message = f"the file holds more than {MAX_NODES:,} values, aliases counted as copies"
        return self.fatal("too-large", offset, message, "split the policy, or repeat less in it")

    def integer(self, text: str, offset: int, base: int = 10) -> int | None:
        """The integer that `text` writes; None, with a problem, outside 64 bits."""
        if base != 10 or len(text.lstrip("+-0")) <= _DIGITS:
            value = int(text, base)
            if value in INTEGERS:
                return value
        self.big_integer(offset)
        return None

    def big_integer(self, offset: int) -> None:
        """Note an integer outside 64 bits."""
        message = "the integer does not fit into 64 bits"
        hint = "write it in quotes if it is an identifier, or as a decimal number such as 1e30"
        self.add("unsupported-value", offset, message, hint)

    def special_float(self, text: str, offset: int) -> None:
        """Note an infinity or a NaN."""
        message = f"{text} is not a number that JSON can say, so a policy cannot hold it"
        hint = "write a finite number, or put it in quotes to mean the text"
        self.add("unsupported-value", offset, message, hint)

    def sorted(self) -> tuple[Problem, ...]:
        """Everything noted, in the order of the text."""
        return tuple(sorted(self._found, key=lambda problem: problem.place))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is worth knowing."""
        return tuple(self._notes)


class Cursor:
    """A walk over a text: `position` is the next character to look at."""

    def __init__(self, lines: Lines, problems: Problems) -> None:
        self.lines = lines
        self.text = lines.text
        self.problems = problems
        self.position = 0
        self.nodes = 0

    def count(self) -> None:
        """Count one more value against the budget."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.problems.too_many(self.position)


def printable(text: str) -> str:
    """`text` for a message: on one line, without invisible characters, not too long."""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def quoted(text: str) -> str:
    """`text` in double quotes for a message."""
    return f'"{printable(text)}"'
