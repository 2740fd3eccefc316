"""What a policy says, resolved: plain values that rules, analysis and the compiler read.

A model is made only from a document that the schema accepts. It may still be wrong in what it means (a target that is no
state, an expression that does not type): those are kept as written, for the rules to report. Every part holds the ``node`` it
was read from, so that a rule can ask for the place of any key.
"""

from __future__ import annotations

from typing import Any

from fsmc.runtime.annotations import NamedTuple
from fsmc.source.tree import Document, MappingNode, Place


class ExpressionProblem(NamedTuple):
    """Something wrong inside the expression ``text``; ``kind`` is ``syntax`` or ``type``."""

    kind: str
    message: str
    place: Place
    length: int
    hint: str | None
    text: str


class Condition(NamedTuple):
    """A ``guard``, ``when``, ``require`` or ``failed_when``: the name of a guard, or an expression tree.

    ``tree`` is None for a named guard and for an expression that could not be compiled.
    """

    text: str
    place: Place
    guard: str | None
    tree: list[Any] | None


class Assignment(NamedTuple):
    """One ``name: expression`` of a ``set``."""

    name: str
    place: Place
    tree: list[Any] | None


class Guard(NamedTuple):
    """A named condition. ``reason`` is a list of texts and expression trees, to be joined when a refusal is explained."""

    name: str
    node: MappingNode | str
    place: Place
    tree: list[Any] | None
    external: bool
    reason: list[Any] | None


class Emit(NamedTuple):
    """One outcome of a successful call."""

    event: str | None
    when: Condition | None
    sets: tuple[Assignment, ...]
    node: MappingNode


class Tool(NamedTuple):
    """A declared tool. ``approval`` is None, or how long a yes holds, in milliseconds."""

    name: str
    node: MappingNode
    effect: str
    when: Condition | None
    require: tuple[Condition, ...]
    max_calls: int | None
    approval: int | None
    failed_when: Condition | None
    on_failure: str | None
    emits: tuple[Emit, ...]

    @property
    def events(self) -> tuple[str, ...]:
        """The events that a result of this tool can raise, each once, in the order written."""
        names = [emit.event for emit in self.emits if emit.event is not None]
        if self.on_failure is not None:
            names.append(self.on_failure)
        return tuple(dict.fromkeys(names))


class Selector(NamedTuple):
    """An entry of a list of tools and the declared tools it stands for, in order of name."""

    text: str
    place: Place
    tools: tuple[str, ...]


class Budget(NamedTuple):
    """A tool budget after the defaults were applied. ``node`` is the mapping that names the fallback, or the nearest one."""

    limit: int | None
    repeated: int | None
    fallback: str | None
    node: MappingNode


class Transition(NamedTuple):
    """A candidate of a state. ``default`` is true where it comes from ``defaults``."""

    event: str
    target: str
    guard: Condition | None
    sets: tuple[Assignment, ...]
    node: MappingNode
    default: bool


class State(NamedTuple):
    """A state with the defaults applied.

    ``kind`` is ``initial``, ``intermediate`` or ``terminal``. ``tools`` are the declared tools it offers, each once, in the
    order of the selectors. ``transitions`` are the state's own, then the defaults.
    """

    name: str
    node: MappingNode
    kind: str
    selectors: tuple[Selector, ...]
    tools: tuple[str, ...]
    budget: Budget | None
    parallel_calls: int | None
    max_visits: int | None
    on_exhausted: str | None
    transitions: tuple[Transition, ...]


class Event(NamedTuple):
    """A declared event; ``source`` is ``any``, ``tool`` or None where it is left out."""

    name: str
    source: str | None
    node: MappingNode


class Policy(NamedTuple):
    """A whole policy. ``events`` is None where the policy declares none (then any name may be used);
    ``emitters`` maps an event to the tools whose results can raise it.
    """

    document: Document
    root: MappingNode
    id: str
    version: str | None
    description: str | None
    initial: str
    topology: str
    long_running: bool
    transition_guard: Condition | None
    context: Any
    events: dict[str, Event] | None
    guards: dict[str, Guard]
    tools: dict[str, Tool]
    states: dict[str, State]
    default_selectors: tuple[Selector, ...]
    default_transitions: tuple[Transition, ...]
    expression_problems: tuple[ExpressionProblem, ...]
    emitters: dict[str, tuple[str, ...]]

    def reserved(self, event: str) -> bool:
        """Whether only tools may raise *event*: a tool emits it and the policy does not say ``source: any``."""
        declared = (self.events or {}).get(event)
        if declared is not None and declared.source is not None:
            return declared.source == "tool"
        return event in self.emitters
