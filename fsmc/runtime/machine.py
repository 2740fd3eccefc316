"""Facts and moves of a session: what conditions read, what events do, what a move changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import CoroutineType

from fsmc.runtime import log
from fsmc.runtime.annotations import Any, TypeVar
from fsmc.runtime.binding import CONTEXT, Guard
from fsmc.runtime.canonical import canonical_json
from fsmc.runtime.conditions import NO_ANSWERS, Verdict
from fsmc.runtime.hooks import Hooks
from fsmc.runtime.infos import Step
from fsmc.runtime.ledger import Ledger
from fsmc.runtime.table import Table
from fsmc.runtime.values import Counts, NotJson, View, Visits, freeze, named, private_copy
from fsmc.runtime.words import did_you_mean

# A `set` can double what it reads, and a model decides how often that happens: an upper bound keeps it harmless.
MAX_CONTEXT = 1_000_000


class NeedsAwait(Exception):
    """An asynchronous guard was met in a call that cannot await it."""


def needs_await(guard: str) -> NeedsAwait:
    """What to raise when *guard* is asynchronous and the call is not."""
    return NeedsAwait(f"guard `{guard}` is asynchronous: use the methods that begin with `a`")


def plain_answer(guard: str, answer: object) -> object:
    """*answer*, which is no promise of one; what is neither True nor False is logged. Raises ``NeedsAwait``."""
    if hasattr(type(answer), "__await__"):
        if isinstance(answer, CoroutineType):
            answer.close()  # a coroutine that nobody awaits would warn later, far from here
        raise needs_await(guard)
    if answer is not True and answer is not False:
        log.guard(guard, answer)
    return answer


class Pending(Exception):
    """The outcome of *guard* on *facts* has to be awaited."""

    def __init__(self, guard: str, facts: Mapping[str, Any]) -> None:
        super().__init__(guard)
        self.guard = guard
        self.facts = facts


Heard = tuple[str, object, int]
"""What a guard, by name, has answered while the session had so many ``effects``."""


class Facts(View[Any]):
    """What an external guard reads of its session, without a copy a time: read-only, and the state is that of now."""

    __slots__ = ("_machine",)

    def __init__(self, machine: Machine) -> None:
        super().__init__({**freeze(machine.known), "event": freeze({})})
        self._machine = machine

    def __getitem__(self, name: str) -> Any:
        return self._machine.state if name == "state" else self._items[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._items
        yield "state"

    def __len__(self) -> int:
        return len(self._items) + 1

    def __contains__(self, name: object) -> bool:
        return name == "state" or name in self._items


NOTHING: dict[Any, Any] = {}
_NO_NAMES: frozenset[str] = frozenset()
T = TypeVar("T")
Ask = Callable[[str, Mapping[str, Any]], object]
"""Gives the outcome of a guard on facts; what the guard raised is an outcome too."""


class Machine:
    """State, context and counters of one conversation, without its calls."""

    __slots__ = (
        "_plain_ask", "_validators", "approvals", "ask", "asynchronous", "clock", "context", "counted_calls", "counted_visits", "guards", "hooks", "known",
        "ledger", "next_id", "quiet", "revision", "row", "seen", "shadow", "shadowed", "table", "turn", "visits",
    )  # fmt: skip

    def __init__(
        self, table: Table, ask: Ask, hooks: Hooks, shadow: bool | frozenset[str], clock: Callable[[], float]
    ) -> None:
        self.table = table
        self.ask = self._plain_ask = ask
        self.hooks = hooks
        self.shadow = shadow
        self.clock = clock
        self._validators = table.validators
        self.row = table._ready_row(table.initial)
        self.revision = 0
        self.context: dict[str, Any] = {}
        # By number of the state; None where nothing of the policy depends on them.
        self.visits: list[int] | None = [0] * len(table.states) if table._counts_visits else None
        self._visit(table.initial)
        self.ledger = Ledger()
        # Replaced, never changed in place: most sessions share the empty one.
        self.approvals: dict[tuple[str, str], tuple[int, float]] = NOTHING
        self.shadowed: dict[str, int] = NOTHING
        self.next_id = 1
        self.counted_calls = Counts(table.tools, self.ledger.successes)
        self.counted_visits = Visits(table._state_index, self.visits)
        # What quick answers read (see ``fsmc.runtime.quick``): facts for expressions; guards that are plain functions, and their facts.
        self.known: dict[str, Any] = NOTHING
        if table._conditions:
            self.known = {"context": self.context, "calls": self.counted_calls, "visits": self.counted_visits}
        self.guards: Mapping[str, Guard] = NOTHING
        self.asynchronous: frozenset[str] = _NO_NAMES
        self.seen: Mapping[str, Any] = self.known
        self.quiet = False
        # There while nobody works on the session; who takes it away has the session to itself (see ``Driver``).
        self.turn = True

    def answer_quickly(self, guards: Mapping[str, Guard]) -> None:
        """Nobody watches, and *guards* are plain functions: certain answers need no engine."""
        self.quiet = True
        self.guards = guards
        if guards:
            self.seen = Facts(self)

    @property
    def state(self) -> str:
        """The current state."""
        return self.row.state.name

    @property
    def version(self) -> int:
        """Counts changes of any kind."""
        return self.effects + self.ledger.refusals

    @property
    def effects(self) -> int:
        """Counts the changes that a guard or a later decision can notice."""
        return self.revision + self.ledger.changes

    # Facts and conditions

    def facts(self, **more: Any) -> dict[str, Any]:
        """What conditions read."""
        return {
            "context": self.context,
            "calls": self.counted_calls,
            "visits": self.counted_visits,
            "state": self.row.state.name,
            **more,
        }

    def count_shadowed(self, what: str) -> None:
        """Shadow mode let something through."""
        self.shadowed = {**self.shadowed, what: self.shadowed.get(what, 0) + 1}

    def holds(self, condition: int, facts: dict[str, Any]) -> Verdict:
        """Decide a condition of the table."""
        verdict = self.table.condition(condition, facts)
        if verdict.needed is None:
            return verdict
        answer = self.ask(verdict.needed, facts)
        return self.table.condition(condition, facts, {verdict.needed: answer})

    def offered(self, certain: bool = False) -> tuple[str, ...]:
        """The tools of the state whose ``when`` holds, in declared order; without those that would have to be awaited.

        Where they must be *certain*, raises ``NeedsAwait`` for such a tool.
        """
        names = []
        if self.row.constant:
            return self.row.state.tools
        for name in self.row.state.tools:
            when = self.table.tools[name].when
            try:
                if when is None or self.holds(when, self.facts()).holds:
                    names.append(name)
            except NeedsAwait:
                if certain:
                    raise
        return tuple(names)

    # Moving

    def send(self, event: str, payload: Any, heard: Heard | None = None) -> Step:
        """Raise an event of the application; *heard* is what a guard has already answered."""
        if not isinstance(event, str):
            return self.table.step(self.state, event)
        event = str.__str__(event)  # a text that looks like two names is one
        info = self.table.events.get(event)
        if info is not None and info.reserved:
            reason = f"{event} is raised by tools only; declare `source: any` under `events` to send it"
            return Step("reserved", self.state, event, reason=reason)
        try:
            body = private_copy({} if payload is None else payload)
        except NotJson as error:
            return Step("invalid_payload", self.state, event, reason=str(error))
        try:
            return self.occur(event, body, {}, heard=heard)
        except NeedsAwait as needs:
            return Step("needs_async", self.state, event, reason=str(needs))

    def would(self, event: str, payload: Any) -> Step:
        """What an event would do, whoever raises it."""
        return self.occur(event, payload or {}, {}, apply=False)

    def occur(
        self, event: str, payload: Any, writes: Mapping[str, Any], apply: bool = True, heard: Heard | None = None
    ) -> Step:
        """What an event does, and unless *apply* is false, does it."""
        step = self._occur(event, payload, writes, apply, heard)
        if step.code == "stale" and step.guard is not None:
            # A guard that was called plainly has moved the session, or another thread while it ran: decided once more, from there.
            step = self._occur(event, payload, writes, apply, None)
        return step

    def _occur(self, event: str, payload: Any, writes: Mapping[str, Any], apply: bool, heard: Heard | None) -> Step:
        facts = self.facts(event=payload)
        answers: dict[str, object] = {}
        if heard is not None:
            guard, answer, effects = heard
            answer = plain_answer(guard, answer)
            if effects == self.effects:  # else it is about another session than this one
                answers[guard] = answer
        return self._resolve(
            lambda answers: self.table.step(facts["state"], event, facts, answers), facts, writes, apply, answers
        )

    def request(self, target: str) -> Step:
        """Go to a state by name, under ``topology: open``."""
        facts = self.facts(target=target)
        try:
            return self._resolve(lambda answers: self.table.request(facts["state"], target, facts, answers), facts, {})
        except NeedsAwait as needs:
            return Step("needs_async", self.state, "", reason=str(needs))

    def _resolve(
        self,
        decide: Callable[[Mapping[str, object]], Step],
        facts: Mapping[str, Any],
        writes: Mapping[str, Any],
        apply: bool = True,
        heard: Mapping[str, object] = NO_ANSWERS,
    ) -> Step:
        began = self.revision
        answers = dict(heard)
        step = decide(answers)
        while step.guard is not None:
            answer = self.ask(step.guard, facts)
            if self.revision != began:
                return stale(step.source, step.event, began, self.revision, step.guard)
            answers[step.guard] = answer
            step = decide(answers)
        return self._apply(step, writes) if apply else step

    def _apply(self, step: Step, writes: Mapping[str, Any], may_veto: bool = True) -> Step:
        """Carry out a move with everything it writes, or nothing of it."""
        if not step.moved or step.target is None:
            return step
        began = self.revision
        if may_veto and (veto := self._told(self.hooks.veto, step)) is not None:
            return Step("vetoed", step.source, step.event, reason=veto)
        if self.revision != began:
            return Step(
                "stale", step.source, step.event, reason="the hook before the transition moved the session itself"
            )
        together = {**writes, **step.writes}
        if together and (problem := self.write(together)) is not None:
            return Step("set_failed", step.source, step.event, reason=problem)
        self.enter(step.target)
        if together:
            step = step._replace(writes=freeze(together))
        return self._told(self.hooks.moved, step, self.row.state.terminal)

    def _told(self, hook: Callable[..., T], *what: Any) -> T:
        """Call a hook. What it asks of this session is a plain call, also while guards are awaited."""
        before, self.ask = self.ask, self._plain_ask
        try:
            return hook(*what)
        finally:
            self.ask = before

    def enter(self, target: str) -> None:
        """The state changes, or is entered again."""
        self._visit(target)
        if target != self.state:
            self.row = self.table._ready_row(target)
            self.ledger.episode = None
        # Last: whoever reads a row after a revision must find them to be of one time (see ``Session.send``).
        self.revision += 1

    def _visit(self, target: str) -> None:
        if self.visits is not None:
            self.visits[self.table._state_index[target]] += 1

    def write(self, changes: Mapping[str, Any]) -> str | None:
        """Write facts, all or nothing; the problem in words when they do not match the schema of the context."""
        if not isinstance(changes, Mapping):
            return f"facts are a mapping, not {type(changes).__name__}"
        fields = self.table.context_fields
        if fields is not None:
            for name in changes:
                if name not in fields:
                    return f"`{named(name)}` is not a field of the context{did_you_mean(named(name), fields)}"
        try:
            merged = {**self.context, **private_copy(changes)}
            text = canonical_json(merged)
        except NotJson as error:
            return f"the context is {error}"
        if len(text) > MAX_CONTEXT:
            return f"the context would grow beyond {MAX_CONTEXT:,} characters of JSON"
        validator = self._validators.get(CONTEXT)
        if validator is not None and (problem := validator.error(merged)) is not None:
            return problem
        self.context = merged
        if self.known:
            self.known["context"] = merged
        if self.guards:
            self.seen = Facts(self)
        self.revision += 1
        return None


def stale(source: str, event: str, began: int, now: int, guard: str | None = None) -> Step:
    """The answer to a transition whose guard was pending while the session went from revision *began* to *now*."""
    reason = f"the session changed while a guard was pending: revision {began}, now {now}"
    return Step("stale", source, event, reason=reason, guard=guard)
