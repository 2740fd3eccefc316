"""Shared by tests: policies from text, without the command line."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

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


def optional_data(name: str) -> Path | None:
    """A folder of other people's files under ``$FSMC_DATA``; None where they are not at hand."""
    root = os.environ.get("FSMC_DATA")
    folder = Path(root, name) if root else None
    return folder if folder is not None and folder.is_dir() else None


def data_folder(name: str) -> Path:
    """The same, for a test that needs it and is skipped without."""
    folder = optional_data(name)
    if folder is None:
        pytest.skip("optional data: set FSMC_DATA")
    return folder
