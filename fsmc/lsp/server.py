"""The server: notifications in, diagnostics out, and answers about the name under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from fsmc import __version__
from fsmc.findings import Finding
from fsmc.fixes.catalogue import with_fix
from fsmc.lsp.analysis import Analysis
from fsmc.lsp.completion import suggestions
from fsmc.lsp.hover import about_finding, about_name
from fsmc.lsp.naming import CannotRename, rename
from fsmc.lsp.places import Places
from fsmc.source.tree import Place

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_KINDS = {
    "state": types.CompletionItemKind.Class,
    "event": types.CompletionItemKind.Event,
    "tool": types.CompletionItemKind.Function,
    "guard": types.CompletionItemKind.Variable,
}
# What nothing uses is shown faded, as editors do with an unused import.
_UNUSED = frozenset(("FSM401", "FSM402", "FSM403"))


class PolicyServer(LanguageServer):
    """A language server that keeps the last analysis of each document, and the last one that could be read."""

    def __init__(self) -> None:
        super().__init__("fsmc", __version__)
        self._analyses: dict[str, tuple[int | None, Analysis]] = {}
        self._readable: dict[str, Analysis] = {}

    def analysis(self, uri: str) -> Analysis:
        """What is known about the document as it is now."""
        document = self.workspace.get_text_document(uri)
        kept = self._analyses.get(uri)
        if kept is not None and kept[0] == document.version and document.version is not None:
            return kept[1]
        made = Analysis(document.source, unquote(urlsplit(uri).path))
        self._analyses[uri] = document.version, made
        if made.document.root is not None:
            self._readable[uri] = made
        return made

    def readable(self, uri: str) -> Analysis | None:
        """The last analysis whose text could be read to its end."""
        return self._readable.get(uri)

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._analyses.pop(uri, None)
        self._readable.pop(uri, None)

    def places(self, analysis: Analysis) -> Places:
        """Positions in the text of *analysis*, as this client counts them."""
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        return Places(analysis.document.lines, encoding, analysis.marked)

    def diagnose(self, uri: str) -> None:
        """Publish what the linter finds."""
        analysis = self.analysis(uri)
        places = self.places(analysis)
        found = [_diagnostic(uri, finding, places) for finding in analysis.findings]
        version = self.workspace.get_text_document(uri).version
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def _diagnostic(uri: str, finding: Finding, places: Places) -> types.Diagnostic:
    message = finding.message + (f"\n{finding.hint}" if finding.hint else "")
    if finding.trace:
        message += "\nrun: " + ", ".join(finding.trace)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri, places.range_at(Place(near.line, near.column), 1)), near.message
        )
        for near in finding.related
    ]
    return types.Diagnostic(
        range=places.range_at(Place(finding.line, finding.column), finding.length),
        severity=_SEVERITIES[finding.level],
        code=finding.code,
        source="fsmc",
        message=message,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNUSED else None,
        related_information=related or None,
    )


def make_server() -> PolicyServer:
    """A server with everything that it answers."""
    server = PolicyServer()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: PolicyServer, params: types.DidOpenTextDocumentParams) -> None:
        ls.diagnose(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: PolicyServer, params: types.DidChangeTextDocumentParams) -> None:
        ls.diagnose(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: PolicyServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.forget(params.text_document.uri)
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: PolicyServer, params: types.HoverParams) -> types.Hover | None:
        analysis = ls.analysis(params.text_document.uri)
        places = ls.places(analysis)
        offset = places.offset(params.position)
        parts = [
            about_finding(finding)
            for finding in analysis.findings
            if places.offset(params.position) in _span(analysis, finding)
        ]
        found = analysis.at(offset)
        if found is not None and analysis.policy is not None:
            parts.insert(0, about_name(analysis.policy, found) or "")
        text = "\n\n---\n\n".join(filter(None, parts))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: PolicyServer, params: types.DefinitionParams) -> list[types.Location]:
        return _locations(ls, params, lambda analysis, found: analysis.definitions(found.kind, found.name))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(ls: PolicyServer, params: types.ReferenceParams) -> list[types.Location]:
        return _locations(ls, params, lambda analysis, found: analysis.of(found.kind, found.name))

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(ls: PolicyServer, params: types.PrepareRenameParams) -> types.Range | None:
        analysis = ls.analysis(params.text_document.uri)
        places = ls.places(analysis)
        found = analysis.at(places.offset(params.position))
        return None if found is None else places.range(found.start, found.end)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renamed(ls: PolicyServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
        analysis = ls.analysis(params.text_document.uri)
        places = ls.places(analysis)
        found = analysis.at(places.offset(params.position))
        if found is None:
            return None
        try:
            edits = rename(analysis, found, params.new_name)
        except CannotRename as refusal:
            raise JsonRpcInvalidParams(str(refusal)) from None
        changes = [types.TextEdit(places.range(edit.start, edit.end), edit.text) for edit in edits]
        return types.WorkspaceEdit(changes={params.text_document.uri: changes})

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[" ", "[", ",", '"', ".", ":"])
    )
    def completion(ls: PolicyServer, params: types.CompletionParams) -> list[types.CompletionItem]:
        uri = params.text_document.uri
        analysis = ls.analysis(uri)
        found = suggestions(analysis, ls.places(analysis).offset(params.position), ls.readable(uri))
        return [types.CompletionItem(each.name, kind=_KINDS.get(each.kind), detail=each.kind) for each in found]

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def actions(ls: PolicyServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        analysis = ls.analysis(uri)
        places = ls.places(analysis)
        first, last = places.offset(params.range.start), places.offset(params.range.end)
        found = []
        for finding in analysis.findings:
            span = _span(analysis, finding)
            if span.start > last or span.stop <= first:
                continue
            fix = with_fix(analysis.document, finding).fix
            if fix is not None and fix.edits:
                edits = [types.TextEdit(places.range(edit.start, edit.end), edit.text) for edit in fix.edits]
                found.append(
                    types.CodeAction(
                        title=fix.message[0].upper() + fix.message[1:],
                        kind=types.CodeActionKind.QuickFix,
                        diagnostics=[_diagnostic(uri, finding, places)],
                        is_preferred=fix.safe,
                        edit=types.WorkspaceEdit(changes={uri: edits}),
                    )
                )
        return found

    return server


def _span(analysis: Analysis, finding: Finding) -> range:
    start = analysis.document.lines.offset(Place(finding.line, finding.column))
    return range(start, start + max(finding.length, 1) + 1)


def _locations(ls: PolicyServer, params: Any, choose: Callable[[Analysis, Any], list[Any]]) -> list[types.Location]:
    uri = params.text_document.uri
    analysis = ls.analysis(uri)
    places = ls.places(analysis)
    found = analysis.at(places.offset(params.position))
    chosen = [] if found is None else choose(analysis, found)
    return [types.Location(uri, places.range(each.start, each.end)) for each in chosen if each.start >= 0]
