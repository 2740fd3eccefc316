"""Which rules a reader of one page may want to read next."""

from __future__ import annotations

_GROUPS = (
    ("FSM001", "FSM002", "FSM003", "FSM005"),
    ("FSM002", "FSM007"),
    ("FSM005", "FSM008"),
    ("FSM006", "FSM010"),
    ("FSM010", "FSM011", "FSM012", "FSM013"),
    ("FSM014", "FSM015"),
    ("FSM016", "FSM017"),
    ("FSM101", "FSM102", "FSM104", "FSM105"),
    ("FSM102", "FSM103", "FSM401"),
    ("FSM101", "FSM106"),
    ("FSM201", "FSM203"),
    ("FSM202", "FSM207", "FSM208"),
    ("FSM204", "FSM205"),
    ("FSM205", "FSM409"),
    ("FSM206", "FSM406"),
    ("FSM209", "FSM210"),
    ("FSM301", "FSM302", "FSM307"),
    ("FSM303", "FSM304"),
    ("FSM305", "FSM306"),
    ("FSM308", "FSM411"),
    ("FSM401", "FSM402", "FSM403"),
    ("FSM404", "FSM405", "FSM406"),
    ("FSM407", "FSM409", "FSM410"),
    ("FSM410", "FSM412"),
    ("FSM413", "FSM414"),
)


def related(code: str) -> tuple[str, ...]:
    """The codes of rules that are about the same thing as *code*, in order."""
    near = {other for group in _GROUPS if code in group for other in group}
    return tuple(sorted(near - {code}))
