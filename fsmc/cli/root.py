"""The ``fsmc`` command: a group whose commands are imported when they are named."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from fsmc.cli.options import PlainHelp, PlainOption
from fsmc.cli.streams import write

COMMANDS = (
    "init",
    "lint",
    "config",
    "compile",
    "show",
    "render",
    "codegen",
    "simulate",
    "explain",
    "rules",
    "schema",
    "completion",
    "lsp",
)

_HELP = """Compile a declarative policy into a state machine that decides which tools a model may call.

Exit codes: 0 clean, 1 findings, 2 bad usage or unreadable input, 3 internal error.
"""


class _Commands(PlainHelp, click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: Any = import_module(f"fsmc.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and args[0][:1] != "-":
            from fsmc.spelling import did_you_mean

            hint = did_you_mean(args[0], COMMANDS) or f"commands: {', '.join(COMMANDS)}"
            raise click.UsageError(f"no such command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from fsmc import __version__

        write(f"fsmc {__version__}\n")
        ctx.exit()


_VERSION = PlainOption(
    ["--version"], "Show the version and exit.", is_flag=True, expose_value=False, is_eager=True, callback=_show_version
)

root = _Commands("fsmc", help=_HELP, params=[_VERSION], context_settings={"max_content_width": 100})
