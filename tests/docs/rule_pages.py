"""The pages of the rules in docs/rules: what their docstrings say, and what lint really prints. ``python -m tests.docs.rule_pages``"""

from __future__ import annotations

from pathlib import Path

from fsmc.fixes.catalogue import FIXABLE
from fsmc.linter import STRUCTURE_RULES, lint_document
from fsmc.report import report
from fsmc.report.checked import Checked
from fsmc.rules import Rule, all_rules, rule
from fsmc.rules.manual import page
from fsmc.rules.related import related
from fsmc.source import parse

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rules"
# What the text of an example cannot show, it is saved with.
SAVED_AS = {"FSM005": "latin-1", "FSM008": "utf-8-sig"}

_GROUPS = {
    "FSM0": "Text and structure",
    "FSM1": "Names",
    "FSM2": "The graph",
    "FSM3": "Transitions and expressions",
    "FSM4": "Tools and limits",
}
_INTRODUCTION = """\
# Rules

What `fsmc lint` finds. `fsmc explain CODE` shows a page in the terminal. Each rule has a stable code, a name and a
level: an `error` keeps a policy from compiling, a `warning` is most likely a mistake, an `info` is worth knowing. A
rule does not report what follows from a mistake that another rule reports.

The pages are made from the docstrings in `fsmc/rules` by `python -m tests.docs.rule_pages`. The tests run every
example.
"""


def pages() -> dict[str, str]:
    """The text of each page by the name of its file."""
    return {"README.md": _index(), **{f"{each.code}.md": _page(each) for each in all_rules()}}


def output(each: Rule) -> str:
    """What lint prints for the example to avoid."""
    document = parse(page(each).avoid.encode(SAVED_AS.get(each.code, "utf-8")), "policy.yaml")
    return report("text", Checked(lint_document(document), {"policy.yaml": document}))


def _index() -> str:
    parts = [_INTRODUCTION]
    for prefix, title in _GROUPS.items():
        rows = [
            f"| [{each.code}]({each.code}.md) | {each.name} | {each.levels} | {each.title} |"
            for each in all_rules()
            if each.code.startswith(prefix)
        ]
        parts.append("\n".join([f"## {title}", "", "| code | name | level | what |", "|---|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def _page(each: Rule) -> str:
    body = page(each)
    saved = f" (saved as {SAVED_AS[each.code].upper()})" if each.code in SAVED_AS else ""
    parts = [
        f"# {each.code} {each.name}\n\n{body.title} Level: {each.levels}.\n\n{body.text}\n",
        f"## Avoid\n\n```yaml\n{body.avoid}```\n\n`fsmc lint policy.yaml`{saved} prints\n\n```\n{output(each)}```\n",
        f"## Prefer\n\n```yaml\n{body.prefer}```\n",
        f"## Configuration\n\n{_mending(each) if each.code in FIXABLE else ''}{_configuration(each)}\n",
    ]
    if near := related(each.code):
        links = ", ".join(f"[{code} {rule(code).name}]({code}.md)" for code in near)
        parts.append(f"## Related\n\n{links}\n")
    return "\n".join(parts)


def _mending(each: Rule) -> str:
    kind, _, words = FIXABLE[each.code].partition(": ")
    option = "--fix" if kind == "safe" else "--unsafe-fixes"
    return f"`fsmc lint {option}` mends it: {words}.\n\n"


def _configuration(each: Rule) -> str:
    if each.name in STRUCTURE_RULES and each.level == "error":
        return "None: a policy with this finding cannot be read, so nothing else is known of it."
    see = "See [what lint reports](../configuration.md)."
    if each.name in ("unused-ignore", "invalid-ignore"):
        return f'No comment hides it; the settings of a project can, with `ignore = ["{each.code}"]`. {see}'
    return (
        f"Where it is meant, say so in a comment at the end of the line, with a reason: `# fsmc: ignore[{each.code}] why`.\n"
        f'In settings: `ignore = ["{each.code}"]`, or another level with `severity`. {see}'
    )


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    for stale in {path.name for path in FOLDER.glob("*.md")} - made.keys():
        (FOLDER / stale).unlink()


if __name__ == "__main__":
    main()
