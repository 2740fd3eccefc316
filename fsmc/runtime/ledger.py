"""Calls of one session as they are counted: in flight, in a row, since the state was entered, in all."""

from __future__ import annotations

from collections.abc import Mapping

from fsmc.runtime.annotations import Any
from fsmc.runtime.decision import Loop, Settled
from fsmc.runtime.errors import SessionError
from fsmc.runtime.infos import BudgetInfo, StateInfo, ToolInfo
from fsmc.runtime.values import thaw
from fsmc.runtime.words import times


class Episode:
    """The calls of one stay in a state that has a budget: how many, how many identical ones in a row, and whether the loop was
    told of. ``order`` holds them in order of reservation from the oldest that is in flight on, for what is "in a row" must not
    depend on the order in which results arrive.
    """

    __slots__ = ("order", "run", "run_key", "spent", "told")

    def __init__(self) -> None:
        self.spent = 0
        self.run = 0
        self.run_key = ""
        self.told = False
        self.order: list[Entry] = []

    def fold(self) -> None:
        """Settled calls at the front become part of the run."""
        settled = 0
        for entry in self.order:
            if not entry.settled:
                break
            settled += 1
            if entry.key:
                self.run = self.run + 1 if entry.key == self.run_key else 1
                self.run_key = entry.key
        if settled:
            del self.order[:settled]

    def run_of(self, key: str) -> int:
        """How many calls in a row up to now were this very call, counting those in flight."""
        run = 0
        for entry in reversed(self.order):
            if entry.key != key:
                return run
            run += 1
        return run + (self.run if self.run_key == key else 0)

    def spent_up(self, budget: BudgetInfo) -> bool:
        """Whether *budget* is spent."""
        return (budget.limit is not None and self.spent >= budget.limit) or (
            budget.repeated is not None and self.run >= budget.repeated
        )


class Entry:
    """A call in the order of its episode. ``key`` is equal for identical calls."""

    __slots__ = ("key", "settled")

    def __init__(self, key: str, settled: bool = False) -> None:
        self.key = key
        self.settled = settled


class InFlight:
    """A call between its check and its result. ``key`` is equal for identical calls, and made only where a budget or an approval
    compares them. ``episode`` and ``entry`` are where it counts against a budget. ``certain`` is what its success comes to,
    where that depends on nothing.
    """

    __slots__ = ("arguments", "certain", "entry", "episode", "key", "tool")

    def __init__(
        self,
        tool: ToolInfo,
        key: str,
        arguments: dict[str, Any],
        episode: Episode | None = None,
        entry: Entry | None = None,
        certain: Settled | None = None,
    ) -> None:
        self.tool = tool
        self.key = key
        self.arguments = arguments
        self.episode = episode
        self.entry = entry
        self.certain = certain


Limit = tuple[str, str, str]
"""A limit that a call would overstep: the code and reason of the refusal, and what would unlock it."""


class Ledger:
    """Counts calls; a call in flight counts against every limit, so that parallel calls cannot overspend.

    An *episode* lasts from entering a state with a budget to entering another state. Calls of earlier episodes may still be in
    flight, but count against the budget of none.
    """

    __slots__ = ("changes", "episode", "in_flight", "refusals", "successes")

    def __init__(self) -> None:
        self.in_flight: dict[str, InFlight] = {}
        self.successes: dict[str, int] = {}
        self.refusals = 0
        self.changes = 0
        # None until the first call in the state, and where the state has no budget.
        self.episode: Episode | None = None

    def begin_again(self) -> None:
        """A fresh budget in the same state."""
        self.changes += 1
        self.episode = None

    def put(self, call_id: str, tool: ToolInfo, key: str, arguments: dict[str, Any], state: StateInfo) -> None:
        """A call was allowed."""
        self.changes += 1
        if state.budget is None:
            self.in_flight[call_id] = InFlight(tool, key, arguments)
            return
        if self.episode is None:
            self.episode = Episode()
        entry = Entry(key)
        self.episode.order.append(entry)
        self.episode.spent += 1
        self.in_flight[call_id] = InFlight(tool, key, arguments, self.episode, entry)

    def give_back(self, call: InFlight) -> None:
        """A call taken out of flight was not made."""
        self.changes += 1
        if (episode := self._episode_of(call)) is not None:
            episode.spent -= 1
            episode.order = [entry for entry in episode.order if entry is not call.entry]
            episode.fold()

    def settle(self, call: InFlight, failed: bool) -> None:
        """A call taken out of flight has its result."""
        if (episode := self._episode_of(call)) is not None and call.entry is not None:
            call.entry.settled = True
            episode.fold()
        if not failed:
            self.successes[call.tool.name] = self.successes.get(call.tool.name, 0) + 1
        # Last: whoever reads counts after these changes must find them to be of one time (see ``fsmc.runtime.quick``).
        self.changes += 1

    def _episode_of(self, call: InFlight) -> Episode | None:
        """The episode that *call* counts in, where it is the current one."""
        return call.episode if call.episode is self.episode else None

    def counted(self, call: InFlight) -> tuple[Any, ...]:
        """What ``settle`` is about to change, for ``uncount``."""
        episode = self._episode_of(call)
        run = None if episode is None else (episode.run, episode.run_key, list(episode.order))
        return self.successes.get(call.tool.name, 0), self.changes, run

    def uncount(self, call: InFlight, call_id: str, before: tuple[Any, ...]) -> None:
        """The call could not be settled: it is in flight again, and counts are what they were."""
        self.successes[call.tool.name], self.changes, run = before
        self.in_flight[call_id] = call
        if run is not None and (episode := self._episode_of(call)) is not None and call.entry is not None:
            episode.run, episode.run_key, episode.order = run
            call.entry.settled = False

    def overstepped(self, tool: ToolInfo, key: str | None, state: StateInfo) -> Limit | None:
        """The first limit that one more call of *tool* would overstep, or None. Without *key*: whatever its arguments."""
        name = tool.name
        if tool.max_calls is not None:
            flying = sum(call.tool is tool for call in self.in_flight.values())
            if self.successes.get(name, 0) + flying >= tool.max_calls:
                made = "is in flight already" if flying else "was"
                return "max_calls", f"`{name}` may be called {times(tool.max_calls)} in a session, and {made}", ""
        if state.parallel_calls is not None and len(self.in_flight) >= state.parallel_calls:
            one = state.parallel_calls == 1
            text = "another call is in flight" if one else f"{state.parallel_calls} calls are in flight"
            return "parallel_calls", text, "wait for a result"
        budget, episode = state.budget, self.episode
        if budget is None or episode is None:
            return None
        if budget.limit is not None and episode.spent >= budget.limit:
            text = f"{state.name} allows {budget.limit} calls, and they are spent"
            return "budget_exhausted", text, "leave the state"
        if budget.repeated is not None and key is not None and episode.run_of(key) >= budget.repeated:
            text = f"`{name}` was called {times(budget.repeated)} in a row with the same arguments"
            return "repeated_call", text, "call another tool, or with other arguments"
        return None

    def loop(self, call: InFlight, state: StateInfo) -> tuple[Loop | None, bool]:
        """After *call* was settled: the loop to tell of (once an episode), and whether the budget is spent."""
        budget, episode = state.budget, self._episode_of(call)
        if budget is None or episode is None:
            return None, False
        waiting = any(other.episode is episode for other in self.in_flight.values())
        if budget.limit is not None and episode.spent >= budget.limit and not waiting:
            found = Loop(state.name, "limit", call.tool.name, episode.spent, budget.limit)
        elif budget.repeated is not None and episode.run >= budget.repeated:
            found = Loop(state.name, "repeated", call.tool.name, episode.run, budget.repeated)
        else:
            return None, False
        told, episode.told = episode.told, True
        return (None if told else found), True

    def spent_up(self, state: StateInfo) -> bool:
        """Whether the budget of *state* is spent."""
        return state.budget is not None and self.episode is not None and self.episode.spent_up(state.budget)

    def to_data(self) -> dict[str, Any]:
        """All counts as JSON data."""
        episode = self.episode
        places = {} if episode is None else {id(entry): place for place, entry in enumerate(episode.order)}
        return {
            "successes": dict(sorted(self.successes.items())),
            "refusals": self.refusals,
            "changes": self.changes,
            "budget": episode
            and {
                "spent": episode.spent,
                "run": episode.run,
                "run_key": episode.run_key,
                "told": episode.told,
                "order": [{"key": entry.key, "settled": entry.settled} for entry in episode.order],
            },
            "in_flight": [
                {
                    "id": call_id,
                    "tool": call.tool.name,
                    "key": call.key,
                    "arguments": thaw(call.arguments),
                    "place": places.get(id(call.entry)),
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
        order: list[Entry] = []
        if (counts := data["budget"]) is not None:
            self.episode = episode = Episode()
            episode.spent, episode.run, episode.run_key = counts["spent"], counts["run"], counts["run_key"]
            episode.told = counts["told"]
            episode.order = order = [Entry(**entry) for entry in counts["order"]]
        for call in data["in_flight"]:
            tool = tools.get(call["tool"])
            if tool is None and undeclared:
                tool = undeclared_tool(call["tool"])
            if tool is None:
                raise SessionError(
                    f"call {call['id']!r} of `{call['tool']}` is in flight, which is not a tool of this policy"
                )
            place = call["place"]
            if place is not None and place >= len(order):
                raise SessionError(
                    f"the snapshot is damaged: call {call['id']!r} has no place among the calls of its budget"
                )
            where = (None, None) if place is None else (self.episode, order[place])
            self.in_flight[call["id"]] = InFlight(tool, call["key"], call["arguments"], *where)


def undeclared_tool(name: str) -> ToolInfo:
    """A tool that the policy does not know, let through in shadow mode."""
    return ToolInfo(name, "write", "", None, None, None, (), None, None, None, None, ())
