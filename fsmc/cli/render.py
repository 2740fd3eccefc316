"""``fsmc render``"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from fsmc.cli.files import one_input, write_result
from fsmc.cli.options import format_by_suffix, option, output_option, policy_argument, subcommand
from fsmc.cli.tables import drawable_and_findings, has_errors, table_and_findings
from fsmc.rendering import FORMATS, render

_SUFFIXES = {
    ".mmd": "mermaid", ".mermaid": "mermaid", ".dot": "dot", ".gv": "dot", ".svg": "svg", ".png": "png",
}  # fmt: skip

if TYPE_CHECKING:
    from fsmc.runtime.infos import Step
    from fsmc.runtime.table import Table


@subcommand("render", "Draw a diagram: Mermaid, DOT, SVG or PNG.")
@policy_argument(metavar="POLICY|TABLE")
@option(
    "--format", "chosen", type=click.Choice(FORMATS),
    text="Mermaid and DOT are text; SVG and PNG need Graphviz. Else what the suffix of FILE says, else mermaid.",
)  # fmt: skip
@output_option("Where to write the diagram; - for standard output.")
@option("--tools", text="List the tools of each state.", is_flag=True)
@option("--trace", text="Paint the path of the first run in this file.", metavar="TRACE")
@option("--findings", text="Paint the states that lint has something to say about.", is_flag=True)
def command(policy: str, chosen: str | None, output: str, tools: bool, trace: str | None, findings: bool) -> int:
    """Draw a policy or a compiled table.

    With --findings a policy with errors is drawn too, as far as it can be, and the exit code is 1.
    """
    format_ = format_by_suffix(output, _SUFFIXES, chosen, "mermaid")
    if format_ == "png" and output == "-" and sys.stdout.isatty():
        raise click.UsageError("a PNG is no text for a terminal; name a file with -o")
    table, found = (drawable_and_findings if findings else table_and_findings)(one_input(policy))
    path = None if trace is None else _path(table, trace)
    drawn = render(table, format_, tools=tools, trace=path, findings=found if findings else None)
    content = drawn.encode() if isinstance(drawn, str) else drawn
    write_result(output, content, None if policy == "-" else policy)
    return int(has_errors(found))


def _path(table: Table, trace: str) -> list[Step]:
    """The moves of the first run that the file *trace* holds, as the policy enforces it."""
    from fsmc.simulation import simulate
    from fsmc.trace import read_file

    run = next(read_file(trace))
    return [move for step in simulate(table, run).steps for move in step.moves]
