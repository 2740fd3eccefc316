"""How a session runs its engine: one operation at a time under a lock, guards called plainly or awaited."""

from __future__ import annotations

from _thread import RLock  # threading takes long to import
from collections.abc import Callable, Mapping
from types import CoroutineType

from fsmc.runtime.annotations import Any, TypeVar
from fsmc.runtime.binding import Guard
from fsmc.runtime.core import Core
from fsmc.runtime.decision import Decision
from fsmc.runtime.machine import NeedsAwait, Pending
from fsmc.runtime.values import described, freeze, is_async_function

T = TypeVar("T")

# How deep guards may ask the session that asks them.
_NESTED = 3
# How many guards one operation may await, those that it asks again because the session changed meanwhile included.
_AWAITED = 200


class Driver:
    """The engine, its guards and its lock. The lock is re-entrant: a guard or a hook may look at its session, even move it."""

    __slots__ = ("_asking", "_guards", "core", "lock")

    def __init__(self, guards: Mapping[str, Guard]) -> None:
        self.core: Core
        self.lock = RLock()
        self._guards = guards
        self._asking = 0

    def run(self, operation: Callable[..., T], *arguments: Any) -> T:
        """Run an operation of the engine, guards called plainly."""
        with self.lock:
            return operation(*arguments)

    def decide(self, operation: Callable[..., Decision], *arguments: Any) -> Decision:
        """``run``, but a decision never raises: what goes wrong in it refuses, and is logged."""
        try:
            return self.run(operation, *arguments)
        except Exception as error:
            return self._failed(error)

    async def adecide(self, operation: Callable[..., Decision], *arguments: Any) -> Decision:
        """``decide`` where guards are awaited."""
        try:
            decided = await self.await_guards(operation, *arguments)
            assert decided is not None
            return decided
        except Exception as error:
            return self._failed(error)

    def _failed(self, error: Exception) -> Decision:
        import logging  # only what should not happen pays for the import

        logging.getLogger("fsmc").error("a decision failed", exc_info=True)
        reason = f"the call could not be decided: {described(error)}"
        return Decision("deny", "internal_error", reason, "", self.core.state)

    async def await_guards(self, operation: Callable[..., T], *arguments: Any, moves: bool = False) -> T | None:
        """Run an operation until it needs no answer that it does not have; the lock is given up while a guard is awaited.

        Where the session changed meanwhile, the answers are of another session: the operation starts again, or, where it
        *moves* and the session moved, ends with None.
        """
        core = self.core
        answers: list[tuple[str, object]] = []
        began = revision = -1
        for _ in range(_AWAITED):
            with self.lock:
                if began < 0:
                    revision = core.revision
                elif core.effects != began:
                    if moves and core.revision != revision:
                        return None
                    answers = []
                began = core.effects
                core.ask = _replay(answers)
                try:
                    return operation(*arguments)
                except Pending as pending:
                    asked = pending
                finally:
                    core.ask = self.answer
            answers.append((asked.guard, await self._awaited(asked)))
        raise RuntimeError("the session never stands still while its guards are awaited")

    def answer(self, guard: str, facts: Mapping[str, Any]) -> object:
        """The answer of a guard in a plain call; what it raises is an answer too, and grants nothing."""
        function = self._guards[guard]
        if is_async_function(function):
            raise NeedsAwait(f"guard `{guard}` is asynchronous: use the methods that begin with `a`")
        if self._asking >= _NESTED:
            return RecursionError("guards ask each other in a circle")
        self._asking += 1
        try:
            answer = function(freeze(facts))
        except Exception as error:
            answer = error
        finally:
            self._asking -= 1
        if hasattr(type(answer), "__await__"):
            if type(answer) is CoroutineType:
                answer.close()  # a coroutine that nobody awaits would warn later, far from here
            raise NeedsAwait(f"guard `{guard}` is asynchronous: use the methods that begin with `a`")
        return self._shadowed(guard, answer)

    async def _awaited(self, asked: Pending) -> object:
        try:
            answer = self._guards[asked.guard](freeze(asked.facts))
            if hasattr(type(answer), "__await__"):
                answer = await answer  # type: ignore[misc]
        except Exception as error:
            answer = error
        with self.lock:
            return self._shadowed(asked.guard, answer)

    def _shadowed(self, guard: str, answer: object) -> object:
        core = self.core
        if answer is not True and (core.shadow is True or (core.shadow and guard in core.shadow)):
            key = f"guard {guard}"
            core.shadowed[key] = core.shadowed.get(key, 0) + 1
            return True
        return answer


def _replay(answers: list[tuple[str, object]]) -> Callable[[str, Mapping[str, Any]], object]:
    """An ``ask`` that gives the answers it has, in order, and then asks to wait.

    Between two runs nothing has changed, so the same guards are asked in the same order.
    """
    left = iter(answers)

    def ask(guard: str, facts: Mapping[str, Any]) -> object:
        for known, answer in left:
            if known == guard:
                return answer
        raise Pending(guard, facts)

    return ask
