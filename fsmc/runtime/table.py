"""The frozen table of a compiled policy, and its pure transition function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from fsmc.runtime.canonical import digest
from fsmc.runtime.errors import TableError
from fsmc.runtime.expression import EvaluationError, compile_tree

if TYPE_CHECKING:
    from fsmc.runtime.session import Session

FORMAT = "fsmc-table/1"

Facts = Mapping[str, Any]
Answers = Mapping[str, object]
_NO_ANSWERS: Answers = MappingProxyType({})


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

    ``kind`` of a move is ``transition``, ``default``, ``exhausted`` (the target's ``max_visits`` sent it elsewhere),
    ``fallback`` or ``request``. ``writes`` are the facts to be written with the move. Only ``moved`` moves a machine.
    """

    code: str
    source: str
    event: str
    target: str | None = None
    kind: str | None = None
    writes: Mapping[str, Any] = MappingProxyType({})
    reason: str = ""
    guard: str | None = None

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
    """One outcome of a successful call; ``when`` is a condition number, ``sets`` are (name, tree) pairs."""

    event: str | None
    when: int | None
    sets: tuple[tuple[str, Any], ...]


class ToolInfo(NamedTuple):
    """A tool. Conditions are numbers for ``Table.condition``; schemas are JSON text; ``approval`` is in milliseconds."""

    name: str
    effect: str
    description: str
    input_schema: str | None
    output_schema: str | None
    when: int | None
    require: int | None
    max_calls: int | None
    approval: int | None
    failed_when: int | None
    on_failure: str | None
    emits: tuple[EmitInfo, ...]


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


class _Candidate(NamedTuple):
    target: int
    condition: int
    sets: int
    default: int
    event: int


class _Condition(NamedTuple):
    """How to decide a condition: a closure, or an external guard to ask for. ``text`` names it in reasons."""

    text: str
    evaluate: Callable[[Facts], Any] | None
    external: str | None
    reason: tuple[Any, ...]


class Verdict(NamedTuple):
    """The outcome of a condition: ``holds`` is True only when it certainly does. ``needed`` names an unanswered guard;
    ``undecided`` says that an error, not False, kept it from holding.
    """

    holds: bool
    reason: str = ""
    needed: str | None = None
    undecided: bool = False


_HOLDS = Verdict(True)


class Table:
    """A compiled policy: immutable, shared by any number of sessions and threads.

    Made by ``fsmc.load``, ``fsmc.compile`` or from the data of a table file. Nothing reachable from it can be changed.
    """

    __slots__ = (
        "digest", "id", "version", "description", "topology", "long_running", "initial", "states", "events", "tools",
        "guards", "context_schema", "transition_guard", "_names", "_state_index", "_event_index", "_rows", "_conditions",
        "_sets", "_data",
    )  # fmt: skip

    digest: str
    id: str
    version: str | None
    description: str | None
    topology: str
    long_running: bool
    initial: str
    states: Mapping[str, StateInfo]
    events: Mapping[str, EventInfo]
    tools: Mapping[str, ToolInfo]
    guards: Mapping[str, GuardInfo]
    context_schema: str | None
    transition_guard: int | None

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Freeze the data of a table file. Raises ``TableError`` when it is not one, or was changed after compiling."""
        _verify(data)
        try:
            self._freeze(data)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise TableError(f"the table is damaged: {type(error).__name__}: {error}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a table is frozen: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a table is frozen: cannot delete {name!r}")

    def __repr__(self) -> str:
        return f"<fsmc.Table {self.id!r}: {len(self.states)} states, {self.digest[:19]}>"

    def _freeze(self, data: Mapping[str, Any]) -> None:
        machine, about = data["machine"], data["about"]
        fill: Callable[[str, object], None] = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        names = tuple(state["name"] for state in machine["states"])
        events = tuple(event["name"] for event in machine["events"])
        tool_names = tuple(tool["name"] for tool in machine["tools"])
        fill("digest", data["digest"])
        fill("id", about["id"])
        fill("version", about.get("version"))
        fill("description", about.get("description"))
        fill("topology", machine["topology"])
        fill("long_running", machine.get("long_running", False))
        fill("initial", names[machine["initial"]])
        fill("context_schema", machine.get("context"))
        fill("transition_guard", machine.get("transition_guard"))
        fill("_names", names)
        fill("_state_index", {name: i for i, name in enumerate(names)})
        fill("_event_index", {name: i for i, name in enumerate(events)})
        guards = tuple(GuardInfo(g["name"], g.get("external", False)) for g in machine["guards"])
        fill("guards", MappingProxyType({guard.name: guard for guard in guards}))
        fill("events", MappingProxyType({e["name"]: EventInfo(e["name"], e.get("reserved", False)) for e in machine["events"]}))
        fill("_conditions", tuple(_condition(tree, machine["guards"]) for tree in machine["conditions"]))
        fill("_sets", tuple(_compile_set(pairs) for pairs in machine["sets"]))
        texts = dict(map(tuple, about.get("tools", ())))
        tools = [_tool_info(tool, events, machine["sets"], texts.get(i, "")) for i, tool in enumerate(machine["tools"])]
        fill("tools", MappingProxyType({tool.name: tool for tool in tools}))
        texts = dict(map(tuple, about.get("states", ())))
        states = [_state_info(state, names, tool_names, texts.get(i, "")) for i, state in enumerate(machine["states"])]
        fill("states", MappingProxyType({state.name: state for state in states}))
        fill("_rows", _rows(machine["transitions"], len(names), events))
        fill("_data", data)

    @property
    def transitions(self) -> tuple[TransitionInfo, ...]:
        """Every candidate, by state and in the order in which they are tried. Empty under ``open``."""
        names, conditions, events = self._names, self._conditions, tuple(self._event_index)
        return tuple(
            TransitionInfo(
                names[source], events[event], names[target], conditions[guard].text if guard >= 0 else None, bool(default)
            )
            for source, event, target, guard, _, default in self._data["machine"]["transitions"]
        )

    def to_json(self) -> str:
        """The canonical text of the table: what ``fsmc compile`` writes, without the final newline."""
        from fsmc.runtime.canonical import canonical_json

        return canonical_json(self._data)

    def handles(self, state: str, event: str) -> bool:
        """Whether *state* has a candidate for *event*."""
        index = self._state_index.get(state)
        return index is not None and event in self._rows[index]

    def events_of(self, state: str) -> tuple[str, ...]:
        """The events that *state* has candidates for, in the order written."""
        index = self._state_index.get(state)
        return () if index is None else tuple(self._rows[index])

    def targets(self, state: str) -> tuple[tuple[str, str], ...]:
        """The (event, target) pairs of *state*, in the order in which they are tried."""
        row = self._rows[self._state_index[state]]
        return tuple((event, self._names[c.target]) for event, candidates in row.items() for c in candidates)

    def session(self, context: Mapping[str, Any] | None = None, guards: Mapping[str, Any] | None = None) -> Session:
        """A new conversation over this table; see ``Session``."""
        from fsmc.runtime.session import Session

        return Session(self, context, guards)

    def step(self, state: str, event: str, facts: Facts | None = None, answers: Answers = _NO_ANSWERS) -> Step:
        """What *event* does in *state*: the pure transition function.

        *facts* holds the names that guards read: ``context``, ``event`` (the payload), ``calls``, ``visits``. *answers* holds
        the outcomes of external guards by name; only an outcome that is exactly True holds. Never raises and never moves
        anything by itself: the caller applies ``target`` and ``writes``.
        """
        index = self._state_index.get(state)
        if index is None:
            return Step("unknown_state", state, event, reason=f"`{state}` is not a state of this policy")
        candidates = self._rows[index].get(event)
        if candidates is None:
            if event in self._event_index:
                return Step("no_transition", state, event, reason=f"{state} does not react to {event}")
            return Step("unknown_event", state, event, reason=f"`{event}` is not an event of this policy")
        known = {"context": {}, "event": {}, "calls": {}, "visits": {}, **(facts or {}), "state": state}
        refused: list[str] = []
        for candidate in candidates:
            if candidate.condition >= 0:
                verdict = self.condition(candidate.condition, known, answers)
                if verdict.needed is not None:
                    return Step("guard_needed", state, event, guard=verdict.needed, reason=verdict.reason)
                if not verdict.holds:
                    refused.append(verdict.reason)
                    continue
            kind = "default" if candidate.default else "transition"
            return self._take(state, event, candidate, known, kind)
        return Step("guard_rejected", state, event, reason="; ".join(refused))

    def request(self, state: str, target: str, facts: Facts | None = None, answers: Answers = _NO_ANSWERS) -> Step:
        """What asking for state *target* by name does: allowed under ``open``, where ``transition_guard`` can veto."""
        if state not in self._state_index or target not in self._state_index:
            unknown = target if state in self._state_index else state
            return Step("unknown_state", state, "", reason=f"`{unknown}` is not a state of this policy")
        if self.topology != "open":
            return Step("no_transition", state, "", reason="states are asked for by name only under `topology: open`")
        if self.states[state].terminal:
            return Step("no_transition", state, "", reason=f"{state} is terminal")
        known = {"context": {}, "calls": {}, "visits": {}, **(facts or {}), "state": state, "target": target}
        if self.transition_guard is not None:
            verdict = self.condition(self.transition_guard, known, answers)
            if verdict.needed is not None:
                return Step("guard_needed", state, "", guard=verdict.needed, reason=verdict.reason)
            if not verdict.holds:
                return Step("guard_rejected", state, "", reason=verdict.reason)
        return self.enter(state, "", target, known, "request")

    def enter(self, source: str, event: str, target: str, facts: Facts, kind: str) -> Step:
        """A move to *target*, or to where its ``max_visits`` sends it instead."""
        landing, passed = target, {target}
        visits = facts.get("visits", {})
        while True:
            info = self.states[landing]
            if info.max_visits is None or visits.get(landing, 0) < info.max_visits:
                return Step("moved", source, event, landing, kind if landing == target else "exhausted")
            elsewhere = info.on_exhausted
            if elsewhere is None or elsewhere in passed:
                reason = f"{landing} may be entered {info.max_visits} times, and was"
                return Step("visits_exhausted", source, event, reason=reason)
            passed.add(elsewhere)
            landing = elsewhere

    def _take(self, state: str, event: str, candidate: _Candidate, facts: Facts, kind: str) -> Step:
        step = self.enter(state, event, self._names[candidate.target], facts, kind)
        if candidate.sets < 0 or not step.moved:
            return step
        try:
            writes = evaluate_set(self._sets[candidate.sets], facts)
        except EvaluationError as error:
            return Step("set_failed", state, event, reason=str(error))
        return step._replace(writes=MappingProxyType(writes))

    def condition(self, number: int, facts: Facts, answers: Answers = _NO_ANSWERS) -> Verdict:
        """Decide condition *number* on *facts*. Anything but exactly True does not hold, and says why."""
        condition = self._conditions[number]
        if condition.external is not None:
            return _answered(condition, facts, answers)
        assert condition.evaluate is not None
        try:
            value = condition.evaluate(facts)
        except EvaluationError as error:
            return Verdict(False, f"`{condition.text}` could not be decided: {error}", undecided=True)
        if value is True:
            return _HOLDS
        if value is False:
            return Verdict(False, _explain(condition, facts))
        return Verdict(False, f"`{condition.text}` gave {type(value).__name__}, not true or false", undecided=True)

    def condition_text(self, number: int) -> str:
        """Condition *number* as text: the guard's name or the expression."""
        return self._conditions[number].text


SetClosures = tuple[tuple[str, Callable[[Facts], Any]], ...]


def evaluate_set(closures: SetClosures, facts: Facts) -> dict[str, Any]:
    """The facts that a ``set`` writes, all or nothing. Raises ``EvaluationError``."""
    written = {}
    for name, evaluate in closures:
        try:
            written[name] = evaluate(facts)
        except EvaluationError as error:
            raise EvaluationError(f"set {name}: {error}") from None
    return written


def _compile_set(pairs: list[Any]) -> SetClosures:
    return tuple((name, compile_tree(tree)) for name, tree in pairs)


def compile_sets(sets: tuple[tuple[str, Any], ...]) -> SetClosures:
    """Closures for the ``sets`` of an ``EmitInfo``."""
    return _compile_set(list(sets))


def _answered(condition: _Condition, facts: Facts, answers: Answers) -> Verdict:
    name = condition.external
    assert name is not None
    if name not in answers:
        return Verdict(False, f"the outcome of guard `{name}` is not known", name, undecided=True)
    answer = answers[name]
    if answer is True:
        return _HOLDS
    if answer is False:
        return Verdict(False, _explain(condition, facts))
    if isinstance(answer, BaseException):
        return Verdict(False, f"guard `{name}` failed: {type(answer).__name__}: {answer}", undecided=True)
    return Verdict(False, f"guard `{name}` gave {type(answer).__name__}, not True or False", undecided=True)


def _explain(condition: _Condition, facts: Facts) -> str:
    """The author's ``reason`` filled in, or the condition itself."""
    if not condition.reason:
        return f"`{condition.text}` does not hold"
    parts = []
    for part in condition.reason:
        if isinstance(part, str):
            parts.append(part)
            continue
        try:
            value = part(facts)
        except EvaluationError:
            value = "?"
        parts.append(_shown(value))
    return "".join(parts)


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, (str, int, float)) else "?"


def _verify(data: Any) -> None:
    if not isinstance(data, Mapping) or "format" not in data:
        raise TableError("not a compiled table: it has no `format`")
    if data["format"] != FORMAT:
        raise TableError(f"table format {data['format']!r} is not {FORMAT!r}: compile the policy again with this fsmc")
    if "machine" not in data or not isinstance(data.get("about"), Mapping):
        raise TableError("the table is damaged: `machine` or `about` is missing")
    try:
        found = digest({"format": data["format"], "machine": data["machine"]})
    except (TypeError, ValueError, RecursionError) as error:
        raise TableError(f"the table is damaged: {error}") from None
    if data.get("digest") != found:
        raise TableError("the table was changed after it was compiled: its digest does not match its content")


def _condition(tree: list[Any], guards: list[Any]) -> _Condition:
    from fsmc.runtime.expression_text import render

    if tree[0] != "guard":
        return _Condition(render(tree), compile_tree(tree), None, ())
    guard = guards[tree[1]]
    reason = tuple(part if isinstance(part, str) else compile_tree(part) for part in guard.get("reason", ()))
    if guard.get("external"):
        return _Condition(guard["name"], None, guard["name"], reason)
    return _Condition(guard["name"], compile_tree(guard["expr"]), None, reason)


def _tool_info(tool: Mapping[str, Any], events: tuple[str, ...], sets: list[Any], description: str) -> ToolInfo:
    on_failure = tool.get("on_failure")
    return ToolInfo(
        name=tool["name"],
        effect=tool["effect"],
        description=description,
        input_schema=tool.get("input_schema"),
        output_schema=tool.get("output_schema"),
        when=tool.get("when"),
        require=tool.get("require"),
        max_calls=tool.get("max_calls"),
        approval=tool.get("approval"),
        failed_when=tool.get("failed_when"),
        on_failure=None if on_failure is None else events[on_failure],
        emits=tuple(
            EmitInfo(
                events[event] if event >= 0 else None,
                when if when >= 0 else None,
                tuple((name, _tuples(tree)) for name, tree in sets[number]) if number >= 0 else (),
            )
            for event, when, number in tool.get("emits", ())
        ),
    )


def _tuples(tree: Any) -> Any:
    return tuple(map(_tuples, tree)) if isinstance(tree, list) else tree


def _state_info(
    state: Mapping[str, Any], names: tuple[str, ...], tools: tuple[str, ...], description: str
) -> StateInfo:
    budget = state.get("budget")
    exhausted = state.get("on_exhausted")
    if budget is not None:
        limit, repeated, fallback = budget
        budget = BudgetInfo(limit or None, repeated or None, names[fallback] if fallback >= 0 else None)
    return StateInfo(
        state["name"],
        state["type"],
        description,
        tuple(tools[i] for i in state.get("tools", ())),
        budget,
        state.get("parallel_calls"),
        state.get("max_visits"),
        None if exhausted is None else names[exhausted],
    )


def _rows(rows: list[Any], count: int, events: tuple[str, ...]) -> tuple[dict[str, tuple[_Candidate, ...]], ...]:
    """Per state: event -> candidates in the order in which they are tried."""
    building: list[dict[str, tuple[_Candidate, ...]]] = [{} for _ in range(count)]
    for source, event, target, guard, sets, default in rows:
        if not 0 <= target < count:
            raise ValueError(f"transition to state {target} of {count}")
        row, name = building[source], events[event]
        row[name] = (*row.get(name, ()), _Candidate(target, guard, sets, default, event))
    return tuple(building)
