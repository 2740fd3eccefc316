"""What an editor shows for the name or the finding under the pointer, as Markdown."""

from __future__ import annotations

from fsmc.findings import Finding
from fsmc.lsp.symbols import Occurrence
from fsmc.policy.model import Policy, State
from fsmc.rules import rule
from fsmc.source.tree import MappingNode


def about_finding(finding: Finding) -> str:
    """The title of a rule and why it matters."""
    from fsmc.rules.manual import page

    found = page(rule(finding.code))
    return f"**{finding.code} {finding.rule}**: {found.title}\n\n{found.text}"


def about_name(policy: Policy, found: Occurrence) -> str | None:
    """A summary of what a name stands for; None for a name that is not defined."""
    if found.kind == "state" and found.name in policy.states:
        return _state(policy.states[found.name])
    if found.kind == "tool" and found.name in policy.tools:
        return _tool(policy, found.name)
    if found.kind == "guard" and found.name in policy.guards:
        return _guard(policy, found.name)
    return _event(policy, found.name) if found.kind == "event" else None


def _state(state: State) -> str:
    lines = [f"**{state.name}** ({state.kind} state)", *_described(state.node)]
    if state.tools:
        lines.append("Tools: " + ", ".join(f"`{name}`" for name in state.tools))
    if state.budget is not None:
        limits = [
            text
            for text in (
                f"{state.budget.limit} calls" if state.budget.limit is not None else "",
                f"{state.budget.repeated} identical ones in a row" if state.budget.repeated is not None else "",
                f"then {state.budget.fallback}" if state.budget.fallback is not None else "",
            )
            if text
        ]
        lines.append("Budget: " + ", ".join(limits))
    moves = [
        f"- {transition.event} → {transition.target}"
        + (f" if `{transition.guard.text}`" if transition.guard is not None else "")
        + (" (default)" if transition.default else "")
        for transition in state.transitions
    ]
    return "\n\n".join([*lines, "\n".join(moves)] if moves else lines)


def _tool(policy: Policy, name: str) -> str:
    tool = policy.tools[name]
    offering = [state.name for state in policy.states.values() if name in state.tools]
    lines = [f"**{name}** ({tool.effect} tool)", *_described(tool.node)]
    lines.append("Offered in " + ", ".join(offering) if offering else "No state offers it.")
    if tool.events:
        lines.append("Raises " + ", ".join(tool.events))
    return "\n\n".join(lines)


def _guard(policy: Policy, name: str) -> str:
    guard = policy.guards[name]
    lines = [f"**{name}** (guard)", *_described(guard.node)]
    if guard.external:
        lines.append("Asked of the application.")
    else:
        expression = guard.node.get("expr") if isinstance(guard.node, MappingNode) else guard.node
        lines.append(f"`{expression}`")
    return "\n\n".join(lines)


def _event(policy: Policy, name: str) -> str:
    lines = [f"**{name}** (event)"]
    declared = (policy.events or {}).get(name)
    if declared is not None:
        lines += _described(declared.node)
    raised = policy.emitters.get(name, ())
    if raised:
        lines.append("Raised by " + ", ".join(f"`{tool}`" for tool in raised))
    if not policy.reserved(name):
        lines.append("The application may send it.")
    waiting = [s.name for s in policy.states.values() if any(t.event == name for t in s.transitions)]
    if waiting:
        lines.append("Waited for in " + ", ".join(waiting))
    return "\n\n".join(lines)


def _described(node: object) -> list[str]:
    text = node.get("description") if isinstance(node, MappingNode) else None
    return [text] if isinstance(text, str) else []
