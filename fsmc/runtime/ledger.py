"""Calls of one session as they are counted: in flight, in a row, since the state was entered, in all."""

from __future__ import annotations

from collections.abc import Mapping

from fsmc.runtime.annotations import Any, NamedTuple
from fsmc.runtime.decision import Loop
from fsmc.runtime.errors import SessionError
from fsmc.runtime.infos import StateInfo, ToolInfo
from fsmc.runtime.values import thaw
from fsmc.runtime.words import times


class InFlight(NamedTuple):
    """A call between its check and its result. ``key`` is equal for identical calls, ``number`` counts reservations."""

    tool: ToolInfo
    key: str
    arguments: dict[str, Any]
    episode: int
    number: int


class Limit(NamedTuple):
    """A limit that a call would overstep: the code and reason of the refusal, and what would unlock it."""

    code: str
    reason: str
    unlock: str = ""


class Ledger:
    """Counts calls; a call in flight counts against every limit, so that parallel calls cannot overspend.

    An *episode* lasts from entering a state to entering another one. Calls of earlier episodes may still be in flight, but
    count against the budget of none.
    """

    __slots__ = (
        "in_flight",
        "successes",
        "refusals",
        "changes",
        "_episode",
        "_spent",
        "_run",
        "_run_key",
        "_order",
        "_number",
        "_told",
    )

    def __init__(self) -> None:
        self.in_flight: dict[str, InFlight] = {}
        self.successes: dict[str, int] = {}
        self.refusals = 0
        self.changes = 0
        self._episode = 0
        self._spent = 0
        self._run = 0
        self._run_key = ""
        self._told = False
        # Calls of the episode in order of reservation, [number, key, whether settled], from the oldest that is in flight on:
        # what is "in a row" must not depend on the order in which results arrive.
        self._order: list[list[Any]] = []
        self._number = 0

    def begin_episode(self) -> None:
        """Another state was entered: a fresh budget."""
        self._episode += 1
        if self._spent or self._run or self._told:
            self._spent = self._run = 0
            self._run_key = ""
            self._told = False
            self._order.clear()

    def refuse(self) -> None:
        """A call was refused."""
        self.refusals += 1

    def put(self, call_id: str, tool: ToolInfo, key: str, arguments: dict[str, Any]) -> None:
        """A call was allowed."""
        self._number += 1
        self.changes += 1
        self.in_flight[call_id] = InFlight(tool, key, arguments, self._episode, self._number)
        self._order.append([self._number, key, False])
        self._spent += 1

    def give_back(self, call: InFlight) -> None:
        """A call taken out of flight was not made."""
        self.changes += 1
        if call.episode == self._episode:
            self._spent -= 1
            self._order = [entry for entry in self._order if entry[0] != call.number]
            self._fold()

    def settle(self, call: InFlight, failed: bool) -> None:
        """A call taken out of flight has its result."""
        self.changes += 1
        if call.episode == self._episode:
            for entry in self._order:
                if entry[0] == call.number:
                    entry[2] = True
            self._fold()
        if not failed:
            self.successes[call.tool.name] = self.successes.get(call.tool.name, 0) + 1

    def _fold(self) -> None:
        """Settled calls at the front become part of the run."""
        settled = 0
        for _, key, done in self._order:
            if not done:
                break
            settled += 1
            self._run = self._run + 1 if key == self._run_key else 1
            self._run_key = key
        if settled:
            del self._order[:settled]

    def counted(self, call: InFlight) -> tuple[Any, ...]:
        """What ``settle`` is about to change, for ``uncount``."""
        order = [list(entry) for entry in self._order]
        return self._episode, self._run, self._run_key, self.successes.get(call.tool.name, 0), order, self.changes

    def uncount(self, call: InFlight, call_id: str, before: tuple[Any, ...]) -> None:
        """The call could not be settled: it is in flight again, and counts are what they were."""
        self.successes[call.tool.name] = before[3]
        self.in_flight[call_id] = call
        self.changes = before[5]
        if before[0] == self._episode:
            _, self._run, self._run_key, _, self._order, _ = before

    def overstepped(self, tool: ToolInfo, key: str | None, state: StateInfo) -> Limit | None:
        """The first limit that one more call of *tool* would overstep, or None. Without *key*: whatever its arguments."""
        name = tool.name
        if tool.max_calls is not None:
            flying = sum(call.tool is tool for call in self.in_flight.values())
            if self.successes.get(name, 0) + flying >= tool.max_calls:
                made = "is in flight already" if flying else "was"
                return Limit("max_calls", f"`{name}` may be called {times(tool.max_calls)} in a session, and {made}")
        if state.parallel_calls is not None and len(self.in_flight) >= state.parallel_calls:
            one = state.parallel_calls == 1
            text = "another call is in flight" if one else f"{state.parallel_calls} calls are in flight"
            return Limit("parallel_calls", text, "wait for a result")
        budget = state.budget
        if budget is None:
            return None
        if budget.limit is not None and self._spent >= budget.limit:
            return Limit(
                "budget_exhausted", f"{state.name} allows {budget.limit} calls, and they are spent", "leave the state"
            )
        if budget.repeated is not None and key is not None and self._run_of(key) >= budget.repeated:
            text = f"`{name}` was called {times(budget.repeated)} in a row with the same arguments"
            return Limit("repeated_call", text, "call another tool, or with other arguments")
        return None

    def loop(self, call: InFlight, state: StateInfo) -> tuple[Loop | None, bool]:
        """After *call* was settled: the loop to tell of (once an episode), and whether the budget is spent."""
        budget = state.budget
        if budget is None or call.episode != self._episode:
            return None, False
        waiting = any(other.episode == self._episode for other in self.in_flight.values())
        if budget.limit is not None and self._spent >= budget.limit and not waiting:
            found = Loop(state.name, "limit", call.tool.name, self._spent, budget.limit)
        elif budget.repeated is not None and self._run >= budget.repeated:
            found = Loop(state.name, "repeated", call.tool.name, self._run, budget.repeated)
        else:
            return None, False
        told, self._told = self._told, True
        return (None if told else found), True

    def spent_up(self, state: StateInfo) -> bool:
        """Whether the budget of *state* is spent."""
        budget = state.budget
        if budget is None:
            return False
        return (budget.limit is not None and self._spent >= budget.limit) or (
            budget.repeated is not None and self._run >= budget.repeated
        )

    def to_data(self) -> dict[str, Any]:
        """All counts as JSON data."""
        return {
            "successes": dict(sorted(self.successes.items())),
            "refusals": self.refusals,
            "changes": self.changes,
            "episode": self._episode,
            "spent": self._spent,
            "run": self._run,
            "run_key": self._run_key,
            "told": self._told,
            "order": [list(entry) for entry in self._order],
            "number": self._number,
            "in_flight": [
                {
                    "id": call_id,
                    "tool": call.tool.name,
                    "key": call.key,
                    "arguments": thaw(call.arguments),
                    "episode": call.episode,
                    "number": call.number,
                }
                for call_id, call in self.in_flight.items()
            ],
        }

    def from_data(self, data: dict[str, Any], tools: Mapping[str, ToolInfo], undeclared: bool) -> None:
        """Take over what ``to_data`` gave. Raises ``SessionError`` for a call in flight of a tool that is not there.

        In shadow mode calls of *undeclared* tools may be in flight.
        """
        self.successes.update({name: count for name, count in data["successes"].items() if name in tools})
        self.refusals, self.changes = data["refusals"], data["changes"]
        self._episode, self._spent = data["episode"], data["spent"]
        self._run, self._run_key, self._told = data["run"], data["run_key"], data["told"]
        self._order, self._number = data["order"], data["number"]
        for call in data["in_flight"]:
            tool = tools.get(call["tool"])
            if tool is None and undeclared:
                tool = undeclared_tool(call["tool"])
            if tool is None:
                raise SessionError(
                    f"call {call['id']!r} of `{call['tool']}` is in flight, which is not a tool of this policy"
                )
            self.in_flight[call["id"]] = InFlight(tool, call["key"], call["arguments"], call["episode"], call["number"])

    def _run_of(self, key: str) -> int:
        """How many calls in a row up to now were this very call, counting those in flight."""
        run = 0
        for _, other, _ in reversed(self._order):
            if other != key:
                return run
            run += 1
        return run + (self._run if self._run_key == key else 0)


def undeclared_tool(name: str) -> ToolInfo:
    """A tool that the policy does not know, let through in shadow mode."""
    return ToolInfo(name, "write", "", None, None, None, (), None, None, None, None, ())
