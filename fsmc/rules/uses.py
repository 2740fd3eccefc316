"""Where a policy uses guards, events and selectors, for rules that compare uses with definitions."""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.analysis import Facts
from fsmc.policy.model import Condition, Policy, Selector, Transition
from fsmc.source.tree import MappingNode, Place


def transitions(policy: Policy) -> Iterator[Transition]:
    """Every transition as written, once: those of the defaults, then each state's own."""
    yield from policy.default_transitions
    for state in policy.states.values():
        for transition in state.transitions:
            if transition.default:
                break
            yield transition


def selectors(policy: Policy) -> Iterator[Selector]:
    """Every entry of a list of tools, once."""
    yield from policy.default_selectors
    for state in policy.states.values():
        yield from state.selectors


def conditions(policy: Policy) -> Iterator[Condition]:
    """Every condition of the policy, once."""
    if policy.transition_guard is not None:
        yield policy.transition_guard
    for tool in policy.tools.values():
        for condition in (tool.when, *tool.require, tool.failed_when, *(emit.when for emit in tool.emits)):
            if condition is not None:
                yield condition
    for transition in transitions(policy):
        if transition.guard is not None:
            yield transition.guard


def event_names(policy: Policy) -> dict[str, None]:
    """The events that are declared and emitted, each once; where none are declared, those waited for too."""
    names = dict.fromkeys([*(policy.events or ()), *policy.emitters])
    if policy.events is None:
        names.update(dict.fromkeys(transition.event for transition in transitions(policy)))
    return names


def event_place(policy: Policy, event: str) -> Place:
    """Where *event* is declared, or else where it is first emitted or waited for."""
    events = policy.root.get("events")
    if isinstance(events, MappingNode) and event in events:
        return events.key_place(event)
    if event in policy.emitters:
        return emit_place(policy, policy.emitters[event][0], event)
    return next(t.node.value_place("event") for t in transitions(policy) if t.event == event)


def emit_place(policy: Policy, tool: str, event: str) -> Place:
    """Where *tool* names *event* as an outcome."""
    for emit in policy.tools[tool].emits:
        if emit.event == event:
            return emit.node.value_place("event")
    return policy.tools[tool].node.value_place("on_failure")


def fallbacks(policy: Policy) -> set[str]:
    """The states that budgets name as their fallback, where they apply and where they do not."""
    holders = (policy.root.get("defaults"), *(state.node for state in policy.states.values()))
    budgets = (holder.get("tool_budget") for holder in holders if isinstance(holder, MappingNode))
    return {budget["fallback"] for budget in budgets if isinstance(budget, MappingNode) and "fallback" in budget}


def unheard_of(policy: Policy, facts: Facts) -> list[tuple[str, Transition]]:
    """Own transitions of reachable states on an event that only tools raise, none of which is offered there or before.

    Left out is what follows from something else: a tool that nothing offers, a selector that matches nothing, a move to
    a state that does not exist.
    """
    if facts.open or not policy.emitters or any(not selector.tools for selector in selectors(policy)):
        return []
    offered = {event for event, tools in policy.emitters.items() if any(map(facts.offering, tools))}
    waited_for = {event for event in offered if policy.reserved(event)}
    doubtful = [
        (state, transition)
        for state in map(policy.states.__getitem__, facts.by_distance)
        for transition in state.transitions
        if transition.event in waited_for
        and not transition.default
        and not set(policy.emitters[transition.event]).intersection(state.tools)
    ]
    if not doubtful or facts.broken & facts.reachable:
        return []
    raised = facts.raised_before(transition.event for _, transition in doubtful)
    return [(state.name, each) for state, each in doubtful if each.event not in raised[state.name]]
