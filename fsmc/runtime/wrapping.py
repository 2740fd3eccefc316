"""Plain functions that cannot run unless the session allows it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from fsmc.runtime.annotations import TYPE_CHECKING, Any, TypeVar
from fsmc.runtime.decision import Decision
from fsmc.runtime.errors import BindingError, CallRefused, SessionError
from fsmc.runtime.values import described, thaw
from fsmc.runtime.words import did_you_mean

if TYPE_CHECKING:
    from fsmc.runtime.session import Session

F = TypeVar("F", bound=Callable[..., Any])


class _Binder:
    """Arguments of a function by name, and back."""

    def __init__(self, function: Callable[..., Any], tool: str) -> None:
        self._signature = inspect.signature(function)
        self._parameters = tuple(self._signature.parameters.values())
        if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in self._parameters):
            raise BindingError(f"`{tool}` takes *args, which have no names to check")

    def named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, defaults included."""
        call = self._signature.bind(*args, **kwargs)
        call.apply_defaults()
        names = dict(call.arguments)
        for parameter in self._parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                names.update(names.pop(parameter.name))
        return names

    def call(self, function: Callable[..., Any], decision: Decision) -> Any:
        """Call *function* with the arguments that were checked."""
        values = thaw(decision.arguments)
        positional = [
            values.pop(parameter.name)
            for parameter in self._parameters
            if parameter.kind is parameter.POSITIONAL_ONLY and parameter.name in values
        ]
        return function(*positional, **values)


def guarded(session: Session, function: F, tool: str | None, refusal: str) -> F:
    """*function* behind *session*: reserved before it runs, committed with what it returns, failed with what it raises.

    It stands for *tool*, or for the tool of its own name. The arguments are bound by its signature and it runs on the checked
    copy of them; arguments that do not fit the signature are refused as ``invalid_arguments``. *refusal* says what a refused
    call does: ``raise`` gives ``CallRefused``, ``return`` gives the ``Decision``. Raises ``BindingError`` when this is no
    function, the policy has no such tool, or the signature cannot be told by names.
    """
    if not callable(function):
        raise BindingError(
            f"only a function can be guarded, not {type(function).__name__}; its tool is given as `tool=`"
        )
    name = str(tool or getattr(function, "__name__", type(function).__name__))
    if name not in session.table.tools:
        hint = did_you_mean(name, session.table.tools) or ("" if tool else "; say which tool it is by `tool=`")
        raise BindingError(f"`{name}` is not a tool of this policy, so it cannot be guarded{hint}")
    if refusal not in ("raise", "return"):
        raise BindingError(f"refusal is `raise` or `return`, not {refusal!r}")
    binder = _Binder(function, name)
    wrap = _asynchronous if inspect.iscoroutinefunction(function) else _plain
    return functools.wraps(function)(wrap(session, function, name, refusal, binder))  # type: ignore[return-value]


def _refused(decision: Decision, refusal: str) -> Decision:
    if refusal == "raise":
        raise CallRefused(decision)
    return decision


def _plain(session: Session, function: Any, tool: str, refusal: str, binder: _Binder) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            arguments = binder.named(args, kwargs)
        except TypeError as misfit:
            return _refused(session._refuse(tool, "invalid_arguments", f"`{tool}`: {misfit}"), refusal)
        decision = session._reserve_plainly(tool, arguments)
        if not decision.allowed:
            return _refused(decision, refusal)
        call_id = decision.call_id
        try:
            result = binder.call(function, decision)
        except BaseException as error:
            session.commit(call_id, described(error), failed=True)
            raise
        if hasattr(type(result), "__await__"):
            session.release(call_id)
            raise SessionError(f"`{tool}` gave a coroutine: wrap the asynchronous function itself")
        session.commit(call_id, result)
        return result

    return run


def _asynchronous(session: Session, function: Any, tool: str, refusal: str, binder: _Binder) -> Callable[..., Any]:
    async def run(*args: Any, **kwargs: Any) -> Any:
        try:
            arguments = binder.named(args, kwargs)
        except TypeError as misfit:
            return _refused(session._refuse(tool, "invalid_arguments", f"`{tool}`: {misfit}"), refusal)
        decision = await session.areserve(tool, arguments)
        if not decision.allowed:
            return _refused(decision, refusal)
        call_id = decision.call_id
        try:
            result = await binder.call(function, decision)
        except BaseException as error:
            await session.acommit(call_id, described(error), failed=True)
            raise
        await session.acommit(call_id, result)
        return result

    return run
