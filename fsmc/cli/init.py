"""``fsmc init``"""

from __future__ import annotations

import json
import os

import click

from fsmc.cli.files import write_text
from fsmc.cli.options import format_option, subcommand
from fsmc.discovery import InputError

_SUFFIXES = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}
_DATA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")


@subcommand("init")
@click.argument("name", default="policy")
@format_option(("yaml", "toml", "json"), "The format of the policy; a suffix of NAME says it too.")
def command(name: str, format_: str) -> int:
    """Write a commented starter policy that lints clean.

    NAME is the id of the policy and the name of its file; an existing file is never overwritten.
    """
    stem, suffix = os.path.splitext(name)
    if suffix in _SUFFIXES:
        path, format_ = name, _SUFFIXES[suffix]
    else:
        path, stem = f"{name}.{format_}", name
    identifier = os.path.basename(stem)
    if not identifier or not identifier.isprintable() or len(identifier) > 200:
        raise click.UsageError(f"{name!r} is not the name of a policy")
    with open(os.path.join(_DATA, f"starter.{format_}"), encoding="utf-8") as file:
        text = file.read().replace('"starter"', json.dumps(identifier, ensure_ascii=False), 1)
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{path} exists already; name another file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    write_text(f"wrote {path}; check it with: fsmc lint {path}\n")
    return 0
