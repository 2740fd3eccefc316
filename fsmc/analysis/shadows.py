"""Candidates that can never be taken: one before them, on the same event, always is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsmc.policy.model import Condition, Policy, Transition
from fsmc.runtime.annotations import NamedTuple


class Shadow(NamedTuple):
    """A transition that is never taken and the one that is taken instead, which has no guard or the same."""

    transition: Transition
    winner: Transition
    same_guard: bool


def meaning(policy: Policy, condition: Condition) -> list[Any] | None:
    """What a condition asks, so that equal answers mean the same: its tree, that of its guard, or the guard's name.

    None where it is not well formed.
    """
    if condition.guard is None:
        return condition.tree
    guard = policy.guards.get(condition.guard)
    if guard is None:
        return None
    return ["guard", guard.name] if guard.external else guard.tree


class Shadows:
    """Finds them; what a guard asks is worked out once, however often it is written."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._known: dict[str, str | None] = {}

    def among(self, candidates: Sequence[Transition]) -> Iterator[Shadow]:
        """Those among *candidates*, in the order in which they are tried. A guard with a mistake shadows nothing."""
        if len(candidates) < 2 or len({candidate.event for candidate in candidates}) == len(candidates):
            return
        winners: dict[tuple[str, str], Transition] = {}
        for candidate in candidates:
            asked = self._asked(candidate.guard)
            always = (candidate.event, "")
            same = None if asked is None else winners.get((candidate.event, asked))
            winner = winners.get(always, same)
            if winner is not None:
                yield Shadow(candidate, winner, always not in winners)
            elif asked is not None:
                winners[candidate.event, asked] = candidate

    def _asked(self, guard: Condition | None) -> str | None:
        """The meaning of a guard as text, empty where it always holds."""
        if guard is None:
            return ""
        if guard.guard is None and guard.tree is None:
            return None
        if guard.text not in self._known:
            tree = meaning(self._policy, guard)
            self._known[guard.text] = None if tree is None else "" if tree == ["bool", True] else repr(tree)
        return self._known[guard.text]
