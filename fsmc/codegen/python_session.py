"""The typed view of a session as Python source: a protocol that ``fsmc.Session`` fulfils, and the ways to get one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from fsmc.codegen.layout import Expression, Sub, function
from fsmc.codegen.python_types import literal_of, optional
from fsmc.runtime.table import Table

Parameter: TypeAlias = tuple[str, Expression | None, str]


class ToolTypes(NamedTuple):
    """A tool with the type of its arguments; whether they must be given, and whether calls need an approval."""

    name: str
    arguments: Expression
    required: bool
    approval: bool


_READING = """\
table: fsmc.Table
state: State
group: str
revision: int
version: int
context: Context
finished: bool
looping: bool
refusals: int
shadowed: Mapping[str, int]
calls: Mapping[Tool, int]
in_flight: tuple[str, ...]
allowed_tools: tuple[Tool, ...]
events: tuple[SendableEvent, ...]"""
_SELF: Parameter = ("self", None, "")
_PAYLOAD: Parameter = ("payload", "Any", "None")
_CALL_ID: Parameter = ("call_id", "str", "")
_RESULT: tuple[Parameter, ...] = (("result", "Any", "None"), ("failed", "bool", "False"))
_DECIDING = (
    ("def check", False, "fsmc.Decision"),
    ("async def acheck", False, "fsmc.Decision"),
    ("def reserve", True, "fsmc.Decision"),
    ("async def areserve", True, "fsmc.Decision"),
    ("def call", True, "ToolCall"),
    ("def acall", True, "AsyncToolCall"),
)


def protocol(table: Table, tools: Sequence[ToolTypes]) -> str:
    """The class ``Session``."""
    parts = ['class Session(Protocol):\n    """An ``fsmc.Session`` that takes the names of this policy only."""']
    parts += [_property(*line.split(": ")) for line in _READING.splitlines()]
    parts.append(_method("async def aallowed_tools", (), "tuple[Tool, ...]"))
    for word, event in (("send", "SendableEvent"), ("can", "Event")):
        answer = "fsmc.Step" if word == "send" else "bool"
        parts.append(_method(f"def {word}", (("event", event, ""), _PAYLOAD), answer))
        parts.append(_method(f"async def a{word}", (("event", event, ""), _PAYLOAD), answer))
    if table.topology == "open":
        parts.append(_method("def transition_to", (("target", "State", ""),), "fsmc.Step"))
        parts.append(_method("async def atransition_to", (("target", "State", ""),), "fsmc.Step"))
    parts.append(_method("def update", (("changes", "ContextChanges", ""),), "None"))
    parts.append(_method("def reset_budget", (), "None"))
    if tools:
        parts += _calling(tools)
    parts.append(_method("def snapshot", (), "dict[str, Any]"))
    return "\n\n".join(parts)


def _calling(tools: Sequence[ToolTypes]) -> list[str]:
    parts = []
    for head, named, answer in _DECIDING:
        parts += _overloads(head, tools, named, answer)
    batch = Sub("Iterable", ("tuple[str, str, Any]",))
    parts.append(_method("def reserve_batch", (("calls", batch, ""),), "tuple[fsmc.Decision, ...]"))
    parts.append(_method("async def areserve_batch", (("calls", batch, ""),), "tuple[fsmc.Decision, ...]"))
    parts.append(_method("def commit", (_CALL_ID, *_RESULT), "fsmc.Settled"))
    parts.append(_method("async def acommit", (_CALL_ID, *_RESULT), "fsmc.Settled"))
    parts.append(_method("def release", (_CALL_ID,), "None"))
    approved = [tool for tool in tools if tool.approval]
    if approved:
        parts += _overloads("def approve", approved, False, "None")
    wrapping: list[Parameter] = [
        ("function", "_Function", ""),
        ("*", None, ""),
        ("tool", optional("Tool"), "None"),
        ("refusal", literal_of(("raise", "return")), '"raise"'),
    ]
    parts.append(_method("def guard_tool", wrapping, "_Function"))
    return parts


def _overloads(head: str, tools: Sequence[ToolTypes], named: bool, answer: str) -> list[str]:
    """A method whose arguments depend on the tool: one overload for all tools that take the same."""
    alike: dict[tuple[Expression, bool], list[str]] = {}
    for tool in tools:
        alike.setdefault((tool.arguments, tool.required), []).append(tool.name)
    found = []
    for (arguments, required), names in alike.items():
        parameters: list[Parameter] = [("tool", literal_of(names), "")]
        parameters.append(("arguments", arguments if required else optional(arguments), "" if required else "None"))
        if named:
            parameters.append(("call_id", optional("str"), "None"))
        decorator = "    @overload\n" if len(alike) > 1 else ""
        found.append(decorator + _method(head, parameters, answer))
    return found


def _property(name: str, kind: str) -> str:
    return f"    @property\n    def {name}(self) -> {kind}: ..."


def _method(head: str, parameters: Sequence[Parameter], answer: str) -> str:
    return function(head, (_SELF, *parameters), f" -> {answer}: ...", 4)


_STALE = '''\
class StaleModule(fsmc.TableError):
    """The table is not the one that this module was generated from."""'''

_LOAD = '''\
def load(path: str | os.PathLike[str]) -> fsmc.Table:
    """The policy or compiled table at *path*. Raises ``StaleModule`` for another one."""
    return _checked(fsmc.load(path))'''

_VIEWS = '''\
def typed(session: fsmc.Session) -> Session:
    """The same session, as one that takes the names of this policy only."""
    _checked(session.table)
    return cast(Session, session)


def plain(session: Session) -> fsmc.Session:
    """The same session, as one that takes any text: for names that a model made up."""
    return cast(fsmc.Session, session)


def _checked(table: fsmc.Table) -> fsmc.Table:
    if table.digest != DIGEST:
        problem = f"this module is for {DIGEST}, not {table.digest}: generate it again"
        raise StaleModule(problem)
    return table'''


def constructors(needs_context: bool, guards: bool) -> list[str]:
    """The error, and the functions that load the table and make sessions of it."""
    bound: list[Parameter] = [("guards", "Guards", "")] if guards else []
    options: list[Parameter] = [
        ("hooks", optional("Hooks"), "None"),
        ("shadow", "bool | Iterable[Tool | ExternalGuard]", "False"),
        ("clock", "Callable[[], float]", "time.time"),
    ]
    context: Parameter = ("context", "Context", "") if needs_context else ("context", optional("Context"), "None")
    star: Parameter = ("*", None, "")
    table: Parameter = ("table", "fsmc.Table", "")
    session = function("def session", (table, star, *bound, context, *options), " -> Session:")
    migrate: Parameter = ("migrate", "Mapping[str, State] | None", "None")
    saved: Parameter = ("saved", "Mapping[str, Any]", "")
    restore = function("def restore", (table, saved, star, *bound, migrate, *options), " -> Session:")
    given = "cast(Any, guards)" if guards else "None"
    return [
        _STALE,
        _LOAD,
        f'''{session}
    """A new conversation; see ``fsmc.Session``. Raises ``StaleModule`` for another table."""
    return typed(
        _checked(table).session(
            context,
            {given},
            hooks=hooks,
            shadow=shadow,
            clock=clock,
        )
    )''',
        f'''{restore}
    """The conversation of a snapshot; see ``fsmc.Table.restore``."""
    return typed(
        _checked(table).restore(
            saved,
            {given},
            migrate=migrate,
            hooks=hooks,
            shadow=shadow,
            clock=clock,
        )
    )''',
        _VIEWS,
    ]
