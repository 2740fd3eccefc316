"""``fsmc schema``"""

from __future__ import annotations

import click

from fsmc.cli.files import write_text
from fsmc.cli.options import subcommand
from fsmc.runtime.schemas import schema_text

SCHEMAS = ("policy", "table", "trace", "lint-report", "baseline")


@subcommand("schema", "Print a JSON Schema: policy, table, trace, lint report or baseline.")
@click.argument("name", type=click.Choice(SCHEMAS), default="policy")
def command(name: str) -> int:
    """Print a published JSON Schema: of a policy, a compiled table, one line of a native trace, a report of lint as JSON, a baseline."""
    write_text(schema_text(f"{name}-v1"))
    return 0
