"""The command line: one module a command, and the one place where an exception becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

OK, FOUND, USAGE, INTERNAL = 0, 1, 2, 3
_INTERRUPTED, _PIPE_CLOSED = 130, 141  # as a shell reports SIGINT and SIGPIPE


def main() -> NoReturn:
    """The console script: run the process's own arguments and end the process."""
    import gc

    # A command makes its data, reports and ends: nothing it holds is garbage before that.
    gc.disable()
    code = run(sys.argv[1:])
    if sys.gettrace() is not None or sys.getprofile() is not None:
        sys.exit(code)  # a debugger or a coverage tool wants to finish too
    # Everything is flushed and closed; taking the interpreter apart would cost a tenth of a run.
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run ``fsmc`` with *arguments* and return its exit code; standard output and error are flushed."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what the terminal cannot show is escaped, never an error
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(list(arguments))
        sys.stdout.flush()
        sys.stderr.flush()
        return code
    except BrokenPipeError:
        return _pipe_closed()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        if os.environ.get("FSMC_DEBUG"):
            import traceback

            traceback.print_exc()
        else:
            text = f"{type(error).__name__}: {error}".partition("\n")[0]
            print(f"fsmc: internal error: {ascii(text)[1:-1]}", file=sys.stderr)
            print("This is a bug: please report it with what FSMC_DEBUG=1 shows for the same command.", file=sys.stderr)
        return INTERNAL


def _run(arguments: list[str]) -> int:
    from fsmc.cli.startup import import_click

    click = import_click()
    from fsmc.cli.files import PipeClosed
    from fsmc.cli.root import root
    from fsmc.cli.tables import Refused
    from fsmc.runtime.errors import FsmcError

    try:
        result = root.main(arguments, prog_name="fsmc", standalone_mode=False)
        return result if isinstance(result, int) else OK
    except click.Abort:
        return _INTERRUPTED
    except click.ClickException as error:
        error.show()
        return int(error.exit_code)
    except PipeClosed:
        return _pipe_closed()
    except Refused:
        return FOUND
    except FsmcError as error:
        from fsmc.report.style import printable

        print(f"fsmc: {printable(str(error))}", file=sys.stderr)
        return USAGE


def _pipe_closed() -> int:
    """Keep the interpreter from complaining about the closed pipe once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _PIPE_CLOSED
