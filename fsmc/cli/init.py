"""``fsmc init``"""

from __future__ import annotations

import json
import os

import click

from fsmc.cli.files import write_text
from fsmc.cli.options import format_by_suffix, option, subcommand
from fsmc.cli.streams import OutputError
from fsmc.source import InputError

_SUFFIXES = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}
_DATA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")


@subcommand("init", "Write a starter policy that lints clean.")
@click.argument("name", default="policy")
@option(
    "--format", "chosen", text="The format of the policy; else what the suffix of NAME says, else yaml.",
    type=click.Choice(("yaml", "toml", "json")),
)  # fmt: skip
def command(name: str, chosen: str | None) -> int:
    """Write a commented starter policy that lints clean.

    NAME is the id of the policy and the name of its file; an existing file is never overwritten.
    """
    format_ = format_by_suffix(name, _SUFFIXES, chosen, "yaml")
    stem, suffix = os.path.splitext(name)
    if suffix.lower() in _SUFFIXES:
        path = name
    else:
        path, stem = f"{name}.{format_}", name
    identifier = os.path.basename(stem)
    if not identifier or not identifier.isprintable() or len(identifier) > 200:
        raise click.UsageError(f"{name!r} is not the name of a policy")
    with open(os.path.join(_DATA, f"starter.{format_}"), encoding="utf-8") as file:
        text = file.read().replace('"starter"', json.dumps(identifier, ensure_ascii=False), 1)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        raise InputError(f"{path} exists already; name another file") from None
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    import shlex

    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        write_text(f"wrote {path}; check it with: fsmc lint {shlex.quote(path)}\n")
    except (OSError, OutputError) as error:
        os.unlink(path)  # half a policy, or one that nobody was told of
        if isinstance(error, OutputError):
            raise
        raise _unwritable(path, error) from None
    return 0


def _unwritable(path: str, error: OSError | ValueError) -> InputError:
    return InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}")
