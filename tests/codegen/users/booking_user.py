"""How an application uses its module: what is right passes, and each wrong line is marked."""

from collections.abc import Mapping

import booking

import fsmc


def calendar_agrees(facts: Mapping[str, object]) -> bool:
    return "context" in facts


async def calendar_agrees_later(facts: Mapping[str, object]) -> bool:
    return calendar_agrees(facts)


def says_yes(facts: Mapping[str, object]) -> str:
    return "yes"


def run(path: str) -> booking.State:
    table = booking.load(path)
    session = booking.session(table, guards={"calendar_agrees": calendar_agrees}, shadow=["confirm"])
    offered: tuple[booking.Tool, ...] = session.allowed_tools
    assert offered == ("check_availability", "opening_hours", "verify_identity")
    with session.call("verify_identity", {"document": "d-1"}) as call:
        call.result = {"verified": True, "id": "p-1"}
    decision = session.reserve("check_availability", {"service": "x-ray"}, "call-1")
    assert decision.allowed
    settled: fsmc.Settled = session.commit("call-1", {"id": "s-1", "price": 20, "status": "free"})
    assert settled.wrote == ("slot",)
    confirm: booking.ConfirmArguments = {"slot": "s-1", "price": 20, "patient": "p-1"}
    session.approve("confirm", confirm)
    session.check("opening_hours")
    session.check("opening_hours", {"day": 1})
    slot = session.context.get("slot", {})
    price: int = slot.get("price", 0)
    assert price == 20
    session.update({"slot": {"price": price, "status": "sold"}})
    saved = session.snapshot()
    again = booking.restore(table, saved, guards={"calendar_agrees": calendar_agrees}, migrate={"OLD": "BOOKING"})
    if again.can("CONFIRMED") and again.state != "BOOKING":
        again.send("CANCELLED", {"by": "patient"})
    any_text: fsmc.Session = booking.plain(again)
    any_text.check("what a model made up")
    return booking.typed(any_text).state


async def run_later(session: booking.Session) -> None:
    async with session.acall("verify_identity", {"document": "d-1"}) as call:
        call.result = {"verified": False}
    await session.areserve("confirm", {"slot": "s", "price": 1, "patient": "p"})
    await session.areserve("confirm", {"slot": "s", "price": "1", "patient": "p"})  # error
    await session.asend("CANCELED")  # error


def wrong_names(session: booking.Session) -> None:
    session.send("CANCELED")  # error
    session.send("CONFIRMED")  # error
    session.can("CONFIRM")  # error
    session.check("conferm", {"slot": "s", "price": 1, "patient": "p"})  # error
    session.approve("verify_identity", {"document": "d"})  # error
    session.transition_to("BOOKING")  # error
    if session.state == "BOKING":  # error
        print()
    state: booking.State = "Booking"  # error
    print(state, session.calls["conferm"])  # error
    session.guard_tool(says_yes, tool="conferm")  # error
    booking.session(session.table, guards={"calender_agrees": calendar_agrees})  # error
    booking.session(session.table, guards={})  # error
    booking.session(session.table)  # error
    booking.session(session.table, guards={"calendar_agrees": calendar_agrees}, shadow=["conferm"])  # error


def wrong_values(session: booking.Session) -> None:
    session.check("confirm", {"slot": "s", "price": 1})  # error
    session.check("confirm", {"slot": "s", "price": 1, "pacient": "p"})  # error
    session.check("confirm", {"slot": "s", "price": "1", "patient": "p"})  # error
    session.check("confirm")  # error
    session.call("verify_identity", {"service": "x-ray"})  # error
    session.update({"patient": 7})  # error
    session.update({"slot": {"status": "gone"}})  # error
    print(session.context["pacient"])  # error
    session.state = "DONE"  # error
    booking.session(session.table, guards={"calendar_agrees": says_yes})  # error
    booking.session(session.table, guards={"calendar_agrees": calendar_agrees_later})
