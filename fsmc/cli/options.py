"""Options as the commands declare them, and those that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from fsmc.cli.streams import write

Decorator = Callable[[Any], Any]


class PlainOption(click.Option):
    """click cleans a help text when the option is made, which costs an import; ours are clean."""

    def __init__(self, declarations: Sequence[str], text: str, **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.help = text


class PathName(click.types.StringParamType):
    """A path as it was given; a shell completes it with the names of files."""

    name = "path"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """The files that begin like *incomplete*: the shell knows them."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


PATH = PathName()


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        write(f"{ctx.get_help()}\n")
        ctx.exit()


class PlainHelp(click.Command):
    """A command whose help option is a plain one."""

    _plain_help: click.Option | None = None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The one help option of the command."""
        if self._plain_help is None:
            self._plain_help = PlainOption(
                ["-h", "--help"], "Show this message and exit.", is_flag=True, is_eager=True, expose_value=False,
                callback=_show_help,
            )  # fmt: skip
        return self._plain_help


def subcommand(name: str, summary: str) -> Callable[[Callable[..., int]], click.Command]:
    """``click.command`` with a plain help option and its line in the list of commands. The function returns the exit code."""
    return click.command(name, cls=PlainHelp, short_help=summary)


def option(*declarations: str, text: str, **settings: Any) -> Decorator:
    """``click.option`` with the help text *text*."""
    return click.option(*declarations, cls=PlainOption, text=text, **settings)


def policy_argument(name: str = "policy", metavar: str = "POLICY") -> Decorator:
    """The one input of a command: a path, or ``-`` for standard input."""
    return click.argument(name, metavar=metavar, type=PATH)


def format_option(formats: Sequence[str], text: str = "How to write the result.") -> Decorator:
    """``--format`` with the first of *formats* as the default."""
    return option("--format", "format_", text=text, type=click.Choice(formats), default=formats[0], show_default=True)


def format_by_suffix(path: str, suffixes: Mapping[str, str], chosen: str | None, default: str) -> str:
    """The format to write *path* in: the one chosen, else what its suffix says, else *default*. They may not disagree."""
    suffix = os.path.splitext(path)[1].lower()
    said = suffixes.get(suffix)
    if chosen is not None and said is not None and chosen != said:
        raise click.UsageError(f"--format {chosen} does not go with the suffix {suffix}; leave one of them out")
    return chosen or said or default


def output_option(text: str = "Where to write the result; - for standard output.") -> Decorator:
    """``-o FILE``, standard output by default."""
    return option("-o", "--output", text=text, metavar="FILE", default="-", type=PATH)


stdin_filename_option = option(
    "--stdin-filename", text="The name to report for standard input; its suffix says the format.", metavar="NAME",
    default="<stdin>",
)  # fmt: skip

color_option = option(
    "--color", text="When to use colours; by default on a terminal. NO_COLOR and FORCE_COLOR are respected.",
    type=click.Choice(("auto", "always", "never")), default="auto",
)  # fmt: skip
