"""Expressions of a policy, compiled where they stand: which names each place may read, with which types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fsmc.expression import (
    BOOL,
    DYN,
    INT,
    ExpressionError,
    MapType,
    String,
    Type,
    check,
    from_schema,
    parse,
    parse_template,
)  # fmt: skip
from fsmc.policy.model import Condition, ExpressionProblem, Guard
from fsmc.source.tree import Document, MappingNode, Place

_BARE_NAME = re.compile(r"[^\W\d]\w*(?!\S|\s)")
_LITERALS = frozenset(("true", "false", "null"))

_MISSING = {
    "event": "`event` is the payload of an event: only transitions read it",
    "args": "`args` are the arguments of a call: only `require`, `failed_when` and `emits` of a tool read them",
    "result": "`result` is what a call returned: only `failed_when` and `emits` of a tool read it",
    "target": "`target` is the state asked for: only `transition_guard` reads it",
}


class Scope:
    """The names that one kind of place may read. ``what`` names the place in messages ("a transition")."""

    __slots__ = ("what", "names", "missing")

    def __init__(self, what: str, names: Mapping[str, Type]) -> None:
        self.what = what
        self.names = names
        self.missing = {name: why for name, why in _MISSING.items() if name not in names}


class Expressions:
    """Compiles the expressions of one policy and collects what is wrong with them in ``problems``."""

    def __init__(
        self, document: Document, context: Any, tools: Iterable[str], states: Iterable[str], guards: Iterable[str]
    ) -> None:
        self.problems: list[ExpressionProblem] = []
        self.guards: dict[str, Guard] = {}
        self._document = document
        self._guard_names = frozenset(guards)
        self._parsed: dict[str, Any] = {}
        self._checked_uses: set[tuple[str, Scope]] = set()
        tool_names, state_names = frozenset(tools), frozenset(states)
        self._base: dict[str, Type] = {
            "context": from_schema(context),
            "calls": MapType(dict.fromkeys(sorted(tool_names), INT), tool_names, None),
            "visits": MapType(dict.fromkeys(sorted(state_names), INT), state_names, None),
            "state": String(state_names),
        }
        self.offer = Scope("`when`", self._base)
        self.transition = Scope("a transition", {**self._base, "event": DYN})
        self.request = Scope("`transition_guard`", {**self._base, "target": String(state_names)})
        self._anywhere = Scope("a guard", {**self._base, "event": DYN, "args": DYN, "result": DYN, "target": DYN})

    def call(self, input_schema: Any) -> Scope:
        """The scope of ``require``: the base names and the typed arguments."""
        return Scope("`require`", {**self._base, "args": from_schema(input_schema)})

    def result(self, input_schema: Any, output_schema: Any) -> Scope:
        """The scope of ``failed_when`` and ``emits``: the typed arguments and result too."""
        names = {**self._base, "args": from_schema(input_schema), "result": from_schema(output_schema)}
        return Scope("the result of a call", names)

    def define_guards(self, node: Mapping[str, Any], place_of: Any) -> None:
        """Compile the ``guards`` of the policy; their uses are checked again, each with the names of its place."""
        for name, body in node.items():
            place: Place = place_of(name)
            tree = reason = None
            external = False
            if isinstance(body, MappingNode):
                external = "external" in body
                if "expr" in body:
                    tree = self._tree(body["expr"], body.value_place("expr"), self._anywhere, BOOL)
                if "reason" in body:
                    reason = self._template(body["reason"], body.value_place("reason"))
            else:
                tree = self._tree(body, place, self._anywhere, BOOL)
            self.guards[name] = Guard(name, body, place, tree, external, reason)

    def condition(self, text: str, place: Place, scope: Scope) -> Condition:
        """A condition as written: the guard of that name, or an expression compiled in *scope*."""
        if text in self._guard_names or (_BARE_NAME.fullmatch(text) and text not in _LITERALS):
            if text in self.guards:
                self._check_use(self.guards[text], place, scope)
            return Condition(text, place, text, None)
        return Condition(text, place, None, self._tree(text, place, scope, BOOL))

    def value(self, text: str, place: Place, scope: Scope) -> list[Any] | None:
        """The tree of an expression of any type, or None where it does not compile."""
        return self._tree(text, place, scope, None)

    def _parse(self, text: str) -> Any:
        if text not in self._parsed:
            try:
                self._parsed[text] = parse(text)
            except ExpressionError as error:
                self._parsed[text] = error
        return self._parsed[text]

    def _tree(self, text: str, place: Place, scope: Scope, expected: Type | None) -> list[Any] | None:
        node = self._parse(text)
        if isinstance(node, ExpressionError):
            self._report("syntax", node, text, place)
            return None
        checked = check(node, scope.names, expected, scope.missing)
        for error in checked.errors:
            self._report("type", error, text, place)
        return None if checked.errors else checked.tree

    def _template(self, text: str, place: Place) -> list[Any] | None:
        template = parse_template(text, self._anywhere.names)
        for error in template.errors:
            self._report("type", error, text, place)
        return None if template.errors else template.parts

    def _check_use(self, guard: Guard, place: Place, scope: Scope) -> None:
        """A guard that types on its own may still read names, or fields of ``args``, that this place does not have."""
        if guard.tree is None or (guard.name, scope) in self._checked_uses:
            return
        self._checked_uses.add((guard.name, scope))
        text = guard.node["expr"] if isinstance(guard.node, MappingNode) else guard.node
        checked = check(self._parse(text), scope.names, BOOL, scope.missing)
        for error in checked.errors:
            message = f"guard `{guard.name}` cannot be used in {scope.what}: {error.message}"
            self.problems.append(ExpressionProblem("type", message, place, len(guard.name), error.hint))

    def _report(self, kind: str, error: ExpressionError, text: str, place: Place) -> None:
        at = self._document.place_in_scalar(place, text, error.offset)
        length = error.length if at != place or error.offset == 0 else self._document.token_length(place)
        self.problems.append(ExpressionProblem(kind, error.message, at, max(1, length), error.hint))
