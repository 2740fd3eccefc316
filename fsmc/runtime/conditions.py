"""Conditions of a table, decided: expressions by their closures, external guards by the answers of the application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from fsmc.runtime.annotations import Any, NamedTuple
from fsmc.runtime.errors import EvaluationError
from fsmc.runtime.values import described

Facts = Mapping[str, Any]
Answers = Mapping[str, object]
Closure = Callable[[Facts], Any]
NO_ANSWERS: Answers = MappingProxyType({})


class Verdict(NamedTuple):
    """The outcome of a condition: ``holds`` is True only when it certainly does. ``needed`` names an unanswered guard;
    ``undecided`` says that an error, not False, kept it from holding.
    """

    holds: bool
    reason: str = ""
    needed: str | None = None
    undecided: bool = False


_HOLDS = Verdict(True)


class Condition(NamedTuple):
    """How to decide a condition: a closure, or an external guard to ask for. ``text`` names it in reasons;
    ``terms`` are the parts of a conjunction, to say which of them does not hold; ``reads`` are the facts that
    its expression names.
    """

    text: str
    evaluate: Closure | None
    external: str | None
    reason: tuple[Any, ...]
    terms: tuple[tuple[str, Closure], ...] = ()
    reads: frozenset[str] = frozenset()


def decide(condition: Condition, facts: Facts, answers: Answers) -> Verdict:
    """Decide *condition* on *facts*. Anything but exactly True does not hold, and says why."""
    if condition.evaluate is None:
        return _answered(condition, facts, answers)
    try:
        value = condition.evaluate(facts)
    except EvaluationError as error:
        why = f"`{condition.text}` could not be decided: {error}"
        return Verdict(False, f"{_explain(condition, facts)} ({why})" if condition.reason else why, undecided=True)
    if value is True:
        return _HOLDS
    if value is False:
        return Verdict(False, _explain(condition, facts))
    return Verdict(False, f"`{condition.text}` gave {type(value).__name__}, not true or false", undecided=True)


def _answered(condition: Condition, facts: Facts, answers: Answers) -> Verdict:
    name = condition.external
    assert name is not None
    if name not in answers:
        return Verdict(False, f"the outcome of guard `{name}` is not known", name, undecided=True)
    answer = answers[name]
    if answer is True:
        return _HOLDS
    if answer is False:
        return Verdict(False, _explain(condition, facts))
    if issubclass(type(answer), BaseException):
        return Verdict(False, f"guard `{name}` failed: {described(answer)}", undecided=True)  # type: ignore[arg-type]
    return Verdict(False, f"guard `{name}` gave {type(answer).__name__}, not True or False", undecided=True)


def _explain(condition: Condition, facts: Facts) -> str:
    """The author's ``reason`` filled in, or the condition itself."""
    if not condition.reason:
        return f"`{_failing(condition, facts)}` does not hold"
    parts = []
    for part in condition.reason:
        if isinstance(part, str):
            parts.append(part)
            continue
        try:
            value = part(facts)
        except EvaluationError:
            value = "?"
        parts.append(_shown(value))
    return "".join(parts)


def _failing(condition: Condition, facts: Facts) -> str:
    """The first part of a conjunction that is false, or the whole condition."""
    for text, evaluate in condition.terms:
        try:
            if evaluate(facts) is False:
                return text
        except EvaluationError:
            continue
    return condition.text


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, (str, int, float)) else "?"


def condition_of(tree: list[Any], guards: list[Any]) -> Condition:
    """The condition of a tree: an expression, or the number of one of *guards*."""
    from fsmc.runtime.expression import compile_tree  # only a table with conditions pays for these imports
    from fsmc.runtime.expression_text import render

    if tree[0] != "guard":
        return Condition(render(tree), compile_tree(tree), None, (), _terms(tree), named_facts(tree))
    guard = guards[tree[1]]
    reason = tuple(part if isinstance(part, str) else compile_tree(part) for part in guard.get("reason", ()))
    if guard.get("external"):
        return Condition(guard["name"], None, guard["name"], reason)
    closure, terms = compile_tree(guard["expr"]), _terms(guard["expr"])
    return Condition(guard["name"], closure, None, reason, terms, named_facts(guard["expr"]))


def named_facts(*trees: Any) -> frozenset[str]:
    """The variables of checked trees."""
    if not trees:
        return frozenset()
    from fsmc.runtime.expression_tree import survey

    names: set[str] = set()
    for tree in trees:
        survey(tree, names)
    return frozenset(names)


def _terms(tree: Any) -> tuple[tuple[str, Closure], ...]:
    from fsmc.runtime.expression import compile_tree
    from fsmc.runtime.expression_text import render

    terms: list[Any] = []
    pending = [tree]
    while pending:
        part = pending.pop()
        if isinstance(part, list) and part[0] == "and":
            pending += reversed(part[1:])
        else:
            terms.append(part)
    return tuple((render(term), compile_tree(term)) for term in terms) if len(terms) > 1 else ()
