"""How rules say names and make suggestions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsmc.policy.wording import shown
from fsmc.spelling import nearest


def quoted(name: str) -> str:
    """A name as messages show it."""
    return f"`{shown(name)}`"


def spelled(name: str) -> str:
    """A name, and what it is made of where that cannot be seen."""
    return quoted(name) if name.isascii() else f"{quoted(name)} ({ascii(name)[1:-1]})"


def listed(names: Sequence[str], joiner: str = "and", limit: int = 4) -> str:
    """Names as a person lists them: "`a`, `b` and `c`"; above *limit* only some and how many more there are."""
    if len(names) > limit:
        shortened = ", ".join(map(quoted, names[: limit - 1]))
        return f"{shortened} {joiner} {len(names) - limit + 1} more"
    if len(names) < 2:
        return "".join(map(quoted, names))
    return f"{', '.join(map(quoted, names[:-1]))} {joiner} {quoted(names[-1])}"


class Nearest:
    """Finds the known name that a wrong one most likely means, and remembers it."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = tuple(known)
        self._found: dict[str, str | None] = {}

    def __call__(self, name: str) -> str | None:
        """The nearest known name, None where none is near."""
        if name not in self._found:
            self._found[name] = nearest(name, self._known)
        return self._found[name]

    def hint(self, name: str, otherwise: str | None = None) -> str | None:
        """``did you mean `X`?``, or *otherwise* where no known name is near."""
        near = self(name)
        return otherwise if near is None else f"did you mean {quoted(near)}?"
