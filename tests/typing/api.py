"""The public surface as a type checker sees it: `make check` runs mypy over this file, which is never imported.

An ignore that is not needed is an error too, so every misuse below must be one.
"""

from collections.abc import Mapping

import fsmc

table: fsmc.Table = fsmc.load("policy.yaml")
same: fsmc.Table = fsmc.compile("policy.yaml")
findings: list[fsmc.Finding] = fsmc.lint("policies")
unreadable: type[fsmc.FsmcError] = fsmc.InputError
picture: str | bytes = fsmc.render(table, "svg", tools=True)
reports: list[fsmc.RunReport] = fsmc.simulate(table, "run.jsonl", context={"role": "patient"})

step: fsmc.Step = table.step("TRIAGE", "IDENTIFIED", {"context": {}})
target: str | None = step.target


def agrees(facts: Mapping[str, object]) -> bool:
    return "context" in facts


session: fsmc.Session = table.session({"role": "patient"}, guards={"calendar_agrees": agrees})
offered: tuple[str, ...] = session.allowed_tools
decision: fsmc.Decision = session.reserve("confirm", {"price": 120})
if decision.allowed:
    settled: fsmc.Settled = session.commit(decision.call_id, {"ok": True})
    loop: fsmc.Loop | None = settled.loop
sent: fsmc.Step = session.send("CANCELLED", {"by": "patient"})

table.states["A"] = table.states["B"]  # type: ignore[index]
session.state = "DONE"  # type: ignore[misc]
decision.verdict = "allow"  # type: ignore[misc]
table.step(1, "IDENTIFIED")  # type: ignore[arg-type]
fsmc.lode("policy.yaml")  # type: ignore[attr-defined]
session.commit(None)  # type: ignore[arg-type]
