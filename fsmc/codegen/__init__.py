"""Typed modules made from a table, one writer a language: a name that the policy does not have fails before anything runs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsmc.runtime.table import Table

LANGUAGES = ("python", "typescript")


def generate(table: Table, language: str) -> str:
    """The source of the module for *table* in one of ``LANGUAGES``: the same text for the same table, always."""
    text: str = import_module(f"fsmc.codegen.{language}").write(table)
    return text
