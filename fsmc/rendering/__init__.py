"""Pictures of a table: Mermaid and DOT written here, SVG and PNG drawn by Graphviz, and a table of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from fsmc.rendering import dot, mermaid, picture
from fsmc.rendering.diagram import Diagram, extract
from fsmc.rendering.errors import RenderError
from fsmc.rendering.paint import paint_findings, paint_trace
from fsmc.rendering.show import show

if TYPE_CHECKING:
    from fsmc.findings import Finding
    from fsmc.runtime.table import Table

__all__ = ["FORMATS", "RenderError", "render", "show"]

_RENDERERS: dict[str, Callable[[Diagram], str | bytes]] = {
    "mermaid": mermaid.write,
    "dot": dot.write,
    "svg": lambda diagram: picture.draw(dot.write(diagram), "svg").decode(),
    "png": lambda diagram: picture.draw(dot.write(diagram), "png", dot.resolution(diagram)),
}
FORMATS = tuple(_RENDERERS)


def render(
    table: Table,
    format: str = "mermaid",
    *,
    tools: bool = False,
    trace: Iterable[Any] | None = None,
    findings: Iterable[Finding] | None = None,
) -> str | bytes:
    """Draw *table*: text for ``mermaid``, ``dot`` and ``svg``, bytes for ``png``. The last two need Graphviz.

    With *tools*, each state lists the tools it offers. *trace* paints the path of a run: steps as ``(source, target)`` pairs of
    state names, or as objects with ``source``, ``target`` and perhaps ``event`` and ``kind``, such as ``Step``. *findings* paints
    the states that lint has something to say about. Raises ``RenderError``.
    """
    writer = _RENDERERS.get(format)
    if writer is None:
        raise RenderError(f"unknown format `{format}`: the formats are {', '.join(FORMATS)}")
    diagram = extract(table, tools)
    if trace is not None:
        diagram = paint_trace(diagram, trace, table.topology == "open")
    if findings is not None:
        diagram = paint_findings(diagram, findings)
    return writer(diagram)
