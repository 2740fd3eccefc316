"""What drawing raises."""

from __future__ import annotations

from fsmc.runtime.errors import FsmcError


class RenderError(FsmcError):
    """A table cannot be drawn as asked: an unknown format, a trace of another policy, or Graphviz missing or failing."""
