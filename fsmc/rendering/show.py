"""A table as text: one row a state, with its tools, its budget and the moves that leave it."""

from __future__ import annotations

import io
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fsmc.runtime.infos import StateInfo, ToolInfo
    from fsmc.runtime.table import Table

_TITLES = ("STATE", "TYPE", "TOOLS", "BUDGET", "MOVES")
_GAP = "  "
_NARROWEST = 20
_TOOL_MARKS = ("●", "○")
_NO_BREAK = "\u00a0"


class _Row(NamedTuple):
    """The lines of each cell of a state."""

    state: list[str]
    kind: list[str]
    tools: list[str]
    budget: list[str]
    moves: list[str]


def show(table: Table, terminal: bool = False, width: int | None = None) -> str:
    """States, tools and moves of *table* as readable text, ending in a newline.

    Plain text is the same everywhere, and wraps only where a *width* in columns is given. With *terminal*, colours and rules are
    added for a terminal of *width* columns (the present one by default).
    """
    rows = _rows(table)
    if terminal:
        return _rich(table, rows, width)
    return "\n".join([*_heading(table), "", *_plain(rows, width), "", *_legend(table)]) + "\n"


def _heading(table: Table) -> list[str]:
    title = table.id if table.version is None else f"{table.id} {table.version}"
    lines = [visible(title)]
    if table.description:
        lines.append(visible(" ".join(table.description.split())))
    kind = table.topology + (", long running" if table.long_running else "")
    counts = (
        f"{_count(len(table.states), 'state')}, {_count(len(table.tools), 'tool')}, "
        f"{_count(len(table.transitions), 'transition')}"
    )
    lines += [f"{kind} · {counts}", table.digest]
    if table.topology == "open":
        guard = "" if table.transition_guard is None else f" [{visible(table.condition_text(table.transition_guard))}]"
        lines.append(f"any state may be asked for by name{guard}")
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _legend(table: Table) -> list[str]:
    offered = any(state.tools for state in table.states.values())
    return ["● write tool   ○ read tool"] if offered else []


def _rows(table: Table) -> list[_Row]:
    moves: dict[str, list[str]] = {name: [] for name in table.states}
    for transition in table.transitions:
        guard = "" if transition.guard is None else f" [{transition.guard}]"
        default = " (default)" if transition.default else ""
        moves[transition.source].append(f"{transition.event}{guard} -> {transition.target}{default}")
    rows = []
    for state in table.states.values():
        lines = moves[state.name]
        if state.budget is not None and state.budget.fallback is not None:
            lines.append(f"budget spent -> {state.budget.fallback}")
        if state.on_exhausted is not None:
            lines.append(f"after {_count(state.max_visits or 0, 'visit')} -> {state.on_exhausted}")
        tools = [_tool(table.tools[name]) for name in state.tools]
        moving = [visible(line) for line in lines]
        rows.append(_Row([visible(state.name)], [state.kind], tools, _limits(state), moving))
    return rows


def _tool(tool: ToolInfo) -> str:
    notes = [
        "approval" if tool.approval is not None else "",
        f"max {tool.max_calls}" if tool.max_calls is not None else "",
        "when" if tool.when is not None else "",
        "require" if tool.require else "",
    ]
    said = ", ".join(note for note in notes if note)
    mark = "●" if tool.effect == "write" else "○"
    return f"{mark} {visible(tool.name)}" + (f" ({said})" if said else "")


def _limits(state: StateInfo) -> list[str]:
    lines = []
    if state.budget is not None:
        if state.budget.limit is not None:
            lines.append(_count(state.budget.limit, "call"))
        if state.budget.repeated is not None:
            lines.append(f"{state.budget.repeated} alike in a row")
    if state.parallel_calls is not None:
        lines.append(f"{state.parallel_calls} at a time")
    if state.max_visits is not None:
        lines.append(_count(state.max_visits, "visit"))
    return lines


def _plain(rows: Sequence[_Row], width: int | None) -> list[str]:
    rows, used, widths = _layout(rows, width, len(_GAP))
    lines = [_line([_TITLES[i] for i in used], [widths[i] for i in used])]
    tall = True  # a state of one line needs no space around it where its neighbour has one line too
    for row in rows:
        cells = [[part for line in row[i] for part in _wrapped(line, widths[i])] for i in used]
        height = max(map(len, cells))
        if tall or height > 1:
            lines.append("")
        tall = height > 1
        for number in range(height):
            parts = [cell[number] if number < len(cell) else "" for cell in cells]
            lines.append(_line(parts, [widths[i] for i in used]))
    return lines


def _layout(rows: Sequence[_Row], width: int | None, gap: int) -> tuple[Sequence[_Row], list[int], list[int]]:
    """The rows, the cells in use and the columns of each cell, with *gap* columns between two.

    Where a line does not fit the *width*, the type of a state stands under its name.
    """
    used, widths = _sized(rows, width, gap)
    if width is not None and _spread(used, widths, gap) > width:
        rows = [row._replace(state=[*row.state, *row.kind], kind=[]) for row in rows]
        used, widths = _sized(rows, width, gap)
    return rows, used, widths


def _spread(used: Sequence[int], widths: Sequence[int], gap: int) -> int:
    return sum(widths[i] for i in used) + gap * (len(used) - 1)


def _sized(rows: Sequence[_Row], width: int | None, gap: int) -> tuple[list[int], list[int]]:
    """Where a *width* is given, the widest cells give some up until a line fits, but stay readable."""
    used = [i for i in range(len(_TITLES)) if any(row[i] for row in rows)]
    widths = [max(columns(line) for row in rows for line in (title, *row[i])) for i, title in enumerate(_TITLES)]
    while width is not None and _spread(used, widths, gap) > width:
        widest = max(used, key=lambda i: widths[i])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return used, widths


def _wrapped(line: str, width: int) -> Iterable[str]:
    if columns(line) <= width:
        return [line]
    wide = columns(line) - len(line)  # a guess on the safe side: count every wide character on every part
    # The mark of a tool stays with its name: textwrap does not break at such a space.
    joined = line[:2].replace(" ", _NO_BREAK) + line[2:] if line[:1] in _TOOL_MARKS else line
    parts = textwrap.wrap(joined, max(width - wide, 8), subsequent_indent="  ", break_on_hyphens=False)
    return [parts[0].replace(_NO_BREAK, " ", 1) if joined != line else parts[0], *parts[1:]]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell + " " * (size - columns(cell)) for cell, size in zip(cells, widths, strict=True)]
    return _GAP.join(padded).rstrip()


def columns(text: str) -> int:
    """How many columns of a terminal *text* takes."""
    return sum(map(_character_columns, text))


def _character_columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def visible(text: str) -> str:
    """*text* with what breaks or reorders a line (line separators, directions of writing) written as escapes."""
    return "".join(f"\\u{ord(c):04x}" if unicodedata.bidirectional(c) in _UNRULY or c in _MARKS else c for c in text)


_UNRULY = frozenset(["B", "S", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"])
_MARKS = "\u2028\u200e\u200f\u061c"


def _rich(table: Table, rows: Sequence[_Row], width: int | None) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    title, *about = _heading(table)
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=width, highlight=False)
    # Lines are broken here, as in plain text; rich has a rule of one column between the cells, and would cut what is wider.
    gap = len(_GAP) + 1
    rows, used, widths = _layout(rows, console.width, gap)
    console.width = max(console.width, _spread(used, widths, gap))
    grid = Grid(box=box.SIMPLE_HEAD, show_lines=False, show_edge=False, pad_edge=False, padding=(0, 2, 1, 0))
    for i in used:
        grid.add_column(_TITLES[i], no_wrap=True)
    styles = ("bold", "dim", "", "dim", "")
    for row in rows:
        cells = []
        for i in used:
            cell = Text()
            for number, line in enumerate(row[i]):
                cell.append("\n" if number else "")
                style = "red" if _TITLES[i] == "TOOLS" and line.startswith("●") else styles[i]
                if _TITLES[i] == "STATE" and number:  # the type, under the name
                    style = "dim"
                cell.append("\n".join(_wrapped(line, widths[i])), style)
            cells.append(cell)
        grid.add_row(*cells)
    console.print(Text(title, "bold"))
    for line in about:
        console.print(Text(line, "dim"))
    console.print()
    console.print(grid)
    for line in _legend(table):
        console.print(Text(line, "dim"))
    return out.getvalue()
