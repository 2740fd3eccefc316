"""Shared by tests: policies from text, without the command line."""

from __future__ import annotations

import textwrap

from fsmc.compiler import compile_policy
from fsmc.policy.build import build
from fsmc.policy.model import Policy
from fsmc.runtime.schemas import quick_check
from fsmc.runtime.table import Table
from fsmc.source import parse


def policy(text: str, name: str = "policy.yaml") -> Policy:
    """The model of a policy that must be well formed."""
    document = parse(textwrap.dedent(text).encode(), name, None)
    assert not document.problems, document.problems
    assert quick_check()(document.root), "the schema does not accept this policy"
    built = build(document)
    assert not built.expression_problems, built.expression_problems
    return built


def table(text: str, name: str = "policy.yaml") -> Table:
    """The frozen table of a policy that must be well formed."""
    return Table(compile_policy(policy(text, name)))
