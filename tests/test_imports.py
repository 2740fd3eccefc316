"""The floors of the house (docs/architecture.md): who may import whom, and what a use of fsmc pulls in."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "fsmc"

# First match wins. Floor 0 imports nothing; the others import their own floor and those below.
FLOORS = [
    ("fsmc.__init__", 0),
    ("fsmc.__main__", 5),
    ("fsmc.cli", 5),
    ("fsmc.api", 4),
    ("fsmc.rendering", 3),
    ("fsmc.report", 3),
    ("fsmc.trace", 3),
    ("fsmc.simulation", 3),
    ("fsmc.runtime", 1),
    ("fsmc.stored", 1),
    ("fsmc", 2),
]
THIRD_PARTY = {
    1: set(),
    2: {"yaml", "tomli", "jsonschema", "referencing", "pathspec"},
    3: {"graphviz", "rich"},
    4: set(),
    5: {"click"},
}
# Only where they are installed: to explain what is not valid (see fsmc/runtime/validator.py), and the extra `otel`.
OPTIONAL = {
    ("fsmc.runtime.validator", "jsonschema"),
    ("fsmc.runtime.validator", "referencing"),
    ("fsmc.telemetry", "opentelemetry"),
    ("fsmc.lsp.places", "lsprotocol"),
    ("fsmc.lsp.server", "lsprotocol"),
    ("fsmc.lsp.server", "pygls"),
}

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name != "__init__.py" or path.parent == PACKAGE
} | {
    ".".join(path.parent.relative_to(ROOT).parts): path
    for path in sorted(PACKAGE.rglob("__init__.py"))
    if path.parent != PACKAGE
}


def floor(module: str) -> int:
    return next(level for prefix, level in FLOORS if module == prefix or module.startswith(prefix + "."))


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported at run time, at the top or inside a function; not what only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module
        else:
            yield from imports(node)


@pytest.mark.parametrize("module", MODULES)
def test_floors(module: str) -> None:
    mine = floor(module)
    allowed = set().union(*(packages for level, packages in THIRD_PARTY.items() if level <= mine))
    for imported in imports(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        top = imported.partition(".")[0]
        if top == "fsmc":
            # `import fsmc` and `from fsmc import __version__` load nothing.
            assert imported == "fsmc" or floor(imported) <= mine, f"{module} imports {imported}, which is above it"
        else:
            known = top in sys.stdlib_module_names or top in allowed or (module, top) in OPTIONAL
            assert known, f"{module} imports {imported}"


def test_annotations_are_texts_where_tuples_are_made_of_them() -> None:
    """What ``fsmc.runtime.annotations.NamedTuple`` reads is there in every Python only with the ``__future__`` import."""
    for module, path in MODULES.items():
        found = set(imports(ast.parse(path.read_text(encoding="utf-8"))))
        assert "fsmc.runtime.annotations" not in found or "__future__" in found, module


def test_the_package_itself_imports_nothing_at_run_time() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    assert set(imports(tree)) <= {"sys", "importlib", "__future__"}


PROBE = """
import json, sys
before = set(sys.modules)
{body}
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded_by(body: str, *arguments: str) -> list[str]:
    """The modules that a fresh interpreter imports for *body*."""
    command = [sys.executable, "-c", PROBE.format(body=body), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    modules: list[str] = json.loads(done.stdout.splitlines()[-1])
    return modules


def third_party(modules: list[str]) -> set[str]:
    # C extensions built with Cython (PyYAML's) register modules of their own.
    found = {name.partition(".")[0] for name in modules if "cython" not in name}
    return found - set(sys.stdlib_module_names) - {"fsmc"}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> str:
    import fsmc

    path = tmp_path_factory.mktemp("tables") / "starter.table"
    path.write_text(fsmc.compile(PACKAGE / "data" / "starter.yaml").to_json(), encoding="utf-8")
    return str(path)


def test_import_fsmc_is_nearly_free() -> None:
    assert set(loaded_by("import fsmc")) <= {"fsmc", "__future__"}


def test_every_public_name_loads() -> None:
    body = "import fsmc\nfor name in fsmc.__all__: getattr(fsmc, name)"
    assert not third_party(loaded_by(body))


def test_loading_and_running_a_table_needs_the_standard_library_only(compiled: str) -> None:
    body = "import fsmc\ntable = fsmc.load(sys.argv[1])\ntable.session().reserve('find_customer', {'email': 'a@b.c'})"
    modules = loaded_by(body, compiled)
    assert not third_party(modules)
    assert not [name for name in modules if name.startswith(("fsmc.source", "fsmc.policy", "fsmc.rules", "fsmc.cli"))]


def test_opening_a_session_stays_light(compiled: str) -> None:
    modules = loaded_by("import fsmc\nfsmc.load(sys.argv[1]).session()", compiled)
    for name in (
        "typing",
        "threading",
        "hashlib",
        "contextlib",
        "importlib",
        "inspect",
        "pathlib",
        "dataclasses",
        "logging",
    ):
        assert name not in modules, f"loading a table imports {name}"


def test_a_valid_policy_never_pays_for_the_judge_nor_for_pictures() -> None:
    modules = loaded_by("import fsmc\nassert not fsmc.lint('fsmc/data/starter.yaml')")
    assert third_party(modules) <= {"yaml", "_yaml"}
    assert not [name for name in modules if name.startswith(("fsmc.cli", "fsmc.rendering", "fsmc.report"))]


def test_the_lint_command_stays_light() -> None:
    body = "import fsmc.cli\nassert fsmc.cli.run(['lint', 'fsmc/data/starter.yaml']) == 0"
    modules = loaded_by(body)
    assert third_party(modules) <= {"click", "yaml", "_yaml"}
    for name in ("inspect", "pathlib", "dataclasses", "hashlib", "difflib", "importlib.metadata"):
        assert name not in modules, f"`fsmc lint` imports {name}"
