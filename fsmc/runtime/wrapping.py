"""Plain functions that cannot run unless the session allows it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from fsmc.runtime.decision import Decision
from fsmc.runtime.errors import BindingError, CallRefused, SessionError
from fsmc.runtime.values import thaw

if TYPE_CHECKING:
    from fsmc.runtime.session import Session

F = TypeVar("F", bound=Callable[..., Any])


def guarded(session: Session, function: F, tool: str, refusal: str) -> F:
    """*function* behind *session*: reserved before it runs, committed with what it returns, failed with what it raises.

    The arguments are bound by its signature and it runs on the checked copy of them. *refusal* says what a refused call does:
    ``raise`` gives ``CallRefused``, ``return`` gives the ``Decision``. Raises ``BindingError`` when the policy has no such
    tool, or the signature cannot be told by names.
    """
    if tool not in session.table.tools:
        raise BindingError(f"`{tool}` is not a tool of this policy, so it cannot be guarded")
    if refusal not in ("raise", "return"):
        raise BindingError(f"refusal is `raise` or `return`, not {refusal!r}")
    signature = inspect.signature(function)
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in signature.parameters.values()):
        raise BindingError(f"`{tool}` takes *args, which have no names to check")

    def bound(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[inspect.BoundArguments, dict[str, Any]]:
        call = signature.bind(*args, **kwargs)
        call.apply_defaults()
        named = dict(call.arguments)
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                named.update(named.pop(parameter.name))
        return call, named

    def checked(call: inspect.BoundArguments, decision: Decision) -> inspect.BoundArguments:
        values = thaw(decision.arguments or {})
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                call.arguments[parameter.name] = {name: values[name] for name in call.arguments[parameter.name]}
            else:
                call.arguments[parameter.name] = values[parameter.name]
        return call

    def refused(decision: Decision) -> Decision:
        if refusal == "raise":
            raise CallRefused(decision)
        return decision

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            call, named = bound(args, kwargs)
            decision = await session.areserve(tool, named)
            if not decision.allowed:
                return refused(decision)
            call = checked(call, decision)
            try:
                result = await function(*call.args, **call.kwargs)
            except BaseException as error:
                await session.acommit(decision.call_id or "", f"{type(error).__name__}: {error}", failed=True)
                raise
            await session.acommit(decision.call_id or "", result)
            return result

        return run_async  # type: ignore[return-value]

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        call, named = bound(args, kwargs)
        decision = session.reserve(tool, named)
        if not decision.allowed:
            return refused(decision)
        call = checked(call, decision)
        try:
            result = function(*call.args, **call.kwargs)
        except BaseException as error:
            session.commit(decision.call_id or "", f"{type(error).__name__}: {error}", failed=True)
            raise
        if hasattr(type(result), "__await__"):
            session.release(decision.call_id or "")
            raise SessionError(f"`{tool}` gave a coroutine: wrap the asynchronous function itself")
        session.commit(decision.call_id or "", result)
        return result

    return run  # type: ignore[return-value]
