"""The frozen table of a compiled policy, and its pure transition function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from fsmc.runtime.annotations import TYPE_CHECKING, Any
from fsmc.runtime.binding import Guard, validators_of
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.conditions import NO_ANSWERS, Answers, Condition, Facts, Verdict, condition_of, decide
from fsmc.runtime.errors import EvaluationError, TableError
from fsmc.runtime.infos import (
    EventInfo,
    GuardInfo,
    StateInfo,
    Step,
    ToolInfo,
    TransitionInfo,
)  # fmt: skip
from fsmc.runtime.parts import Candidates, States, compile_set, named_fields, reads_visits, tool_info
from fsmc.runtime.row import Row
from fsmc.runtime.validator import Validator
from fsmc.runtime.values import View, described, named
from fsmc.runtime.verify import TableParts, parts_of_data, parts_of_text, verify
from fsmc.runtime.words import did_you_mean, times

if TYPE_CHECKING:
    from fsmc.runtime.session import Session

_ALL_FACTS = frozenset(("context", "event", "calls", "visits", "state"))


class Table:
    """A compiled policy: immutable, shared by any number of sessions and threads.

    Made by ``fsmc.load``, ``fsmc.compile`` or from the data of a table file. Nothing reachable from it can be changed.
    """

    __slots__ = (
        "digest", "id", "version", "description", "topology", "long_running", "initial", "states", "events", "tools",
        "guards", "context_fields", "context_schema", "transition_guard", "_tools", "_names", "_state_index", "_event_index", "_candidates", "_conditions",
        "_sets", "_head", "_text", "_validators", "_rows", "_steps", "_sendable", "_counts_visits", "_ways",
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
    context_fields: tuple[str, ...] | None
    context_schema: str | None
    transition_guard: int | None
    _tools: dict[str, ToolInfo]
    _names: tuple[str, ...]
    _state_index: dict[str, int]
    _event_index: dict[str, int]
    _candidates: Candidates
    _conditions: tuple[Condition, ...]
    _sets: tuple[tuple[tuple[str, Callable[[Facts], Any]], ...], ...]
    _head: dict[str, Any]
    _text: str
    _validators: dict[str, Validator] | None
    _rows: dict[str, Row]
    _steps: dict[str, dict[str, Step]]
    _counts_visits: bool
    _sendable: frozenset[str]
    _ways: dict[tuple[str, str], tuple[str, ...] | None]

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Freeze the data of a table file. Raises ``TableError`` when it is not one, or was changed after compiling."""
        self._open(parts_of_data(data))

    @classmethod
    def from_json(cls, text: str) -> Table:
        """The table of its text, as ``to_json`` gives it. Raises ``TableError``."""
        try:
            parts = parts_of_text(text)
        except (ValueError, RecursionError) as error:
            raise TableError(f"not a compiled table: {described(error)}") from None
        if parts is None:
            raise TableError("not a compiled table: it has no `format`")
        return cls._of(parts)

    @classmethod
    def compiled(cls, data: dict[str, Any]) -> Table:
        """The table of what the compiler has just made, and gives up: unlike that of ``Table``, *data* is not copied."""
        return cls._of(parts_of_data(data, owned=True))

    @classmethod
    def _of(cls, parts: TableParts) -> Table:
        table = cls.__new__(cls)
        table._open(parts)
        return table

    def _open(self, parts: TableParts) -> None:
        verify(parts)
        try:
            self._freeze(parts)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise TableError(f"the table is damaged: {described(error)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a table is frozen: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a table is frozen: cannot delete {name!r}")

    def __repr__(self) -> str:
        return f"<fsmc.Table {self.id!r}: {len(self.states)} states, {self.digest[:19]}>"

    def _freeze(self, parts: TableParts) -> None:
        machine, about = parts.machine, parts.head["about"]
        fill: Callable[[str, object], None] = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        names = tuple([state["name"] for state in machine["states"]])
        events = tuple(event["name"] for event in machine["events"])
        tool_names = tuple(tool["name"] for tool in machine["tools"])
        fill("_head", parts.head)
        fill("_text", parts.text)
        fill("digest", parts.digest)
        fill("id", about["id"])
        fill("version", about.get("version"))
        fill("description", about.get("description"))
        fill("topology", machine["topology"])
        fill("long_running", machine.get("long_running", False))
        fill("initial", names[machine["initial"]])
        fill("context_schema", machine.get("context"))
        fill("context_fields", named_fields(machine.get("context")))
        fill("transition_guard", machine.get("transition_guard"))
        fill("_names", names)
        fill("_state_index", dict(zip(names, range(len(names)), strict=True)))
        fill("_event_index", {name: i for i, name in enumerate(events)})
        guards = tuple(GuardInfo(g["name"], g.get("external", False)) for g in machine["guards"])
        fill("guards", View({guard.name: guard for guard in guards}))
        fill(
            "events",
            View({e["name"]: EventInfo(e["name"], e.get("reserved", False)) for e in machine["events"]}),
        )
        fill("_conditions", tuple(condition_of(tree, machine["guards"]) for tree in machine["conditions"]))
        fill("_sets", tuple(compile_set(pairs) for pairs in machine["sets"]))
        texts = dict(map(tuple, about.get("tools", ())))
        tools = [tool_info(tool, events, texts.get(i, "")) for i, tool in enumerate(machine["tools"])]
        fill("_tools", {tool.name: tool for tool in tools})
        fill("tools", View(self._tools))
        texts = dict(map(tuple, about.get("states", ())))
        fill("states", States(machine["states"], self._state_index, tool_names, texts))
        fill("_candidates", Candidates(machine["transitions"], len(names), events))
        fill("_validators", None)
        fill("_rows", {})
        fill("_steps", {})
        fill("_counts_visits", reads_visits(machine))
        fill("_ways", {})
        fill("_sendable", frozenset(event.name for event in self.events.values() if not event.reserved))

    @property
    def transitions(self) -> tuple[TransitionInfo, ...]:
        """Every candidate, by state and event, in the order in which they are tried. Empty under ``open``."""
        names, conditions = self._names, self._conditions
        return tuple(
            TransitionInfo(
                names[source],
                event,
                names[target],
                conditions[condition].text if condition >= 0 else None,
                bool(default),
            )
            for source, row in enumerate(self._candidates)
            for event, candidates in row.items()
            for target, condition, _, default in candidates
        )

    def to_json(self) -> str:
        """The canonical text of the table: what ``fsmc compile`` writes, without the final newline."""
        head = {key: canonical_json(value) for key, value in self._head.items()}
        return "{" + ",".join(f'"{key}":{text}' for key, text in sorted({**head, "machine": self._text}.items())) + "}"

    def events_of(self, state: str) -> tuple[str, ...]:
        """The events that *state* has candidates for, in the order written."""
        index = self._state_index.get(state)
        return () if index is None else tuple(self._candidates[index])

    def targets(self, state: str) -> tuple[tuple[str, str], ...]:
        """The (event, target) pairs of *state*, in the order in which they are tried."""
        row = self._candidates[self._state_index[state]]
        return tuple((event, self._names[target]) for event, candidates in row.items() for target, *_ in candidates)

    def way_to_offer(self, state: str, tool: str) -> tuple[str, ...] | None:
        """The labels of a shortest way from *state* to one that offers *tool*, or None.

        Looked for once for each pair: refusals ask for it, and a model decides how often.
        """
        if (state, tool) not in self._ways:
            from fsmc.runtime.paths import path_to_offer

            self._ways[state, tool] = path_to_offer(self, state, tool)
        return self._ways[state, tool]

    @property
    def sendable(self) -> frozenset[str]:
        """The events that the application may send: those that are not reserved."""
        return self._sendable

    @property
    def validators(self) -> Mapping[str, Validator]:
        """The validators of arguments and context, made once, when the first session starts. Raises ``BindingError``."""
        if self._validators is None:
            object.__setattr__(self, "_validators", validators_of(self))
        return View(self._validators or {})

    def session(
        self, context: Mapping[str, Any] | None = None, guards: Mapping[str, Guard] | None = None, **options: Any
    ) -> Session:
        """A new conversation over this table; *options* are those of ``Session``: ``hooks``, ``shadow``, ``clock``."""
        from fsmc.runtime.session import Session

        return Session(self, context, guards, **options)

    def restore(
        self,
        saved: Mapping[str, Any],
        guards: Mapping[str, Guard] | None = None,
        *,
        migrate: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Session:
        """The session of a snapshot. No guard is asked and nothing is told.

        A snapshot of another version of the policy is refused, unless *migrate* (old state name -> new one, ``{}`` when none
        changed) says that it is meant; approvals are then dropped. Raises ``SessionError``.
        """
        from fsmc.runtime.session import Session

        return Session.restored(self, saved, guards, migrate=migrate, **options)

    def step(self, state: str, event: str, facts: Facts | None = None, answers: Answers = NO_ANSWERS) -> Step:
        """What *event* does in *state*: the pure transition function.

        *facts* holds the names that guards read: ``context``, ``event`` (the payload), ``calls``, ``visits``. *answers* holds
        the outcomes of external guards by name; only an outcome that is exactly True holds. Never raises and never moves
        anything by itself: the caller applies ``target`` and ``writes``.
        """
        try:
            return self._steps[state][event]
        except Exception:  # nothing certain, or no name at all
            return self._decided_step(state, event, facts, answers)

    def _decided_step(self, state: str, event: str, facts: Facts | None, answers: Answers) -> Step:
        try:
            self._ready_row(state)
            candidates = self._candidates[self._state_index[state]].get(event)
        except (KeyError, TypeError):  # a TypeError where a name is not even hashable
            return self._unknown(state, event)
        if candidates is None:
            return self._unknown(state, event)
        known = facts if facts is not None and facts.keys() >= _ALL_FACTS and facts["state"] == state else None
        if known is None:
            known = {"context": {}, "event": {}, "calls": {}, "visits": {}, **(facts or {}), "state": state}
        refused: list[str] = []
        undecided: list[str] = []
        for target, condition, sets, default in candidates:
            if condition >= 0:
                verdict = self.condition(condition, known, answers)
                if verdict.needed is not None:
                    return Step("guard_needed", state, event, guard=verdict.needed, reason=verdict.reason)
                if not verdict.holds:
                    refused.append(verdict.reason)
                    if verdict.undecided:
                        undecided.append(verdict.reason)
                    continue
            step = self.enter(state, event, self._names[target], known, "default" if default else "transition")
            if undecided:
                step = step._replace(note="; ".join(undecided))
            return self._with_writes(step, sets, known) if sets >= 0 and step.moved else step
        return Step("guard_rejected", state, event, reason="; ".join(refused))

    def _unknown(self, state: object, event: object) -> Step:
        """Why *event* does nothing in *state*: one of the names is not known, or the state has no candidate."""
        source, name = named(state), named(event)
        if not isinstance(state, str) or state not in self._state_index:
            return Step("unknown_state", source, name, reason=f"`{source}` is not a state of this policy")
        if not isinstance(event, str) or event not in self._event_index:
            hint = did_you_mean(name, self._event_index)
            return Step("unknown_event", source, name, reason=f"`{name}` is not an event of this policy{hint}")
        return Step("no_transition", source, name, reason=f"{source} does not react to {name}")

    def _row(self, state: str) -> Row:
        """The certain answers of a state, made when it is first asked for and shared by sessions: only the runtime reads them.

        Raises ``KeyError`` for what is no state.
        """
        row = self._rows.get(state)
        if row is None:
            row = self._rows.setdefault(state, Row(self.states[state]))
        return row

    def _ready_row(self, state: str) -> Row:
        """``_row``, filled."""
        row = self._row(state)
        if not row.filled:
            row.fill(self)
            self._steps[state] = row.steps
        return row

    def _first_candidates(self, state: str) -> dict[str, tuple[str, int, int, str]]:
        """Event -> the candidate that *state* tries first: target, condition or -1, set or -1, kind of the move."""
        return {
            event: (self._names[target], condition, sets, "default" if default else "transition")
            for event, ((target, condition, sets, default), *_) in self._candidates[self._state_index[state]].items()
        }

    def request(self, state: str, target: str, facts: Facts | None = None, answers: Answers = NO_ANSWERS) -> Step:
        """What asking for state *target* by name does: allowed under ``open``, where ``transition_guard`` can veto."""
        for name in (state, target):
            if not isinstance(name, str) or name not in self._state_index:
                return Step("unknown_state", named(state), "", reason=f"`{named(name)}` is not a state of this policy")
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
                reason = f"{landing} may be entered {times(info.max_visits)}, and was"
                return Step("visits_exhausted", source, event, reason=reason)
            passed.add(elsewhere)
            landing = elsewhere

    def _with_writes(self, step: Step, sets: int, facts: Facts) -> Step:
        try:
            return step._replace(writes=MappingProxyType(self.writes(sets, facts)))
        except EvaluationError as error:
            return Step("set_failed", step.source, step.event, reason=str(error))

    def condition(self, number: int, facts: Facts, answers: Answers = NO_ANSWERS) -> Verdict:
        """Decide condition *number* on *facts*. Anything but exactly True does not hold, and says why."""
        return decide(self._conditions[number], facts, answers)

    def writes(self, number: int, facts: Facts) -> dict[str, Any]:
        """The facts that ``set`` *number* writes, all or nothing. Raises ``EvaluationError``."""
        written = {}
        for name, evaluate in self._sets[number]:
            try:
                written[name] = evaluate(facts)
            except EvaluationError as error:
                raise EvaluationError(f"set {name}: {error}") from None
        return written

    def condition_text(self, number: int) -> str:
        """Condition *number* as text: the guard's name or the expression."""
        return self._conditions[number].text
