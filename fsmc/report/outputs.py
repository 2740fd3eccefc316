"""Which reports a run writes, and where."""

from __future__ import annotations

import os
from collections.abc import Iterable

from fsmc.report import FORMATS
from fsmc.runtime.annotations import NamedTuple

STDOUT = "-"


class Output(NamedTuple):
    """One report: its format, and the file it goes to, ``-`` for standard output."""

    format: str
    target: str = STDOUT


def outputs(format: str, chosen: bool, texts: Iterable[str]) -> list[Output]:
    """The reports that ``--format`` and every ``--output FORMAT:FILE`` ask for.

    The report in *format* goes to standard output; where it was not *chosen*, another may take its place. Raises
    ``ValueError`` with a sentence for a format that is not known, and for two reports at one place.
    """
    wanted = [_output(text) for text in texts]
    if chosen or all(output.target != STDOUT for output in wanted):
        wanted.insert(0, Output(format))
    taken: dict[str, Output] = {}
    for output in wanted:
        place = output.target if output.target == STDOUT else os.path.normcase(os.path.realpath(output.target))
        if place in taken:
            where = "standard output" if place == STDOUT else output.target
            raise ValueError(
                f"the reports {taken[place].format} and {output.format} would both go to {where}; "
                "give one of them a file of its own, as in --output sarif:report.sarif"
            )
        taken[place] = output
    return wanted


def _output(text: str) -> Output:
    format, _, target = text.partition(":")
    if format not in FORMATS:
        from fsmc.spelling import did_you_mean

        hint = did_you_mean(format, FORMATS) or f"formats: {', '.join(FORMATS)}"
        raise ValueError(f"`{format}` is not a format of reports; {hint}")
    return Output(format, target or STDOUT)
