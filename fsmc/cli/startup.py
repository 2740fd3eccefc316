"""A quick start: click without the modules that only its rarer features need."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _OnFirstUse(ModuleType):
    """Stands for a module until an attribute of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        import importlib

        return getattr(importlib.import_module(self.__name__), name)


def import_click() -> Any:
    """The click package. While it is imported, and only then, its ``import inspect`` gets a stand-in.

    ``inspect`` brings ``ast``, ``dis`` and ``tokenize`` along, a third of click's import time, for help texts alone. click
    keeps the stand-in, which imports the real module when click uses it; everybody else gets the real one.
    """
    if "inspect" in sys.modules or "click" in sys.modules:
        import click

        return click
    sys.modules["inspect"] = _OnFirstUse("inspect")
    try:
        import click
    finally:
        if isinstance(sys.modules.get("inspect"), _OnFirstUse):
            del sys.modules["inspect"]
    return click
