"""The reference pages name every key, option and public name there is, and no other."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click
import pytest

import fsmc
from fsmc.cli.root import COMMANDS
from fsmc.runtime.decision import Decision, Settled
from fsmc.runtime.infos import Step
from fsmc.runtime.session import Session
from fsmc.runtime.table import Table
from fsmc.settings.model import KEYS
from fsmc.simulation import RunReport, TraceFinding
from tests.docs.pages import PAGES, ROOT
from tests.docs.reference import objects, shown_tables, with_tables


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_tables_are_made_from_schemas_and_commands(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == with_tables(text), "run `python -m tests.docs.update` and read the difference"


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("language.md", "policy"),
        ("table-format.md", "table"),
        ("trace-format.md", "trace"),
        ("cli.md", "lint-report"),
        ("configuration.md", "baseline"),
    ],
)
def test_a_page_shows_every_object_of_its_schema(name: str, schema: str) -> None:
    assert objects(schema) <= shown_tables(page(name))


def test_the_page_of_the_commands_has_a_section_and_the_options_of_each() -> None:
    text = page("cli.md")
    for name in COMMANDS:
        assert f"\n## fsmc {name}\n" in text
        command = import_module(f"fsmc.cli.{name}").command
        if any(isinstance(option, click.Option) for option in command.params):
            assert f"<!-- options of {name} -->" in text


def test_the_page_of_settings_has_a_row_for_each_key() -> None:
    text = page("configuration.md")
    assert [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")][: len(KEYS)] == list(KEYS)


def test_the_python_page_names_what_is_public() -> None:
    text = page("python.md")
    names = set(fsmc.__all__) - {"__version__"}
    for owner in (Session, Table, Step, Decision, Settled, fsmc.Finding, RunReport):
        names |= {name for name in dir(owner) if name[0] != "_" and name not in ("count", "index")}
    assert not {name for name in names - _INTERNAL if f"`{name}" not in text and f".{name}" not in text}


# What a table offers to the session and the simulator, not to applications.
_INTERNAL = {
    "compiled",
    "condition",
    "condition_text",
    "context_schema",
    "enter",
    "transition_guard",
    "validators",
    "writes",
}


def test_the_page_of_traces_names_every_finding() -> None:
    text = page("trace-format.md")
    codes = (
        (TraceFinding.__doc__ or "")
        .partition("``code``:")[2]
        .replace("`", "")
        .replace(".", "")
        .replace(",", "")
        .split()
    )
    assert codes
    assert not {code for code in codes if f"`{code}`" not in text}


def test_the_page_of_the_language_names_every_reason_to_refuse_a_call() -> None:
    text = page("language.md")
    listed = (Decision.__doc__ or "").partition("``code`` is stable:")[2].partition(".\n")[0]
    codes = set(listed.replace("`", "").replace(",", "").split()) - {"ok"}
    assert "not_in_state" in codes
    assert not {code for code in codes if f"`{code}`" not in text}
