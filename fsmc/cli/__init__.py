"""The command line: one module a command, and the one place where an exception becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

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
    from fsmc.cli.streams import OutputError, PipeClosed, prepare, say, write

    try:
        prepare()
        code = _run(list(arguments))
        write("")
        say("")
        return code
    except PipeClosed:
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OutputError as error:
        say(f"fsmc: {error}\n")
        return USAGE
    except MemoryError:
        say("fsmc: there is not enough memory for this input\n")
        return USAGE
    except Exception as error:
        if os.environ.get("FSMC_DEBUG"):
            import traceback

            say(traceback.format_exc())
        else:
            text = f"{type(error).__name__}: {error}".partition("\n")[0]
            say(f"fsmc: internal error: {ascii(text)[1:-1]}\n")
            say("This is a bug: please report it with what FSMC_DEBUG=1 shows for the same command.\n")
        return INTERNAL


def _run(arguments: list[str]) -> int:
    from fsmc.cli.startup import import_click

    click = import_click()
    from fsmc.cli.root import root
    from fsmc.cli.streams import say
    from fsmc.cli.tables import Refused
    from fsmc.runtime.errors import FsmcError

    try:
        result = root.main(arguments, prog_name="fsmc", standalone_mode=False)
        return result if isinstance(result, int) else OK
    except click.Abort:
        return _INTERRUPTED
    except click.ClickException as error:
        say(_shown(error))
        return int(error.exit_code)
    except Refused:
        return FOUND
    except FsmcError as error:
        from fsmc.report.style import printable

        say(f"fsmc: {printable(str(error))}\n")
        return USAGE


def _shown(error: Any) -> str:
    """What click says about a wrong command line."""
    from io import StringIO

    text = StringIO()
    error.show(text)
    return text.getvalue()
