"""Sessions that can be changed from outside, or come back as something else."""

from __future__ import annotations

import json
from typing import Any

import pytest

import fsmc
from fsmc import SessionError
from tests.support import table
from tests.traps.support import CLINIC, booking, clinic, clinic_table, made


def test_views_cannot_be_changed() -> None:
    """The list of allowed tools is the policy's own: appending to it changes the policy for everyone.

    fsmc: what a table or a session shows is read-only, all the way down.
    """
    session = booking(context={"total": 1})
    for view in (session.allowed_tools, session.events, session.in_flight, clinic_table.states["BOOKING"].tools):
        assert isinstance(view, tuple)
    changes: list[Any] = [
        lambda: clinic_table.states.update(X=1),  # type: ignore[attr-defined]
        lambda: clinic_table.tools.clear(),  # type: ignore[attr-defined]
        lambda: setattr(clinic_table, "initial", "DONE"),
        lambda: setattr(clinic_table.tools["book"], "max_calls", 99),
        lambda: setattr(session, "state", "DONE"),
        lambda: session.context.update(total=9),  # type: ignore[attr-defined]
        lambda: session.calls.update(book=-1),  # type: ignore[attr-defined]
        lambda: clinic_table.step("TRIAGE", "CLASSIFIED").writes.update(x=1),  # type: ignore[attr-defined]
    ]
    for change in changes:
        with pytest.raises((AttributeError, TypeError)):
            change()
    assert table(CLINIC).digest == clinic_table.digest


def test_what_a_run_was_given_stays_as_it_was() -> None:
    """The tools that one run was given change under it when another run asks for its own.

    fsmc: what was handed out is never touched again.
    """
    session = clinic()
    tools, context = session.allowed_tools, session.context
    made(session, "classify")
    session.update({"total": 5})
    assert (tools, dict(context)) == (("classify",), {})


def test_a_snapshot_is_a_copy() -> None:
    """Whoever holds a snapshot holds parts of the living session, and can change the arguments of a call in flight.

    fsmc: a snapshot shares nothing with the session.
    """
    session = booking()
    session.reserve("book", {"slot": 1}, "a")
    session.snapshot()["calls"]["in_flight"][0]["arguments"]["slot"] = 999
    assert session.snapshot()["calls"]["in_flight"][0]["arguments"] == {"slot": 1}


def test_a_snapshot_is_all_of_the_session() -> None:
    """A snapshot holds the state's name and nothing else: saving and restoring gives a fresh budget and forgets what
    was called.

    fsmc: state, revision, facts, counters, calls in flight and approvals come back; the rest of the run is the same.
    """
    session = booking(context={"total": 1})
    session.reserve("book", {}, "a")
    made(session, "find_slot")
    other = clinic_table.restore(json.loads(json.dumps(session.snapshot())))
    assert other.snapshot() == session.snapshot()
    for each in (session, other):
        assert each.reserve("book").code == "max_calls"
        assert made(each, "find_slot").fallback is None, "a call of this state is still in flight"
        assert each.commit("a", "ok").event == "BOOKED"


def test_an_unknown_state_is_not_restored() -> None:
    """A snapshot of a state that the policy no longer has is restored, and the machine offers nothing ever after.

    fsmc: that is an error, until `migrate` says where to go on.
    """
    saved = {**booking().snapshot(), "state": "GONE"}
    with pytest.raises(SessionError, match="`GONE`, which is not a state"):
        clinic_table.restore(saved)
    assert clinic_table.restore(saved, migrate={"GONE": "HELP"}).state == "HELP"


def test_a_snapshot_of_another_policy_is_refused() -> None:
    """A conversation goes on under a policy that was changed meanwhile, and nobody notices.

    fsmc: a snapshot holds the digest of its table; another one is refused unless `migrate` says that it is meant.
    """
    newer = table(CLINIC.replace("max_calls: 1", "max_calls: 9"))
    with pytest.raises(SessionError, match="give `migrate`"):
        newer.restore(booking().snapshot())
    assert newer.restore(booking().snapshot(), migrate={}).state == "BOOKING"


@pytest.mark.parametrize(
    "change",
    [{"revision": -1}, {"revision": "1"}, {"state": None}, {"calls": {}}, {"extra": 1}, {"format": "other"}],
    ids=repr,
)
def test_a_damaged_snapshot_is_refused(change: dict[str, Any]) -> None:
    """Parts of a snapshot that are missing or of the wrong kind are silently taken for defaults.

    fsmc: a snapshot must match its published schema.
    """
    with pytest.raises(SessionError):
        clinic_table.restore({**booking().snapshot(), **change})


def test_restoring_tells_and_asks_nobody() -> None:
    """Restoring counts as a move: guards are asked and callbacks run again.

    fsmc: a restored session is where it was, silently; the revision goes on from there.
    """
    from fsmc.runtime.hooks import Hooks

    def never(step: object) -> bool:
        raise AssertionError("told")

    session = booking()
    other = clinic_table.restore(session.snapshot(), hooks=Hooks(before=never, after=never, finished=never))
    assert (other.state, other.revision) == (session.state, session.revision)


def test_shadow_mode_can_be_restored() -> None:
    """A snapshot taken while a tool that no policy knows is in flight cannot be restored.

    fsmc: in shadow mode a call of an unknown tool is carried over like any other.
    """
    session = clinic(shadow=True)
    session.reserve("ghost", {}, "a")
    assert clinic_table.restore(session.snapshot(), shadow=True).in_flight == ("a",)


def test_a_changed_table_is_not_loaded() -> None:
    """A compiled policy is changed by hand, and runs as if it had been compiled so.

    fsmc: loading checks the digest over everything that changes behaviour.
    """
    data = json.loads(clinic_table.to_json())
    data["machine"]["tools"][0]["max_calls"] = 99
    with pytest.raises(fsmc.TableError, match="changed after it was compiled"):
        fsmc.Table(data)


def test_misspelt_names_are_answered_with_a_code() -> None:
    """A transition takes any text for a state, although types are promised to find mistakes.

    fsmc: a name that the table does not have is answered with its own code, and moves nothing.
    """
    session = clinic()
    assert session.send("CLASIFIED").code == "unknown_event"
    assert session.transition_to("BOKING").code == "unknown_state"
    assert clinic_table.step("TRAIGE", "CLASSIFIED").code == "unknown_state"
    assert session.state == "TRIAGE"


def test_mistakes_have_classes_and_answers_have_codes() -> None:
    """Errors are only text, so callers compare sentences.

    fsmc: misuse raises subclasses of `FsmcError`; decisions and steps carry stable codes.
    """
    session = clinic()
    assert issubclass(SessionError, fsmc.FsmcError) and issubclass(fsmc.BindingError, fsmc.FsmcError)
    assert session.reserve("book").code.isidentifier() and session.send("NOPE").code.isidentifier()
    with pytest.raises(fsmc.FsmcError):
        session.commit("never")


def test_an_event_of_a_tool_cannot_be_claimed() -> None:
    """The application, or a model through it, claims an event that only a tool's result may raise.

    fsmc: events that tools emit are reserved; sending one is refused.
    """
    session = booking()
    assert (session.send("BOOKED").code, session.state) == ("reserved", "BOOKING")
    assert "BOOKED" not in session.events
