"""What an application wants to be told: before and after transitions, on refusals, on loops, at the end."""

from __future__ import annotations

from collections.abc import Callable
from types import CoroutineType

from fsmc.runtime.annotations import Any
from fsmc.runtime.decision import Decision, Loop
from fsmc.runtime.errors import BindingError
from fsmc.runtime.infos import Step
from fsmc.runtime.values import described, is_async_function


class Hooks:
    """Plain functions that a session calls. A coroutine function is refused: nothing here is awaited.

    - ``before(step)``, with the move that is about to be made: False vetoes it, and so does an exception. The fallback of a
      spent budget cannot be vetoed.
    - ``after(step)``: the move was made and stays; an exception is logged and told in ``Step.note``.
    - ``refused(decision)``: a call was refused, or would have been in shadow mode.
    - ``loop(loop)``: a budget is spent; once per episode.
    - ``finished(step)``: the move has entered a terminal state.

    What the last three raise is logged and goes no further. Raises ``BindingError`` for what cannot be called.
    """

    __slots__ = ("_after", "_before", "_finished", "_loop", "_refused")

    def __init__(
        self,
        *,
        before: Callable[[Step], object] | None = None,
        after: Callable[[Step], object] | None = None,
        refused: Callable[[Decision], object] | None = None,
        loop: Callable[[Loop], object] | None = None,
        finished: Callable[[Step], object] | None = None,
    ) -> None:
        for name, hook in (
            ("before", before), ("after", after), ("refused", refused), ("loop", loop), ("finished", finished),
        ):  # fmt: skip
            if hook is not None and not callable(hook):
                raise BindingError(f"hook `{name}` is {type(hook).__name__}, not a function")
            if is_async_function(hook):
                raise BindingError(f"hook `{name}` is a coroutine function; hooks are plain functions")
        self._before = before
        self._after = after
        self._refused = refused
        self._loop = loop
        self._finished = finished

    @property
    def watching(self) -> bool:
        """Whether anything has to be told to anybody."""
        return any(hook is not None for hook in (self._before, self._after, self._refused, self._loop, self._finished))

    def veto(self, step: Step) -> str | None:
        """Why the move must not be made, or None."""
        if self._before is None:
            return None
        try:
            answer = self._before(step)
        except Exception as error:
            return f"the hook before the transition failed: {described(error)}"
        if hasattr(type(answer), "__await__"):
            _close(answer)
            return "the hook before the transition is asynchronous, and hooks are not awaited"
        return "the hook before the transition vetoed it" if answer is False else None

    def moved(self, step: Step, terminal: bool) -> Step:
        """Tell of a move that was made; a failing hook leaves a note on it."""
        problem = _told(self._after, step, "after")
        if terminal:
            _told(self._finished, step, "finished")
        return step._replace(note="; ".join(filter(None, (step.note, problem)))) if problem else step

    def refusal(self, decision: Decision) -> None:
        """Tell of a refused call."""
        _told(self._refused, decision, "refused")

    def looped(self, loop: Loop) -> None:
        """Tell of a spent budget."""
        _told(self._loop, loop, "loop")


NO_HOOKS = Hooks()


def _close(answer: Any) -> None:
    if type(answer) is CoroutineType:
        answer.close()


def _told(hook: Callable[[Any], object] | None, what: Any, name: str) -> str:
    if hook is None:
        return ""
    try:
        answer = hook(what)
        if hasattr(type(answer), "__await__"):
            _close(answer)
            raise TypeError("it is asynchronous, and hooks are not awaited")
    except Exception as error:
        import logging  # only a failing hook pays for the import

        logging.getLogger("fsmc").error("hook `%s` failed", name, exc_info=True)
        return f"the hook `{name}` failed: {described(error)}"
    return ""
