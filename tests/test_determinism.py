"""The same policy gives the same bytes: on any Python, hash seed, folder, line ending, key order or format."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fsmc.compiler import compile_policy
from fsmc.policy.build import build
from fsmc.runtime.canonical import canonical_json
from fsmc.source import parse

ROOT = Path(__file__).resolve().parent.parent
POLICIES = sorted(path for path in (ROOT / "policies").glob("*/policy.*") if path.suffix in (".yaml", ".toml", ".json"))
DIGESTS = ROOT / "tests" / "golden" / "digests.json"


def compiled(data: bytes, name: str, **options: Any) -> dict[str, Any]:
    document = parse(data, name)
    assert not document.problems
    return compile_policy(build(document), **options)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def shuffled(value: Any, source: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        source.shuffle(keys)
        return {key: shuffled(value[key], source) for key in keys}
    return [shuffled(item, source) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.parent.name)
class TestGallery:
    def test_the_digest_is_the_one_on_record(self, path: Path) -> None:
        """The record is the same for every Python that runs the tests."""
        found = compiled(path.read_bytes(), path.name)["digest"]
        recorded = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
        if os.environ.get("FSMC_UPDATE_GOLDEN"):
            recorded[path.parent.name] = found
            DIGESTS.parent.mkdir(exist_ok=True)
            DIGESTS.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")
        assert recorded[path.parent.name] == found

    def test_key_order_and_format_do_not_matter(self, path: Path) -> None:
        data = plain(parse(path.read_bytes(), path.name).root)
        first = canonical_json(compiled(json.dumps(data).encode(), "policy.json"))
        for seed in range(3):
            other = shuffled(data, random.Random(seed))
            assert canonical_json(compiled(json.dumps(other).encode(), "policy.json")) == first

    def test_line_endings_and_a_byte_order_mark_do_not_matter(self, path: Path) -> None:
        data = path.read_bytes()
        first = compiled(data, path.name)
        assert compiled(data.replace(b"\n", b"\r\n"), path.name) == first
        assert compiled(b"\xef\xbb\xbf" + data, path.name) == first

    def test_a_source_map_does_not_change_the_digest(self, path: Path) -> None:
        with_map = compiled(path.read_bytes(), path.name, source_map=True)
        assert with_map["digest"] == compiled(path.read_bytes(), path.name)["digest"]
        assert len(with_map["source_map"]["transitions"]) == len(with_map["machine"]["transitions"])


def test_hash_seed_and_folder_do_not_matter(tmp_path: Path) -> None:
    program = (
        "import sys; from fsmc.source import read; from fsmc.policy.build import build\n"
        "from fsmc.compiler import compile_policy; from fsmc.runtime.canonical import canonical_json\n"
        "for path in sys.argv[1:]: print(canonical_json(compile_policy(build(read(path)), source_map=True)))"
    )
    outputs = set()
    for seed, folder in (("0", ROOT), ("1", tmp_path), ("random", tmp_path)):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        paths = [os.path.relpath(path, folder) for path in POLICIES]
        done = subprocess.run(
            [sys.executable, "-c", program, *paths],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
