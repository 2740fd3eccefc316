"""``python -m tests.policies.regenerate`` writes the expected reports anew. Read the difference before you keep it."""

from __future__ import annotations

from tests.policies.gallery import examples


def main() -> None:
    """Write every report that is missing or different, and name it."""
    for example in examples():
        report = example.report()
        if not example.expected.exists() or example.expected.read_text(encoding="utf-8") != report:
            example.expected.write_text(report, encoding="utf-8", newline="\n")
            print(f"wrote {example.label}")


if __name__ == "__main__":
    main()
