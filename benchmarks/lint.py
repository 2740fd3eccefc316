"""What linting costs: against yamllint, check-jsonschema, a bare interpreter, `yaml.load` and a bare dict.

Run it with `make bench`. It prints ratios of CPU time from this one run and ends with 1 when one misses its bound.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.measure import bytecode, calls, command, line
from benchmarks.policies import chain, model, small
from fsmc.analysis import Facts
from fsmc.compiler import compile_policy
from fsmc.linter import lint_document
from fsmc.policy.model import Policy
from fsmc.rules import all_rules
from fsmc.runtime.table import Table
from fsmc.source import parse

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = str(ROOT / "schemas" / "policy-v1.schema.json")
YAMLLINT_CONFIG = "{extends: default, rules: {document-start: disable, line-length: disable, braces: disable}}"


def tool(name: str) -> str:
    """The command of an installed package, from the environment that runs this."""
    found = shutil.which(name, path=os.path.dirname(sys.executable)) or shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is not installed: pip install {name}")
    return found


def small_file(folder: Path) -> bool:
    """`fsmc lint` on 20 states."""
    path = folder / "small.yaml"
    path.write_text(small())
    bare = command([sys.executable, "-c", "pass"], 15).seconds
    ours = command([tool("fsmc"), "lint", str(path)], 15).seconds
    yamllint = command([tool("yamllint"), "-d", YAMLLINT_CONFIG, str(path)], 15).seconds
    checker = command([tool("check-jsonschema"), "--schemafile", SCHEMA, str(path)], 9).seconds
    print(f"fsmc lint, 20 states: {ours * 1000:.0f} ms CPU (bare interpreter {bare * 1000:.0f} ms)")
    return all([
        line("of yamllint", ours / yamllint, 0.6),
        line("of check-jsonschema", ours / checker, 0.3),
        line("of a bare interpreter", ours / bare, 5),
    ])  # fmt: skip


def large_file(folder: Path) -> bool:
    """`fsmc lint` on 10,000 states and 30,000 transitions."""
    path = folder / "large.yaml"
    path.write_text(chain(10_000))
    ours = command([tool("fsmc"), "lint", str(path)], 3)
    checker = command([tool("check-jsonschema"), "--schemafile", SCHEMA, str(path)], 1)
    print(f"fsmc lint, 10,000 states: {ours.seconds:.2f} s CPU, {ours.mebibytes:.0f} MiB")
    return all([
        line("less CPU than check-jsonschema", checker.seconds / ours.seconds, 10, at_least=True),
        line("of its memory", ours.mebibytes / checker.mebibytes, 0.5),
    ])  # fmt: skip


def in_process() -> bool:
    """Load, schema and all checks of 100 states, in this process."""
    data = chain(100).encode()
    lint_document(parse(data, "warm.yaml"))
    ours = calls(lambda: lint_document(parse(data, "bench.yaml")), 15)
    plain = calls(lambda: yaml.load(data, yaml.CSafeLoader), 15)
    print(f"load + schema + all checks, 100 states: {ours * 1000:.1f} ms (yaml.load {plain * 1000:.1f} ms)")
    return line("of yaml.load(CSafeLoader)", ours / plain, 2)


def graphs() -> bool:
    """Graph checks and freezing, against building the bare dict; and how they grow to a million transitions."""
    policy = model(10_000)
    data = compile_policy(policy)
    bare = calls(lambda: {s.name: {t.event: t.target for t in s.transitions} for s in policy.states.values()}, 9)
    checks = calls(lambda: graph_checks(policy), 7)
    freezing = calls(lambda: Table.compiled(data), 7)
    print(
        f"10,000 states, 30,000 transitions: bare dict {bare * 1000:.1f} ms, graph checks {checks * 1000:.1f} ms, "
        f"freezing {freezing * 1000:.1f} ms"
    )
    held = line("of building the bare dict", (checks + freezing) / bare, 10)
    large = model(333_333)
    large_data = compile_policy(large)
    cost = calls(lambda: graph_checks(large), 1) + calls(lambda: Table.compiled(large_data), 1)
    print(f"333,333 states, 1,000,000 transitions: graph checks and freezing {cost:.2f} s")
    return line("the cost a transition at 30,000", cost / 1_000_000 / ((checks + freezing) / 30_000), 2) and held


def graph_checks(policy: Policy) -> None:
    """Every rule about the graph, with facts of its own."""
    facts = Facts(policy)
    for rule in all_rules():
        if rule.check is not None and rule.code.startswith("FSM2"):
            list(rule.check(policy, facts))


def main() -> int:
    """Every ratio; 1 when one misses."""
    bytecode()
    with tempfile.TemporaryDirectory() as folder:
        held = [small_file(Path(folder)), large_file(Path(folder)), in_process(), graphs()]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
