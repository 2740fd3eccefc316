"""``fsmc compile``"""

from __future__ import annotations

import click

from fsmc.cli.files import note, one_input, write_result, write_text
from fsmc.cli.options import color_option, option, output_option, policy_argument, stdin_filename_option, subcommand
from fsmc.cli.tables import model_and_findings


@subcommand("compile", "Write the frozen table and print its digest.")
@policy_argument()
@output_option("Where to write the table; - for standard output.")
@option("--source-map", text="Add where states, tools and transitions are written; the digest stays.", is_flag=True)
@stdin_filename_option
@color_option
def command(policy: str, output: str, source_map: bool, stdin_filename: str, color: str) -> int:
    """Write the frozen table of POLICY as JSON and print its digest.

    The digest goes to standard error when the table goes to standard output. A policy with errors is not compiled.
    """
    found = one_input(policy, stdin_filename)
    if found.document is None:
        raise click.UsageError(f"{found.path} is a compiled table already")
    from fsmc.compiler import compile_policy
    from fsmc.runtime.canonical import canonical_json

    model, _ = model_and_findings(found.document, color)
    table = compile_policy(model, source_map)
    write_result(output, canonical_json(table).encode() + b"\n", None if policy == "-" else policy)
    if output == "-":
        note(table["digest"])
    else:
        write_text(f"{table['digest']}\n")
    return 0
