"""What one run has to report: the value that every reporter reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsmc.findings import Finding
from fsmc.runtime.annotations import NamedTuple
from fsmc.source.tree import Document, MappingNode, Place


class Checked(NamedTuple):
    """The findings of a run in their one order, and what they are about.

    *documents* has everything that was checked by its display name, None for a compiled table. *unreadable* has a sentence
    for each input that could not be read.
    """

    findings: Sequence[Finding]
    documents: Mapping[str, Document | None]
    unreadable: Sequence[str] = ()

    @property
    def files(self) -> list[str]:
        """The display names of everything that was checked."""
        return list(self.documents)

    def line(self, path: str, number: int) -> str:
        """The text of a line of a file; "" where there is none."""
        document = self.documents.get(path)
        return "" if document is None else document.line(number)

    def end_column(self, finding: Finding) -> int:
        """The column behind the last character that a finding covers."""
        end = finding.column + finding.length
        line = self.line(finding.path, finding.line)
        return max(finding.column, min(end, len(line) + 1)) if line else end

    def place(self, path: str, offset: int) -> Place:
        """The place of a character of a file."""
        document = self.documents.get(path)
        return Place(1, offset + 1) if document is None else document.lines.place(offset)

    def state(self, path: str, name: str) -> Place | None:
        """Where the policy in a file defines a state."""
        document = self.documents.get(path)
        root = None if document is None else document.root
        states = root.get("states") if isinstance(root, MappingNode) else None
        return states.key_place(name) if isinstance(states, MappingNode) and name in states else None

    def portable(self) -> Checked:
        """The same with paths and texts that any machine can read (``fsmc.portable``)."""
        from fsmc.portable import portable_path, portable_text

        names = {path: portable_path(path) for path in self.documents}
        for finding in self.findings:
            if finding.path not in names:
                names[finding.path] = portable_path(finding.path)
        return Checked(
            [_portable(finding, names[finding.path]) for finding in self.findings],
            {names[path]: document for path, document in self.documents.items()},
            [portable_text(reason) for reason in self.unreadable],
        )


def _portable(finding: Finding, path: str) -> Finding:
    from fsmc.portable import portable_text

    fix = finding.fix
    if fix is not None:
        edits = tuple(edit._replace(text=portable_text(edit.text)) for edit in fix.edits)
        fix = fix._replace(message=portable_text(fix.message), edits=edits)
    return finding._replace(
        path=path,
        message=portable_text(finding.message),
        hint=None if finding.hint is None else portable_text(finding.hint),
        related=tuple(place._replace(message=portable_text(place.message)) for place in finding.related),
        trace=tuple(map(portable_text, finding.trace)),
        where=tuple(map(portable_text, finding.where)),
        fix=fix,
    )
