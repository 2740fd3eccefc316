"""One state of a document in an editor: its tree, its findings, its names."""

from __future__ import annotations

from functools import cached_property

from fsmc.findings import Finding
from fsmc.linter import load_policy, without_ignored
from fsmc.lsp.symbols import Kind, Occurrence, occurrences
from fsmc.policy.model import Policy
from fsmc.source import Document, parse
from fsmc.source.tree import MappingNode


class Analysis:
    """What is known about one text. ``policy`` is None where its text or structure is wrong."""

    def __init__(self, text: str, name: str) -> None:
        self.document: Document = parse(text.encode("utf-8", "surrogatepass"), name)
        self.marked = text.startswith("\ufeff")
        self.policy: Policy | None = None
        self.findings: list[Finding] = []
        if self.is_policy:
            self.policy, findings = load_policy(self.document)
            self.findings = without_ignored(self.document, findings, self.policy is not None)

    @property
    def is_policy(self) -> bool:
        """Whether this is a policy, or a text that may become one: what else an editor has open is left alone."""
        root = self.document.root
        return "fsmc" in root if isinstance(root, MappingNode) else "fsmc" in self.document.text

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """Where names are defined and mentioned."""
        return occurrences(self.document)

    def at(self, offset: int) -> Occurrence | None:
        """The name that is written at *offset*, or ends there."""
        return next((found for found in self.occurrences if 0 <= found.start <= offset <= found.end), None)

    def of(self, kind: Kind, name: str) -> list[Occurrence]:
        """Every place of a name."""
        return [found for found in self.occurrences if (found.kind, found.name) == (kind, name)]

    def definitions(self, kind: Kind, name: str) -> list[Occurrence]:
        """Where a name is defined; an event that is not declared, where it is named first."""
        places = [found for found in self.of(kind, name) if found.start >= 0]
        return [found for found in places if found.defines] or (places[:1] if kind == "event" else [])

    def names(self, kind: Kind) -> list[str]:
        """The names of a kind: the defined ones, or all that there are where none is."""
        defined = [found.name for found in self.occurrences if found.kind == kind and found.defines]
        return list(dict.fromkeys(defined or [found.name for found in self.occurrences if found.kind == kind]))
