"""What mermaid and dot themselves find in our output."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

MERMAID_READER = Path(__file__).with_name("read_mermaid.mjs")


class Picture(NamedTuple):
    """States by id, with their label and lines; edges as (source, target, label); groups by id, with their members."""

    states: dict[str, tuple[str, ...]]
    edges: list[tuple[str, str, str]]
    groups: dict[str, tuple[str, frozenset[str]]]
    title: str = ""


class MermaidReader:
    """A node process with mermaid in it, for any number of sources."""

    def __init__(self, folder: str) -> None:
        command = ["node", str(MERMAID_READER), folder]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def raw(self, source: str, draw: bool = False) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"source": source, "draw": draw}) + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "error" not in found, (found["error"], source)
        return found

    def read(self, source: str) -> Picture:
        found = self.raw(source)
        nodes = {node["id"]: node for node in found["nodes"]}
        states = {i: (node["label"], *node["lines"]) for i, node in nodes.items() if re.fullmatch(r"s\d+", i)}
        members: dict[str, set[str]] = {i: set() for i in nodes if re.fullmatch(r"g\d+", i)}
        for i in states:
            if nodes[i]["parent"] is not None:
                members[nodes[i]["parent"]].add(i)
        groups = {i: (nodes[i]["label"], frozenset(inside)) for i, inside in members.items()}
        edges = [(edge["source"], edge["target"], edge["label"]) for edge in found["edges"]]
        return Picture(states, [edge for edge in edges if "----" not in edge[1]], groups)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.communicate()


def mermaid_folder() -> tuple[str | None, str]:
    """The folder that holds mermaid and jsdom, or why there is none."""
    folder = os.environ.get("FSMC_MERMAID")
    if folder is None:
        return None, "FSMC_MERMAID names no folder with node_modules/mermaid and node_modules/jsdom"
    if shutil.which("node") is None:
        return None, "node is not installed"
    missing = [name for name in ("mermaid", "jsdom") if not Path(folder, "node_modules", name).is_dir()]
    return (None, f"FSMC_MERMAID has no {' and no '.join(missing)}") if missing else (folder, "")


def read_dot(source: str) -> Picture:
    """What dot draws: texts as they stand in the picture, line by line."""
    done = subprocess.run(["dot", "-Tjson"], input=source.encode(), capture_output=True, timeout=60, check=True)
    graph = json.loads(done.stdout)
    objects = {item["_gvid"]: item for item in graph.get("objects", [])}
    names = {number: item["name"] for number, item in objects.items()}
    states = {name: _texts(objects[i]) for i, name in names.items() if re.fullmatch(r"s\d+", name)}
    groups = {}
    for i, name in names.items():
        if name.startswith("cluster_"):
            members = frozenset(names[member] for member in objects[i].get("nodes", []))
            groups[name.removeprefix("cluster_")] = (" ".join(_texts(objects[i])), members)
    edges = [
        (names[edge["tail"]], names[edge["head"]], " ".join(_texts(edge))) for edge in graph.get("edges", [])
    ]  # the lines of a label, joined as the wrapping found them
    return Picture(states, edges, groups, "\n".join(_texts(graph)))


def _texts(item: dict[str, Any]) -> tuple[str, ...]:
    return tuple(operation["text"] for operation in item.get("_ldraw_", ()) if operation["op"] == "T")
