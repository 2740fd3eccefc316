"""``fsmc codegen``"""

from __future__ import annotations

import os
import shlex

import click

from fsmc.cli.files import note, write_result
from fsmc.cli.options import option, output_option, policy_argument, subcommand
from fsmc.cli.tables import load_table
from fsmc.codegen import LANGUAGES, generate
from fsmc.report.style import printable
from fsmc.source import InputError
from fsmc.stored import read_at_most


@subcommand("codegen", "Write the names as types: Python, TypeScript.")
@click.argument("language", type=click.Choice(LANGUAGES), metavar="|".join(LANGUAGES))
@policy_argument(metavar="POLICY|TABLE")
@output_option("Where to write the module; - for standard output.")
@option("--check", text="Write nothing; the exit code is 1 when FILE is not what would be written.", is_flag=True)
def command(language: str, policy: str, output: str, check: bool) -> int:
    """Write a module that knows the names of a policy or a compiled table as types.

    It has the states, events, tools, external guards, context and arguments. The same table always gives the same bytes.
    """
    if check and output == "-":
        raise click.UsageError("--check compares with a file; name it with -o")
    content = generate(load_table(policy), language).encode()
    source = None if policy == "-" else policy
    if not check:
        write_result(output, content, source)
        return 0
    if source is not None and os.path.exists(output) and os.path.samefile(source, output):
        raise click.UsageError(f"{printable(output)} is the input itself; name the file that is made from it")
    problem = _difference(output, content)
    if problem is None:
        return 0
    again = "" if source is None else f"; run `{shlex.join(('fsmc', 'codegen', language, source, '-o', output))}`"
    note(f"{output} {problem}{again}")
    return 1


def _difference(path: str, content: bytes) -> str | None:
    """What is wrong with the file at *path*, which should hold *content*; a line may end as on Windows."""
    if not os.path.exists(path):
        return "does not exist"
    try:
        with open(path, "rb") as file:
            found = read_at_most(file, 2 * len(content) + 1).replace(b"\r\n", b"\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    return None if found == content else "is stale: it is not what this fsmc makes of this policy"
