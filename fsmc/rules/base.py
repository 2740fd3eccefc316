"""The shape of a rule: what its module offers and what its check yields.

A rule is one module of this package. Its docstring is its manual page: a title line, what is wrong and why it matters,
then ``Avoid:`` and ``Prefer:`` with a policy each, which the tests execute. It defines

- ``CODE`` (``FSM204``, stable), ``NAME`` (``cycle``), ``LEVEL`` (one of ``fsmc.findings.LEVELS``) and, where its hits may
  have another one too, ``OTHER_LEVEL``;
- ``check(policy, facts)``, which yields hits; a rule about text or structure, found before there is a model, has none.

A check never reports what follows from a mistake that another rule reports: fix the cause first, then look again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fsmc.analysis import Facts
from fsmc.findings import LEVELS, Fix
from fsmc.policy.model import Policy
from fsmc.runtime.annotations import NamedTuple
from fsmc.source.tree import Place


class Hit(NamedTuple):
    """What a check found, before it is a finding of a file. ``length`` None means the token at ``place``.

    ``trace`` is a shortest run that shows it, one move an item; ``related`` are further places with a note each.
    ``level`` replaces that of the rule; ``fix`` mends it.
    """

    message: str
    place: Place
    length: int | None = None
    hint: str | None = None
    related: tuple[tuple[Place, str], ...] = ()
    trace: tuple[str, ...] = ()
    level: str | None = None
    fix: Fix | None = None


class Rule(NamedTuple):
    """A rule as the registry holds it; ``doc`` is the docstring of its module, ``other_level`` what some hits have instead."""

    code: str
    name: str
    level: str
    doc: str
    check: Callable[[Policy, Facts], Iterable[Hit]] | None
    other_level: str | None = None

    @property
    def title(self) -> str:
        """The first line of the manual page."""
        return self.doc.strip().partition("\n")[0]

    @property
    def levels(self) -> str:
        """The level of its findings as a page says it: "error", "info or warning"."""
        both = sorted(filter(None, (self.level, self.other_level)), key=LEVELS.index, reverse=True)
        return " or ".join(both)
