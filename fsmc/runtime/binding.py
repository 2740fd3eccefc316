"""What must be there before a session starts: a function for every external guard, a validator for every schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmc.runtime.annotations import TYPE_CHECKING, Any
from fsmc.runtime.errors import BindingError
from fsmc.runtime.validator import Validator
from fsmc.runtime.values import named
from fsmc.runtime.words import did_you_mean

if TYPE_CHECKING:
    from fsmc.runtime.table import Table

Guard = Callable[[Mapping[str, Any]], object]

CONTEXT = ""  # the key of the context's validator: no tool has an empty name


_NO_GUARDS: dict[str, Guard] = {}  # shared, and never changed


def validators_of(table: Table) -> dict[str, Validator]:
    """Tool -> validator of its arguments, and ``CONTEXT`` -> that of the context, where the policy has schemas.

    Raises ``BindingError`` when nothing that is installed can validate one of them.
    """
    found = {
        name: Validator(tool.input_schema, "arguments")
        for name, tool in table.tools.items()
        if tool.input_schema is not None
    }
    if table.context_schema is not None:
        found[CONTEXT] = Validator(table.context_schema, "context")
    return found


def bound_guards(table: Table, guards: Mapping[str, Guard]) -> dict[str, Guard]:
    """The functions of *guards*, one for every external guard of *table*, no more and no less; else ``BindingError``."""
    for name, function in guards.items():
        info = table.guards.get(name)
        if info is None or not info.external:
            hint = did_you_mean(named(name), [g.name for g in table.guards.values() if g.external])
            raise BindingError(f"`{name}` is not an external guard of this policy{hint}")
        if not callable(function):
            raise BindingError(f"guard `{name}` is bound to {type(function).__name__}, not to a function")
    missing = [guard.name for guard in table.guards.values() if guard.external and guard.name not in guards]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        raise BindingError(f"external guards without a function: {names}; bind them with `guards={{...}}`")
    return dict(guards) if guards else _NO_GUARDS
