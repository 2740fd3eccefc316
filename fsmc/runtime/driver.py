"""How a session runs its engine: one operation at a time, guards called plainly or awaited.

Two things keep operations apart. A lock, which is re-entrant: a guard or a hook may look at its session, even move it. And the turn
(``Machine.turn``), an attribute that whoever works on the session deletes and puts back: the quick answers of ``Session`` take only
that, at a tenth of the price of a lock, and leave everything to the engine when it is not there. Deleting an attribute is one
step of the interpreter, and nothing of the application runs between it and putting it back.
"""

from __future__ import annotations

import sys
import time
from _thread import RLock  # threading takes long to import
from collections.abc import Callable, Mapping

from fsmc.runtime.annotations import Any, TypeVar
from fsmc.runtime.binding import Guard
from fsmc.runtime.core import Core
from fsmc.runtime.decision import Decision
from fsmc.runtime.errors import SessionError
from fsmc.runtime.machine import Pending, needs_await, plain_answer
from fsmc.runtime.values import View, described, freeze, is_async_function

T = TypeVar("T")

# How deep guards may ask the session that asks them.
_NESTED = 3
# How long to wait for another thread that answers quickly, in seconds: a hundred thousand times as long as that takes.
_PATIENCE = 5.0
# How many guards one operation may await, those that it asks again because the session changed meanwhile included.
_AWAITED = 200


# Without the global lock of the interpreter, an attribute may be deleted by two threads at once.
QUICK: bool = getattr(sys, "_is_gil_enabled", lambda: True)()


class Driver:
    """The engine, its guards and its lock."""

    __slots__ = ("_asking", "_at_work", "_guards", "_lock", "core")

    def __init__(self, guards: Mapping[str, Guard]) -> None:
        self.core: Core
        self._lock = RLock()
        self._guards = guards
        self._asking = 0
        self._at_work = False

    def run(self, operation: Callable[..., T], *arguments: Any) -> T:
        """Run an operation of the engine, guards called plainly."""
        with self._lock:
            if self._at_work:  # a guard or a hook asks
                return operation(*arguments)
            try:
                self._take_turn()
                self._at_work = True
                return operation(*arguments)
            finally:
                self._at_work = False
                self.core.turn = True

    def _take_turn(self) -> None:
        deadline = 0.0
        while True:
            try:
                del self.core.turn
                return
            except AttributeError:
                now = time.monotonic()
                deadline = deadline or now + _PATIENCE
                if now > deadline:
                    raise SessionError("the session is in the middle of a move that does not end") from None
                time.sleep(0)

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

        def attempt() -> T | Pending | None:
            nonlocal began, revision
            if began < 0:
                revision = core.revision
            elif core.effects != began:
                if moves and core.revision != revision:
                    return None
                answers.clear()
            began = core.effects
            core.ask = _replay(answers)
            try:
                return operation(*arguments)
            except Pending as pending:
                return pending
            finally:
                core.ask = self.answer

        for _ in range(_AWAITED):
            ended = self.run(attempt)
            if not isinstance(ended, Pending):
                return ended
            answers.append((ended.guard, await self._awaited(ended)))
        raise RuntimeError("the session never stands still while its guards are awaited")

    def answer(self, guard: str, facts: Mapping[str, Any]) -> object:
        """The answer of a guard in a plain call; what it raises is an answer too, and grants nothing."""
        function = self._guards[guard]
        if is_async_function(function):
            raise needs_await(guard)
        if self._asking >= _NESTED:
            return RecursionError("guards ask each other in a circle")
        self._asking += 1
        try:
            answer = function(read_only(facts))
        except Exception as error:
            answer = error
        finally:
            self._asking -= 1
        return self._shadowed(guard, plain_answer(guard, answer))

    async def _awaited(self, asked: Pending) -> object:
        try:
            answer = self._guards[asked.guard](read_only(asked.facts))
            if hasattr(type(answer), "__await__"):
                answer = await answer  # type: ignore[misc]
        except Exception as error:
            answer = error
        return self.run(self._shadowed, asked.guard, plain_answer(asked.guard, answer))

    def _shadowed(self, guard: str, answer: object) -> object:
        core = self.core
        if answer is not True and (core.shadow is True or (core.shadow and guard in core.shadow)):
            core.count_shadowed(f"guard {guard}")
            return True
        return answer


def read_only(facts: Mapping[str, Any]) -> View[Any]:
    """*facts* as a guard gets them."""
    return View({name: freeze(value) for name, value in facts.items()})


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
