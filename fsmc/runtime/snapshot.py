"""A session as JSON data, complete, and back."""

from __future__ import annotations

from collections.abc import Mapping

from fsmc.runtime.annotations import TYPE_CHECKING, Any
from fsmc.runtime.errors import SessionError
from fsmc.runtime.schemas import quick_check, schema
from fsmc.runtime.validator import Validator
from fsmc.runtime.values import NotJson, private_copy

if TYPE_CHECKING:
    from fsmc.runtime.core import Core

FORMAT = "fsmc-session/1"


def take(core: Core) -> dict[str, Any]:
    """Everything that *core* holds."""
    return {
        "format": FORMAT,
        "policy": core.table.id,
        "digest": core.table.digest,
        "state": core.state,
        "revision": core.revision,
        "context": private_copy(core.context),
        "visits": dict(sorted((name, times) for name, times in core.counted_visits.items() if times)),
        "shadowed": dict(sorted(core.shadowed.items())),
        "next_id": core.next_id,
        "calls": core.ledger.to_data(),
        "approvals": [
            {"key": key, "tool": tool, "revision": revision, "expires": expires}
            for (tool, key), (revision, expires) in sorted(core.approvals.items())
        ],
    }


def restore(core: Core, saved: Mapping[str, Any], migrate: Mapping[str, str] | None) -> None:
    """Fill *core* from a snapshot. Raises ``SessionError`` for what is none, or of another policy, or no longer fits.

    *migrate* maps old state names to new ones and says that another version of the policy is meant to go on.
    """
    data = _checked(saved)
    table = core.table
    if data["digest"] != table.digest and migrate is None:
        raise SessionError(
            f"the snapshot was taken under {data['digest'][:19]}, this table is {table.digest[:19]}: "
            "give `migrate` to go on under another version of the policy"
        )
    if migrate is not None and not isinstance(migrate, Mapping):
        raise SessionError("`migrate` maps old state names to new ones; `{}` when none changed")
    if data["policy"] != table.id:
        raise SessionError(f"the snapshot is of policy `{data['policy']}`, and this one is `{table.id}`")
    renamed = dict(migrate or {})
    state: str = renamed.get(data["state"]) or data["state"]
    if state not in table.states:
        raise SessionError(f"the snapshot is in `{state}`, which is not a state of this policy; map it with `migrate`")
    for old, new in renamed.items():
        if new not in table.states:
            raise SessionError(f"`migrate` maps `{old}` to `{new}`, which is not a state of this policy")
    problem = core.write(data["context"])
    if problem is not None:
        raise SessionError(f"the snapshot does not fit: {problem}")
    core.row = table._ready_row(state)
    core.revision = data["revision"]
    for name, count in data["visits"].items():
        name = renamed.get(name) or name
        if name in table.states:
            if core.visits is not None:
                core.visits[table._state_index[name]] = count
        elif migrate is None:
            raise SessionError(f"the snapshot counts visits of `{name}`, which is not a state of this policy")
    core.shadowed = data["shadowed"]
    core.next_id = data["next_id"]
    core.ledger.from_data(data["calls"], table.tools, core.shadow is not False)
    # Approvals are for one policy: under another one, people are asked again.
    if data["digest"] == table.digest:
        core.approvals = {
            (item["tool"], item["key"]): (item["revision"], item["expires"]) for item in data["approvals"]
        }


def _checked(saved: Any) -> dict[str, Any]:
    try:
        data = private_copy(saved)
    except NotJson as error:
        raise SessionError(f"the snapshot is {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise SessionError(f"not a snapshot of a session: its format is {found!r}, not {FORMAT!r}")
    if not quick_check("session-v1")(data):
        problem = Validator(schema("session-v1"), "snapshot").error(data)
        raise SessionError(f"the snapshot is damaged: {problem}")
    return data
