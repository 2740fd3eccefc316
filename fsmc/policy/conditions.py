"""Expressions of a policy, compiled where they stand: which names each place may read, with which types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fsmc.expression import (
    BOOL,
    DYN,
    INT,
    STRING,
    Checked,
    ExpressionError,
    MapType,
    Node,
    String,
    Type,
    check,
    from_schema,
    join,
    parse,
    parse_template,
)  # fmt: skip
from fsmc.policy.model import Condition, ExpressionProblem, Guard
from fsmc.source.tree import Document, MappingNode, Place

_BARE_NAME = re.compile(r"[^\W\d]\w*(?!\S|\s)")
_LITERALS = frozenset(("true", "false", "null"))
# What an author may well mean as a text: words, and nothing else.
_WORDS = re.compile(r"[^\W\d]\w*(?:[ -]\w+)*")
_MOST_RAISERS = 100  # the types of more tools are not joined: of their events nothing is known
_MOST_PROBLEMS = 2_000  # after so many nothing more is compiled: the policy is refused anyway
_NOT_ALONE = "`%s` is a guard, which can only stand alone, as the whole condition: write out what it asks"

Raiser = tuple[str, bool]
"""A tool, and whether it is a failed call of it that raises the event."""

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
        self,
        document: Document,
        context: Any,
        tools: Mapping[str, Mapping[str, Any]],
        states: Iterable[str],
        guards: Iterable[str],
    ) -> None:
        self.problems: list[ExpressionProblem] = []
        self.guards: dict[str, Guard] = {}
        self._document = document
        self._guard_names = frozenset(guards)
        self._tools = tools
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
        self._transitions: dict[tuple[Raiser, ...], Scope] = {(): Scope("a transition", {**self._base, "event": DYN})}
        self._outputs: dict[Raiser, tuple[Type, Type]] = {}
        self.request = Scope("`transition_guard`", {**self._base, "target": String(state_names)})
        self._anywhere = Scope("a guard", {**self._base, "event": DYN, "args": DYN, "result": DYN, "target": DYN})

    def call(self, input_schema: Any) -> Scope:
        """The scope of ``require``: the base names and the typed arguments."""
        return Scope("`require`", {**self._base, "args": from_schema(input_schema)})

    def result(self, input_schema: Any, output_schema: Any) -> Scope:
        """The scope of ``failed_when`` and ``emits``: the typed arguments and result too."""
        names = {**self._base, "args": from_schema(input_schema), "result": from_schema(output_schema)}
        return Scope("the result of a call", names)

    def transition(self, raisers: tuple[Raiser, ...] = ()) -> Scope:
        """The scope of a transition. *raisers* are the tools whose results alone raise its event: their schemas type the
        payload. Where there are none, the application sends the event, and its payload may be anything.
        """
        if len(raisers) > _MOST_RAISERS:
            raisers = ()
        if raisers not in self._transitions:
            types = [self._output(raiser) for raiser in raisers]
            payload: dict[str, Type] = {
                "tool": String(frozenset(tool for tool, _ in raisers)),
                "args": join(arguments for arguments, _ in types),
                "result": join(result for _, result in types),
            }
            event = MapType(payload, frozenset(payload), None)
            self._transitions[raisers] = Scope("a transition", {**self._base, "event": event})
        return self._transitions[raisers]

    def _output(self, raiser: Raiser) -> tuple[Type, Type]:
        """The types of the arguments and the result that come with an event. A failure may also be told in plain words."""
        if raiser not in self._outputs:
            tool, failed = raiser
            node = self._tools[tool]
            result = from_schema(node.get("output_schema"))
            self._outputs[raiser] = from_schema(node.get("input_schema")), join((result, STRING)) if failed else result
        return self._outputs[raiser]

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
        noted = len(self.problems)
        tree = self._tree(text, place, scope, None)
        if len(self.problems) > noted and (not text.strip() or _WORDS.fullmatch(text)):
            hint = f"for the text itself write {_as_text(text, self._document.format)}"
            self.problems[noted:] = [
                problem if (problem.hint or "").startswith("did you mean") else problem._replace(hint=hint)
                for problem in self.problems[noted:]
            ]
        return tree

    def _parse(self, text: str) -> Any:
        if text not in self._parsed:
            try:
                self._parsed[text] = parse(text)
            except ExpressionError as error:
                self._parsed[text] = error
        return self._parsed[text]

    def _tree(self, text: str, place: Place, scope: Scope, expected: Type | None) -> list[Any] | None:
        if len(self.problems) >= _MOST_PROBLEMS:
            return None
        node = self._parse(text)
        if isinstance(node, ExpressionError):
            self._report("syntax", node, text, place)
            return None
        checked = self._check(node, text, scope, expected)
        for error in checked.errors:
            self._report("type", error, text, place)
        return None if checked.errors else checked.tree

    def _check(self, node: Node, text: str, scope: Scope, expected: Type | None) -> Checked:
        checked = check(node, scope.names, expected, scope.missing)
        guards = self._guard_names.intersection(re.findall(r"\w+", text)) if checked.errors else ()
        if guards:  # once more, now that it matters what guards are called
            checked = check(
                node, scope.names, expected, {**{name: _NOT_ALONE % name for name in guards}, **scope.missing}
            )
        return checked

    def _template(self, text: str, place: Place) -> list[Any] | None:
        if len(self.problems) >= _MOST_PROBLEMS:
            return None
        template = parse_template(text, self._anywhere.names)
        for error in template.errors:
            self._report("type", error, text, place)
        return None if template.errors else template.parts

    def _check_use(self, guard: Guard, place: Place, scope: Scope) -> None:
        """A guard that types on its own may still read names, or fields of ``args``, that this place does not have."""
        if guard.tree is None or (guard.name, scope) in self._checked_uses or len(self.problems) >= _MOST_PROBLEMS:
            return
        self._checked_uses.add((guard.name, scope))
        text = guard.node["expr"] if isinstance(guard.node, MappingNode) else guard.node
        for error in self._check(self._parse(text), text, scope, BOOL).errors:
            message = f"guard `{guard.name}` cannot be used in {scope.what}: {error.message}"
            self.problems.append(ExpressionProblem("type", message, place, len(guard.name), error.hint, text))

    def _report(self, kind: str, error: ExpressionError, text: str, place: Place) -> None:
        at = self._document.place_in_scalar(place, text, error.offset)
        length = error.length if at != place or error.offset == 0 else self._document.token_length(place)
        self.problems.append(ExpressionProblem(kind, error.message, at, max(1, length), error.hint, text))


def _as_text(words: str, format: str) -> str:
    """How a policy writes an expression that is a text."""
    return f'"\\"{words}\\""' if format == "json" else f"'\"{words}\"'"
