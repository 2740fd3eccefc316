"""Generated policies for the benchmarks: a chain with forward edges, as text and as data."""

from __future__ import annotations

from fsmc.policy.build import build
from fsmc.policy.model import Policy, State, Transition
from fsmc.source import parse

_TOOLS = 10


def chain(states: int, edges: int = 3) -> str:
    """A YAML policy of *states* states, each with *edges* transitions forward and one of ten tools."""
    tools = "".join(f"  tool_{i}: {{effect: read}}\n" for i in range(_TOOLS))
    lines = ["fsmc: 1\nid: chain\ninitial: S0\ntools:\n", tools, "states:\n"]
    for i in range(states):
        lines.append(f"  S{i}:\n    tools: [tool_{i % _TOOLS}]\n    transitions:\n")
        for step in range(1, edges + 1):
            target = f"S{i + step}" if i + step < states else "END"
            lines.append(f"      - {{event: E{step}, target: {target}}}\n")
    lines.append("  END:\n    type: terminal\n")
    return "".join(lines)


SMALL = """\
fsmc: 1
id: twenty
description: Twenty states with tools, budgets, guards and schemas, as a policy of this size has.
initial: S0
context:
  type: object
  properties:
    role: {enum: [patient, staff]}
    price: {type: integer}
defaults:
  tool_budget: {limit: 8, fallback: HELP}
  transitions:
    - {event: CANCELLED, target: HELP}
guards:
  cheap: context.price <= 200
tools:
  look:
    effect: read
    input_schema: {type: object, properties: {query: {type: string}}, required: [query]}
  act:
    when: context.role == "patient"
    require: args.price <= 200
    max_calls: 1
    emits:
      - {event: ACTED}
states:
"""


def small(states: int = 20) -> str:
    """A YAML policy of *states* states that uses most of the language."""
    lines = [SMALL]
    for i in range(states - 2):
        target = f"S{i + 1}" if i + 1 < states - 2 else "DONE"
        lines.append(
            f"  S{i}:\n    tools: [look, act]\n    transitions:\n"
            f"      - {{event: ACTED, target: {target}, guard: cheap}}\n"
            f"      - {{event: ACTED, target: HELP}}\n"
        )
    lines.append("  HELP:\n    type: terminal\n  DONE:\n    type: terminal\n")
    return "".join(lines)


_RING = """\
fsmc: 1
id: ring
initial: S0
topology: cyclic
long_running: true
context:
  type: object
  properties:
    n: {type: integer}
guards:
  asked: {external: true}
tools:
  look: {effect: read}
  other: {effect: read}
states:
"""


def ring(states: int, guard: str = "", walked: int | None = None) -> str:
    """A YAML policy whose first *walked* states (all, unless given) follow each other by GO, without an end.

    The states that are not walked hang on the first. Every state offers ``look``; ``other`` is offered after the last state only.
    """
    walked = walked or states
    guarded = f", guard: {guard}" if guard else ""
    lines = [_RING if guard == "asked" else _RING.replace("guards:\n  asked: {external: true}\n", "")]
    for i in range(states):
        after = i + 1 if i + 1 < states and i + 1 != walked else 0
        lines.append(
            f"  S{i}:\n    tools: [look]\n    transitions:\n      - {{event: GO, target: S{after}{guarded}}}\n"
        )
        if i == 0 and walked < states:
            lines.append(f"      - {{event: ON, target: S{walked}}}\n")
        if i == states - 1:
            lines.append("      - {event: STOP, target: LAST}\n")
    lines.append("  LAST: {tools: [other], transitions: [{event: OVER, target: END}]}\n  END: {type: terminal}\n")
    return "".join(lines)


def model(states: int, edges: int = 3) -> Policy:
    """What ``chain`` means, built without its text: a text of this size would be refused."""
    small_one = build(parse(chain(4).encode(), "chain.yaml"))
    node = small_one.states["S0"].node
    made: dict[str, State] = {}
    for i in range(states):
        targets = [f"S{i + step}" if i + step < states else "END" for step in range(1, edges + 1)]
        transitions = tuple(
            Transition(f"E{step}", target, None, (), node, False) for step, target in enumerate(targets, 1)
        )
        kind = "intermediate" if i else "initial"
        made[f"S{i}"] = small_one.states["S0"]._replace(
            name=f"S{i}", kind=kind, tools=(f"tool_{i % _TOOLS}",), transitions=transitions
        )
    made["END"] = small_one.states["END"]
    return small_one._replace(states=made)
