"""A client that talks to the real server over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).parents[2]
URI = "file:///work/policy"


class Editor(LanguageClient):
    """An editor with one document, which remembers what it was told of it."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.uri = ""
        self.version = 0

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

    async def open(self, text: str, suffix: str = ".yaml") -> list[types.Diagnostic]:
        """Open a document with *text*; what the server finds."""
        self.uri, self.version = f"{URI}{suffix}", 1
        document = types.TextDocumentItem(self.uri, "yaml", self.version, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return await self.diagnostics()

    async def type(self, text: str) -> list[types.Diagnostic]:
        """Replace the whole text; what the server finds."""
        self.version += 1
        change = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        return await self.diagnostics()

    async def diagnostics(self) -> list[types.Diagnostic]:
        """The diagnostics of the present version."""
        while True:
            params = await asyncio.wait_for(self.told.get(), 20)
            if params.version == self.version:
                return list(params.diagnostics)

    @property
    def document(self) -> types.TextDocumentIdentifier:
        """The document."""
        return types.TextDocumentIdentifier(self.uri)


def edit(work: Callable[[Editor], Awaitable[Any]], encodings: list[types.PositionEncodingKind] | None = None) -> Any:
    """What *work* gives with an editor that is connected to a server of its own."""

    async def run() -> Any:
        editor = Editor()
        command = "import sys; sys.path.insert(0, sys.argv.pop(1)); from fsmc.cli import main; main()"
        await editor.start_io(sys.executable, "-c", command, str(ROOT), "lsp")
        try:
            general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
            await editor.initialize_async(types.InitializeParams(types.ClientCapabilities(general=general)))
            editor.initialized(types.InitializedParams())
            return await work(editor)
        finally:
            await editor.shutdown_async(None)
            editor.exit(None)
            await editor.stop()

    return asyncio.run(run())
