"""Facts and moves of a session: what conditions read, what events do, what a move changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmc.runtime.annotations import Any, TypeVar
from fsmc.runtime.binding import CONTEXT
from fsmc.runtime.conditions import Verdict
from fsmc.runtime.hooks import Hooks
from fsmc.runtime.infos import Step
from fsmc.runtime.ledger import Ledger
from fsmc.runtime.table import Table
from fsmc.runtime.values import Counts, NotJson, freeze, named, private_copy
from fsmc.runtime.words import did_you_mean

# A `set` can double what it reads, and a model decides how often that happens: an upper bound keeps it harmless.
MAX_CONTEXT = 1_000_000


class NeedsAwait(Exception):
    """An asynchronous guard was met in a call that cannot await it."""


class Pending(Exception):
    """The outcome of *guard* on *facts* has to be awaited."""

    def __init__(self, guard: str, facts: Mapping[str, Any]) -> None:
        super().__init__(guard)
        self.guard = guard
        self.facts = facts


T = TypeVar("T")
Ask = Callable[[str, Mapping[str, Any]], object]
"""Gives the outcome of a guard on facts; what the guard raised is an outcome too."""


class Machine:
    """State, context and counters of one conversation, without its calls."""

    def __init__(
        self, table: Table, ask: Ask, hooks: Hooks, shadow: bool | frozenset[str], clock: Callable[[], float]
    ) -> None:
        self.table = table
        self.ask = self._plain_ask = ask
        self.hooks = hooks
        self.shadow = shadow
        self.clock = clock
        self.state = table.initial
        self.revision = 0
        self.context: dict[str, Any] = {}
        self.visits: dict[str, int] = {table.initial: 1}
        self.ledger = Ledger()
        self.approvals: dict[tuple[str, str], tuple[int, float]] = {}
        self.shadowed: dict[str, int] = {}
        self.next_id = 1
        self.sure_moves = table._sure_moves(table.initial)
        self._validators = table.validators
        self._counted_calls = Counts(table.tools, self.ledger.successes)
        self._counted_visits = Counts(table.states, self.visits)

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
            "calls": self._counted_calls,
            "visits": self._counted_visits,
            "state": self.state,
            **more,
        }

    def holds(self, condition: int, facts: dict[str, Any]) -> Verdict:
        """Decide a condition of the table."""
        verdict = self.table.condition(condition, facts)
        if verdict.needed is None:
            return verdict
        answer = self.ask(verdict.needed, facts)
        return self.table.condition(condition, facts, {verdict.needed: answer})

    def offered(self) -> tuple[str, ...]:
        """The tools of the state whose ``when`` holds, in declared order."""
        names = []
        for name in self.table.states[self.state].tools:
            when = self.table.tools[name].when
            try:
                if when is None or self.holds(when, self.facts()).holds:
                    names.append(name)
            except NeedsAwait:
                continue  # what cannot be decided here is not offered
        return tuple(names)

    # Moving

    def send(self, event: str, payload: Any) -> Step:
        """Raise an event of the application."""
        if not isinstance(event, str):
            return self.table.step(self.state, event)
        info = self.table.events.get(event)
        if info is not None and info.reserved:
            reason = f"{event} is raised by tools only; declare `source: any` under `events` to send it"
            return Step("reserved", self.state, event, reason=reason)
        try:
            body = private_copy({} if payload is None else payload)[0]
        except NotJson as error:
            return Step("invalid_payload", self.state, event, reason=str(error))
        try:
            return self.occur(event, body, {})
        except NeedsAwait as needs:
            return Step("needs_async", self.state, event, reason=str(needs))

    def would(self, event: str, payload: Any) -> Step:
        """What an event would do, whoever raises it."""
        return self.occur(event, payload or {}, {}, apply=False)

    def occur(self, event: str, payload: Any, writes: Mapping[str, Any], apply: bool = True) -> Step:
        """What an event does, and unless *apply* is false, does it."""
        facts = self.facts(event=payload)
        return self._resolve(
            lambda answers: self.table.step(facts["state"], event, facts, answers), facts, writes, apply
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
    ) -> Step:
        began = self.revision
        answers: dict[str, object] = {}
        step = decide(answers)
        while step.guard is not None:
            answer = self.ask(step.guard, facts)
            if self.revision != began:
                return stale(step.source, step.event, began, self.revision)
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
        return self._told(self.hooks.moved, step, self.table.states[self.state].terminal)

    def _told(self, hook: Callable[..., T], *what: Any) -> T:
        """Call a hook. What it asks of this session is a plain call, also while guards are awaited."""
        before, self.ask = self.ask, self._plain_ask
        try:
            return hook(*what)
        finally:
            self.ask = before

    def enter(self, target: str) -> None:
        """The state changes, or is entered again."""
        visits = self.visits
        visits[target] = visits.get(target, 0) + 1
        self.revision += 1
        if target != self.state:
            self.state = target
            self.sure_moves = self.table._sure_moves(target)
            self.ledger.begin_episode()

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
            merged, text = private_copy({**self.context, **changes})
        except NotJson as error:
            return f"the context is {error}"
        if len(text) > MAX_CONTEXT:
            return f"the context would grow beyond {MAX_CONTEXT:,} characters of JSON"
        validator = self._validators.get(CONTEXT)
        if validator is not None and (problem := validator.error(merged)) is not None:
            return problem
        self.context = merged
        self.revision += 1
        return None


def stale(source: str, event: str, began: int, now: int) -> Step:
    """The answer to a transition whose guard was pending while the session went from revision *began* to *now*."""
    reason = f"the session changed while a guard was pending: revision {began}, now {now}"
    return Step("stale", source, event, reason=reason)
