"""``fsmc lsp``"""

from __future__ import annotations

from fsmc.cli.options import subcommand
from fsmc.source import InputError


@subcommand("lsp", "Serve an editor over standard input and output.")
def command() -> int:
    """Serve an editor with the language server protocol, over standard input and output.

    Diagnostics as one types, hover, definitions, references, renaming and completion of names. Needs the extra lsp.
    """
    try:
        from fsmc.lsp.server import make_server
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise InputError("the language server needs the package pygls: pip install 'fsmc[lsp]'") from None
    make_server().start_io()
    return 0
