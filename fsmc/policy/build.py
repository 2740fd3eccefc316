"""From a document that the schema accepts to a ``Policy``: defaults applied, selectors resolved, expressions compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fsmc.policy.conditions import Expressions, Raiser, Scope
from fsmc.policy.model import Assignment, Budget, Condition, Emit, Event, Policy, Selector, State, Tool, Transition
from fsmc.source.tree import Document, MappingNode, Place, SequenceNode

# What defaults and selectors may stand for in all, so that a small file cannot mean a huge table.
MAX_EXPANDED = 1_000_000
DEFAULT_APPROVAL_MS = 15 * 60 * 1000
_DURATION = re.compile(r"(\d+)(?:\.(\d+))?(ms|s|m|h)")
_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_GLOB = re.compile(r"[*?\[]")


def build(document: Document) -> Policy:
    """The model of *document*, whose root the schema has accepted."""
    root = document.root
    assert isinstance(root, MappingNode)
    return _Builder(document, root).policy()


def milliseconds(duration: str | int | float) -> int:
    """``250ms``, ``30s``, ``5m``, ``2h`` or a number of seconds, in milliseconds."""
    if not isinstance(duration, str):
        return round(duration * 1000)
    match = _DURATION.fullmatch(duration)
    if match is None:
        raise ValueError(f"not a duration: {duration!r}")
    whole, fraction, unit = match.groups()
    scale = _UNITS_MS[unit]
    return int(whole) * scale + (int(fraction) * scale // 10 ** len(fraction) if fraction else 0)


class PolicyTooLarge(Exception):
    """Defaults and selectors, written once, stand for more than a policy may hold; ``place`` is where they are written."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


class _Builder:
    def __init__(self, document: Document, root: MappingNode) -> None:
        self._document = document
        self._root = root
        self._tool_nodes: Mapping[str, MappingNode] = root.get("tools", {})
        self._tool_names = sorted(self._tool_nodes)
        self._defaults: MappingNode | dict[str, Any] = root.get("defaults", {})
        self._selected: dict[str, tuple[str, ...]] = {}
        self._offers: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._work = 0
        self._raisers: dict[str, tuple[Raiser, ...]] = {}
        self._expressions = Expressions(
            document, root.get("context"), self._tool_nodes, root["states"], root.get("guards", ())
        )

    def policy(self) -> Policy:
        root, expressions = self._root, self._expressions
        if "guards" in root:
            expressions.define_guards(root["guards"], root["guards"].value_place)
        tools = {name: self._tool(name, node) for name, node in self._tool_nodes.items()}
        emitters: dict[str, list[str]] = {}
        for tool in tools.values():
            for event in tool.events:
                emitters.setdefault(event, []).append(tool.name)
        events = self._events()
        self._raisers = _raisers(tools.values(), events or {})
        default_selectors = self._selectors(self._defaults.get("tools"))
        default_transitions = self._transitions(self._defaults.get("transitions"), default=True)
        states = {
            name: self._state(name, node, default_selectors, default_transitions)
            for name, node in root["states"].items()
        }
        return Policy(
            document=self._document,
            root=root,
            id=root["id"],
            version=root.get("version"),
            description=root.get("description"),
            initial=root["initial"],
            topology=root.get("topology", "dag"),
            long_running=root.get("long_running", False),
            transition_guard=self._condition(root, "transition_guard", expressions.request),
            context=root.get("context"),
            events=events,
            guards=expressions.guards,
            tools=tools,
            states=states,
            default_selectors=default_selectors,
            default_transitions=default_transitions,
            expression_problems=tuple(expressions.problems),
            emitters={event: tuple(names) for event, names in emitters.items()},
        )

    def _events(self) -> dict[str, Event] | None:
        if "events" not in self._root:
            return None
        return {name: Event(name, node.get("source"), node) for name, node in self._root["events"].items()}

    def _tool(self, name: str, node: MappingNode) -> Tool:
        expressions = self._expressions
        input_schema = node.get("input_schema")
        call = expressions.call(input_schema) if "require" in node else None
        result = None
        if "failed_when" in node or "emits" in node:
            result = expressions.result(input_schema, node.get("output_schema"))
        approval = node.get("approval", False)
        if approval is not False:
            expires = approval.get("expires") if isinstance(approval, dict) else None
            approval = DEFAULT_APPROVAL_MS if expires is None else milliseconds(expires)
        return Tool(
            name=name,
            node=node,
            effect=node.get("effect", "write"),
            when=self._condition(node, "when", expressions.offer),
            require=self._conditions(node, "require", call),
            max_calls=node.get("max_calls"),
            approval=None if approval is False else approval,
            failed_when=self._condition(node, "failed_when", result),
            on_failure=node.get("on_failure"),
            emits=tuple(
                Emit(emit.get("event"), self._condition(emit, "when", result), self._assignments(emit, result), emit)
                for emit in node.get("emits", ())
            ),
        )

    def _condition(self, node: MappingNode, key: str, scope: Scope | None) -> Condition | None:
        if key not in node or scope is None:
            return None
        return self._expressions.condition(node[key], node.value_place(key), scope)

    def _conditions(self, node: MappingNode, key: str, scope: Scope | None) -> tuple[Condition, ...]:
        """One condition, or a list of them."""
        if key not in node or scope is None:
            return ()
        body = node[key]
        if not isinstance(body, SequenceNode):
            return (self._expressions.condition(body, node.value_place(key), scope),)
        return tuple(self._expressions.condition(text, body.value_place(i), scope) for i, text in enumerate(body))

    def _assignments(self, node: MappingNode, scope: Scope | None) -> tuple[Assignment, ...]:
        if "set" not in node or scope is None:
            return ()
        body: MappingNode = node["set"]
        return tuple(
            Assignment(name, body.key_place(name), self._expressions.value(text, body.value_place(name), scope))
            for name, text in body.items()
        )

    def _selectors(self, node: SequenceNode | None) -> tuple[Selector, ...]:
        if node is None:
            return ()
        return tuple(Selector(text, node.value_place(i), self._select(text)) for i, text in enumerate(node))

    def _select(self, text: str) -> tuple[str, ...]:
        if text not in self._selected:
            self._selected[text] = self._resolve(text)
        return self._selected[text]

    def _resolve(self, text: str) -> tuple[str, ...]:
        nodes = self._tool_nodes
        if text in nodes:
            return (text,)
        if text in ("effect:read", "effect:write"):
            effect = text.partition(":")[2]
            return tuple(name for name in self._tool_names if nodes[name].get("effect", "write") == effect)
        if _GLOB.search(text):
            import fnmatch  # only a policy with globs pays for the import

            self._spend(len(self._tool_names), "tools", "tools compared with globs")
            return tuple(name for name in self._tool_names if fnmatch.fnmatchcase(name, text))
        return ()

    def _transitions(self, node: SequenceNode | None, default: bool) -> tuple[Transition, ...]:
        if node is None:
            return ()
        scope, raisers = self._expressions.transition, self._raisers
        return tuple(
            Transition(
                item["event"],
                item["target"],
                self._condition(item, "guard", scope(raisers.get(item["event"], ()))) if "guard" in item else None,
                self._assignments(item, scope(raisers.get(item["event"], ()))) if "set" in item else (),
                item,
                default,
            )
            for item in node
        )

    def _state(
        self, name: str, node: MappingNode, selectors: tuple[Selector, ...], defaults: tuple[Transition, ...]
    ) -> State:
        kind = node.get("type") or ("initial" if name == self._root["initial"] else "intermediate")
        own = self._transitions(node.get("transitions"), default=False)
        own_selectors = self._selectors(node.get("tools"))
        if kind == "terminal":
            chosen, transitions, budget = own_selectors, own, self._budget(name, node, applies=False)
            parallel = node.get("parallel_calls")
        else:
            chosen = own_selectors + selectors
            if defaults:
                self._spend(len(defaults), "defaults", "transitions that the defaults add to states")
            transitions = own + tuple(t for t in defaults if t.target != name) if defaults else own
            budget = self._budget(name, node, applies=True)
            parallel = node.get("parallel_calls", self._defaults.get("parallel_calls"))
        return State(
            name=name,
            node=node,
            kind=kind,
            selectors=own_selectors,
            tools=self._offered(chosen),
            budget=budget,
            parallel_calls=parallel,
            max_visits=node.get("max_visits"),
            on_exhausted=node.get("on_exhausted"),
            transitions=transitions,
        )

    def _offered(self, selectors: tuple[Selector, ...]) -> tuple[str, ...]:
        """The tools of all *selectors*, each once, in order; states with the same selectors share one tuple."""
        key = tuple(selector.text for selector in selectors)
        if key not in self._offers:
            self._offers[key] = tuple(dict.fromkeys(name for selector in selectors for name in selector.tools))
        self._spend(len(self._offers[key]), "states", "tools offered, over all states")
        return self._offers[key]

    def _spend(self, work: int, key: str, what: str) -> None:
        self._work += work
        if self._work > MAX_EXPANDED:
            raise PolicyTooLarge(f"this policy stands for more than {MAX_EXPANDED:,} {what}", self._root.key_place(key))

    def _budget(self, name: str, node: MappingNode, applies: bool) -> Budget | None:
        """The state's budget over the default one, key by key; a default fallback to the state itself does not apply."""
        own = node.get("tool_budget")
        default = self._defaults.get("tool_budget") if applies else None
        if own is None and default is None:
            return None
        merged = {**(default or {}), **(own or {})}
        fallback = merged.get("fallback")
        if fallback == name and not (own and "fallback" in own):
            fallback = None
        origin = own if own is not None and (default is None or "fallback" in own or fallback is None) else default
        assert origin is not None
        return Budget(merged.get("limit"), merged.get("repeated"), fallback, origin)


def _raisers(tools: Iterable[Tool], events: Mapping[str, Event]) -> dict[str, tuple[Raiser, ...]]:
    """For each event that only results raise the tools that do, in the order declared."""
    found: dict[str, list[Raiser]] = {}
    for tool in tools:
        for event in dict.fromkeys(emit.event for emit in tool.emits if emit.event is not None):
            found.setdefault(event, []).append((tool.name, False))
        if tool.on_failure is not None:
            found.setdefault(tool.on_failure, []).append((tool.name, True))
    return {
        event: tuple(raisers)
        for event, raisers in found.items()
        if event not in events or events[event].source != "any"
    }
