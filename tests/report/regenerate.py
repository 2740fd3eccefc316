"""Makes the golden reports anew: ``python -m tests.report.regenerate``. Read the difference before keeping it."""

from __future__ import annotations

import json
from pathlib import Path

from fsmc.report import FORMATS, report
from fsmc.report.job_summary import job_summary
from tests.report.samples import example

GOLDEN = Path(__file__).parent / "golden"


def reports() -> dict[str, str]:
    """The example in every format, by the name of its golden file; SARIF with a line for each value."""
    checked = example()
    made = {f"{format}.txt": report(format, checked) for format in FORMATS}
    made["sarif.txt"] = json.dumps(json.loads(made["sarif.txt"]), indent=2) + "\n"
    made["job_summary.md"] = job_summary(checked.portable())
    return made


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, text in reports().items():
        (GOLDEN / name).write_text(text, encoding="utf-8", newline="\n")
