"""Pictures drawn by Graphviz."""

from __future__ import annotations

from collections.abc import Mapping

from fsmc.rendering.errors import RenderError

TIMEOUT = 60.0
_INSTALL = (
    "install it (apt install graphviz, brew install graphviz, https://graphviz.org/download) or use --format mermaid"
)


def draw(
    source: str, image_format: str, attributes: Mapping[str, str] | None = None, timeout: float = TIMEOUT
) -> bytes:
    """*source*, in DOT, as an ``svg`` or ``png`` image; *attributes* replace those of the graph. Raises ``RenderError``."""
    import subprocess

    try:
        from graphviz.backend.dot_command import command
    except ImportError:
        raise RenderError(f"{image_format} needs the Python package graphviz: pip install graphviz") from None
    arguments = [*command("dot", image_format), *(f"-G{name}={value}" for name, value in (attributes or {}).items())]
    try:
        done = subprocess.run(arguments, input=source.encode(), capture_output=True, timeout=timeout, check=False)
    except FileNotFoundError:
        raise RenderError(f"{image_format} needs the program `dot` of Graphviz: {_INSTALL}") from None
    except subprocess.TimeoutExpired:
        raise RenderError(
            f"`dot` was stopped after {timeout:g} seconds: the graph is too large to lay out in that time"
        ) from None
    if done.returncode != 0 or not done.stdout:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise RenderError(f"`dot` failed: {said[0]}")
    return done.stdout
