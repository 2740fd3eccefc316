"""References within a JSON Schema, and the schemas within one."""

from __future__ import annotations

from collections.abc import Iterator

from fsmc.runtime.annotations import Any


class UnsupportedSchema(ValueError):
    """The schema uses a keyword or a reference that the quick checker does not know."""


def resolve(root: Any, reference: str) -> Any:
    """What a reference within *root* leads to; ``UnsupportedSchema`` where only a full validator can tell."""
    if "%" in reference or (reference != "#" and not reference.startswith("#/")):
        raise UnsupportedSchema(f"reference {reference!r}")
    found = root
    for part in reference.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or part not in found:
            raise UnsupportedSchema(f"reference {reference!r}")
        found = found[part]
        if _has_other_base(found):
            raise UnsupportedSchema(f"reference {reference!r} into a schema with an `$id` of its own")
    return found


def has_inner_ids(root: Any) -> bool:
    """Whether a schema within *root* may have an ``$id`` of its own, which changes what references inside it mean."""
    return any(part is not root and _has_other_base(part) for part in mappings(root))


def mappings(root: Any) -> Iterator[dict[str, Any]]:
    """Every mapping within *root*, itself included."""
    stack = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            yield part
            stack += part.values()
        elif isinstance(part, list):
            stack += part


def _has_other_base(schema: Any) -> bool:
    return isinstance(schema, dict) and isinstance(schema.get("$id"), str)


def refers(schema: Any) -> bool:
    """Whether a reference occurs in *schema*."""
    return any("$ref" in part for part in mappings(schema))
