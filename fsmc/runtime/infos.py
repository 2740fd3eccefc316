"""What a table is made of, as read-only values: states, tools, events, guards, steps."""

from __future__ import annotations

from collections.abc import Mapping

from fsmc.runtime.annotations import Any, NamedTuple
from fsmc.runtime.values import View


class Step(NamedTuple):
    """What an event does to a state.

    ``code`` is one of

    - ``moved``: the machine goes to ``target``;
    - ``no_transition``: the state has no candidate for the event;
    - ``guard_rejected``: no candidate's guard holds, ``reason`` says why each did not;
    - ``guard_needed``: the outcome of the external guard ``guard`` is not among the answers;
    - ``visits_exhausted``: the target may not be entered again and says nothing about where to go instead;
    - ``set_failed``: a ``set`` of the transition could not be evaluated;
    - ``unknown_state`` / ``unknown_event``: the name is not in the table.

    A session adds ``reserved`` (the event is a tool's own), ``invalid_payload``, ``stale`` (it changed while a guard was
    pending, or whenever it was asked), ``needs_async`` (an asynchronous guard in a plain call) and ``vetoed`` (by its hook).

    ``kind`` of a move is ``transition``, ``default``, ``exhausted`` (the target's ``max_visits`` sent it elsewhere),
    ``fallback`` or ``request``. ``writes`` are the facts to be written with the move;
    ``note`` tells of a guard before it that could not be decided, and of a hook that failed after it. Only ``moved`` moves a machine.
    """

    code: str
    source: str
    event: str
    target: str | None = None
    kind: str | None = None
    writes: Mapping[str, Any] = View({})
    reason: str = ""
    guard: str | None = None
    note: str = ""

    def __bool__(self) -> bool:
        """``if session.send(...):`` means what it says: only a move is true."""
        return self.code == "moved"

    @property
    def moved(self) -> bool:
        """Whether the machine moves (a self-transition moves too)."""
        return self.code == "moved"


class GuardInfo(NamedTuple):
    """A named guard; ``external`` ones are functions that the application binds."""

    name: str
    external: bool


class EventInfo(NamedTuple):
    """An event; a ``reserved`` one is raised by tools only."""

    name: str
    reserved: bool


class BudgetInfo(NamedTuple):
    """How many calls a state allows: in all, and identical ones in a row; where the machine goes at the limit."""

    limit: int | None
    repeated: int | None
    fallback: str | None


class EmitInfo(NamedTuple):
    """One outcome of a successful call; ``when`` is a number for ``Table.condition``, ``sets`` one for ``Table.writes``."""

    event: str | None
    when: int | None
    sets: int | None


class ToolInfo(NamedTuple):
    """A tool. Conditions are numbers for ``Table.condition``; schemas are JSON text; ``approval`` is in milliseconds."""

    name: str
    effect: str
    description: str
    input_schema: str | None
    output_schema: str | None
    when: int | None
    require: tuple[int, ...]
    max_calls: int | None
    approval: int | None
    failed_when: int | None
    on_failure: str | None
    emits: tuple[EmitInfo, ...]

    @property
    def unrestricted(self) -> bool:
        """Whether nothing but the state, and what that limits, decides about a call without arguments."""
        return (
            self.when is None
            and not self.require
            and self.input_schema is None
            and self.max_calls is None
            and self.approval is None
        )

    @property
    def silent(self) -> bool:
        """Whether a success moves nothing and writes nothing, whatever the result."""
        return self.failed_when is None and not self.emits


class StateInfo(NamedTuple):
    """A state; ``tools`` are names in the order in which they are offered."""

    name: str
    kind: str
    description: str
    tools: tuple[str, ...]
    budget: BudgetInfo | None
    parallel_calls: int | None
    max_visits: int | None
    on_exhausted: str | None

    @property
    def terminal(self) -> bool:
        """Whether a session ends here."""
        return self.kind == "terminal"


class TransitionInfo(NamedTuple):
    """One candidate; ``guard`` is its text as a diagram shows it, ``default`` says that it comes from ``defaults``."""

    source: str
    event: str
    target: str
    guard: str | None
    default: bool
