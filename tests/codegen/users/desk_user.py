"""Names that are no identifiers, an open policy, and every simple kind of schema."""

from collections.abc import Mapping

import desk


def holds(facts: Mapping[str, object]) -> bool:
    return bool(facts)


GUARDS: desk.Guards = {"may move": holds, "refund_limit": holds}


def run(path: str) -> desk.State:
    table = desk.load(path)
    session = desk.session(table, context={"role": "agent", "class": "gold"}, guards=GUARDS)
    session.update({"notes": [{"text": "called", "at": 1.5}], "scores": {"calls": 1}, "closed": None})
    for written in session.context.get("notes", ()):
        first: str = written["text"]
        assert first == "called"
    session.check("find customer", {"by": {"email": "a@b.c"}})
    session.check("find customer", {"by": {"phone": {"country": 33, "number": "1"}}})
    session.check("class", {"import": True, "str": "x", 'the "name"': "it's"})
    session.check("class", {"import": True, 'the "name"': "naïve\u200b"})
    session.check("class", {"import": True, 'the "name"': None})
    session.check("refund", {"cents": 1, "reasons": ["late"], "tree": {"leaf": "x", "below": {"leaf": "y"}}})
    session.check("remember", {"keys": ["a", "b"]})
    session.check("ping")
    session.transition_to('OPEN:"WORK"')
    return session.state


def wrong(session: desk.Session) -> None:
    session.transition_to("OPEN:WORK")  # error
    session.send("ANYTHING")  # error
    session.check("find customer", {"by": {"email": "a@b.c", "phone": "1"}})  # error
    session.check("find customer", {"by": {"phone": {"country": 44, "number": "1"}}})  # error
    session.check("class", {"import": 1})  # error
    session.check("class", {"import": True, 'the "name"': "naïve"})  # error
    session.check("refund", {"cents": 1, "reasons": ["early"]})  # error
    session.check("refund", {"cents": 1, "reasons": "late"})  # error
    session.check("remember", {"keys": "a"})  # error
    session.update({"closed": 1})  # error
    session.update({"notes": "called"})  # error
    session.update({"scores": {"calls": "1"}})  # error
    desk.session(session.table, guards=GUARDS)  # error
    desk.session(session.table, context={"class": "gold"}, guards=GUARDS)  # error
    desk.session(session.table, context={"role": "boss"}, guards=GUARDS)  # error
