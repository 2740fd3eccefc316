"""The command line: one module a command, and the one place where an exception becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

OK, FOUND, USAGE, INTERNAL = 0, 1, 2, 3
_INTERRUPTED, _PIPE_CLOSED = 130, 141  # as a shell reports SIGINT and SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``fsmc`` with *arguments* (the process's own by default) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what the terminal cannot show is escaped, never an error
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has gone; keep the interpreter from saying so once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        if os.environ.get("FSMC_DEBUG"):
            raise
        text = f"{type(error).__name__}: {error}".partition("\n")[0]
        print(f"fsmc: internal error: {ascii(text)[1:-1]}", file=sys.stderr)
        print("This is a bug: please report it with the output of the same command under FSMC_DEBUG=1.", file=sys.stderr)
        return INTERNAL


def _run(arguments: list[str]) -> int:
    from fsmc.cli.startup import import_click

    click = import_click()
    from fsmc.cli.root import root
    from fsmc.runtime.errors import FsmcError

    try:
        result = root.main(arguments, prog_name="fsmc", standalone_mode=False)
        return result if isinstance(result, int) else OK
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.Abort:
        return _INTERRUPTED
    except click.ClickException as error:
        error.show()
        return int(error.exit_code)
    except FsmcError as error:
        from fsmc.report.style import printable

        print(f"fsmc: {printable(str(error))}", file=sys.stderr)
        return USAGE
