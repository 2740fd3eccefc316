"""What GitHub reads, read by the rules of its documentation and of its runner, not by our code."""

from __future__ import annotations

import html
import re
from typing import NamedTuple


class Annotation(NamedTuple):
    """A workflow command: ``::command name=value,name=value::message``."""

    command: str
    properties: dict[str, str]
    message: str


def annotations(log: str) -> list[Annotation]:
    """The commands in the log of a step; a line feed ends a line, and so does a carriage return."""
    found = []
    for line in re.split("\r\n|\n|\r", log):
        if not line.startswith("::"):
            continue
        head, _, data = line[2:].partition("::")
        command, _, told = head.partition(" ")
        pairs = (pair.split("=", 1) for pair in told.split(",") if pair)
        found.append(Annotation(command, {name: _unescaped(value) for name, value in pairs}, _unescaped(data)))
    return found


def _unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def table(markdown: str) -> list[list[str]]:
    """The cells of the rows of a Markdown table, as a reader of the page sees them."""
    rows = [line for line in markdown.split("\n") if line.startswith("|")][2:]
    return [[_seen(cell.strip(" ")) for cell in row[1:-1].split("|")] for row in rows]


def _seen(cell: str) -> str:
    linked = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell)
    return html.unescape(linked.replace("<br>", "\n"))
