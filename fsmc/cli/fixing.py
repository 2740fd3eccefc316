"""The options that mend what lint finds, and what they do with a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from fsmc.cli.files import note, overwrite, write_text
from fsmc.cli.options import option
from fsmc.findings import Finding
from fsmc.source import Document


def fixing_options(function: Any) -> Any:
    """``--fix``, ``--unsafe-fixes`` and ``--diff``; the command gets their values for ``Fixing``."""
    for decorate in (
        option("--diff", text="Print what the fixes would change, and write nothing.", is_flag=True),
        option("--unsafe-fixes", text="Apply fixes too that may change what a policy means.", is_flag=True),
        option("--fix", text="Mend what can be mended safely, in the files.", is_flag=True),
    ):
        function = decorate(function)
    return function


class Fixing:
    """What is mended in a run of lint, and how much that was."""

    def __init__(self, fix: bool, unsafe: bool, diff: bool, paths: Sequence[str]) -> None:
        self.wanted = fix or unsafe or diff
        self._unsafe = unsafe
        self.only_diff = diff
        self._fixed = self._files = self._left = 0
        if self.wanted and "-" in paths:
            raise click.UsageError("what comes from standard input cannot be mended; name a file")

    def document(
        self, path: str, document: Document, reported: Callable[[Sequence[Finding]], Sequence[Finding]]
    ) -> Document:
        """*document* after its fixes, written to its file unless only the difference is wanted. Raises ``InputError``."""
        from fsmc.fixes.mending import mend

        mended = mend(document, reported, self._unsafe)
        self._left += mended.left
        if not mended.fixed:
            return document
        self._fixed += mended.fixed
        self._files += 1
        before, after = document.text, mended.document.text
        if self.only_diff:
            import difflib  # only a difference pays for the import

            lines = difflib.unified_diff(_lines(before), _lines(after), path, path)
            write_text(
                "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
            )
            return document
        content = after.encode("utf-8")
        overwrite(path, b"\xef\xbb\xbf" + content if mended.marked else content)
        return mended.document

    def tell(self) -> None:
        """How many findings were mended, on standard error."""
        if not self.wanted:
            return
        verb = "would fix" if self.only_diff else "fixed"
        files = f"{self._files} file{'' if self._files == 1 else 's'}"
        text = f"{verb} {self._fixed} finding{'' if self._fixed == 1 else 's'} in {files}"
        if self._left:
            text += f"; {self._left} more with --unsafe-fixes"
        note(f"fsmc: {text}")

    @property
    def changed(self) -> bool:
        """Whether anything was or would be changed."""
        return self._fixed > 0


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
