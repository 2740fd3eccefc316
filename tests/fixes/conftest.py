"""The command line for tests of fixes."""

from tests.cli.conftest import folder, fsmc

__all__ = ["folder", "fsmc"]
