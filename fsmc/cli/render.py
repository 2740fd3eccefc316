"""``fsmc render``"""

from __future__ import annotations

import sys

import click

from fsmc.cli.files import one_input, write_result
from fsmc.cli.options import format_option, option, output_option, policy_argument, subcommand
from fsmc.cli.tables import table_and_findings
from fsmc.render import FORMATS, render


@subcommand("render")
@policy_argument(metavar="POLICY|TABLE")
@format_option(FORMATS, "Mermaid and DOT are text; SVG and PNG need Graphviz.")
@output_option("Where to write the diagram; - for standard output.")
@option("--tools", text="List the tools of each state.", is_flag=True)
@option("--findings", text="Paint the states that lint has something to say about.", is_flag=True)
def command(policy: str, format_: str, output: str, tools: bool, findings: bool) -> int:
    """Draw a policy or a compiled table."""
    if format_ == "png" and output == "-" and sys.stdout.isatty():
        raise click.UsageError("a PNG is no text for a terminal; name a file with -o")
    table, found = table_and_findings(one_input(policy))
    drawn = render(table, format_, tools=tools, findings=found if findings else None)
    content = drawn.encode() if isinstance(drawn, str) else drawn
    write_result(output, content, None if policy == "-" else policy)
    return 0
