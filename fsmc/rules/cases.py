"""Whether a list of guards leaves a case out, as far as their text tells.

Comparisons of one operand with literals share a variable whose values are the literals and what lies between them; an
operand whose type lists its values has no others, and a size or a count is never negative; everything else is true or
false by itself. All combinations are tried. Where there are too many, or too many were tried before, the guards get the
benefit of the doubt.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import Any

from fsmc.expression import String, Type, map_of

Tree = list[Any]
Case = Mapping[str, Any]

_MOST = 500
_MOST_IN_ALL = 200_000
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SCALARS = {"int": int, "double": float, "string": str}
_COUNTERS = (["var", "calls"], ["var", "visits"])
_OTHER = "\n"  # a text that no author wrote


class Gaps:
    """Looks for cases that guards leave out; what is asked twice is remembered."""

    def __init__(self, context: Type) -> None:
        self._context = context
        self._left = _MOST_IN_ALL
        self._known: dict[str, bool] = {}

    def left_by(self, guards: list[Tree]) -> bool:
        """Whether some case satisfies none of *guards*."""
        key = repr(guards)
        if key not in self._known:
            self._known[key] = self._search(guards)
        return self._known[key]

    def _search(self, guards: list[Tree]) -> bool:
        cases = _Cases(self._context)
        tests = [cases.test(tree) for tree in guards]
        names, values = list(cases.points), [cases.values(name) for name in cases.points]
        count = prod(map(len, values))
        if count > min(_MOST, self._left):
            return False
        self._left -= count
        return any(
            not any(test(case) for test in tests)
            for case in (dict(zip(names, combination, strict=True)) for combination in product(*values))
        )


class _Cases:
    """The variables that guards are about, each with the literals it is compared with, if any."""

    def __init__(self, context: Type) -> None:
        self._context = context
        self.points: dict[str, set[Any]] = {}
        self._listed: dict[str, frozenset[str]] = {}
        self._counts: set[str] = set()

    def values(self, name: str) -> list[Any]:
        """The values to try for a variable."""
        points = self.points[name]
        if not points:
            return [False, True]
        if name in self._listed:
            return sorted(self._listed[name])
        texts = [point for point in points if isinstance(point, str)]
        numbers = sorted(point for point in points if not isinstance(point, str))
        if not numbers:
            return [*texts, _OTHER]
        tried = [numbers[0] - 1]
        for low, high in zip(numbers, [*numbers[1:], numbers[-1] + 2], strict=True):
            # Nobody who writes `<= 3` and `>= 4` thinks of what lies between.
            tried += [low] if isinstance(low, int) and high == low + 1 else [low, (low + high) / 2]
        return sorted({0, *(value for value in tried if value >= 0)}) if name in self._counts else tried

    def test(self, tree: Tree) -> Callable[[Case], bool]:
        """Whether *tree* holds in a case."""
        name, *parts = tree
        if name == "bool":
            return lambda case: bool(parts[0])
        if name in ("not", "and", "or", "?:"):
            return _combined(name, [self.test(part) for part in parts])
        if name == "in" and parts[1][0] == "list" and all(item[0] in _SCALARS for item in parts[1][1:]):
            return _combined("or", [self._comparison("==", parts[0], item) for item in parts[1][1:]])
        if name in _ORDER:
            left, right = parts
            if left[0] in _SCALARS:
                return self._comparison(_MIRRORED[name], right, left)
            return self._comparison(name, left, right)
        return self._atom(repr(tree))

    def _comparison(self, name: str, left: Tree, right: Tree) -> Callable[[Case], bool]:
        compare = _ORDER[name]
        if right[0] == "bool" and name in ("==", "!="):
            wanted, test = (name == "==") == right[1], self.test(left)
            return lambda case: test(case) == wanted
        if right[0] not in _SCALARS:
            if repr(right) < repr(left):
                left, right, compare = right, left, _ORDER[_MIRRORED[name]]
            variable = f"{left!r} {right!r}"
            self._points(variable).add(0)
            return lambda case: compare(case[variable], 0)
        point = _SCALARS[right[0]](right[1])
        variable = f"{left!r} {'text' if isinstance(point, str) else 'number'}"
        self._points(variable).add(point)
        if left[0] == "size" or (left[0] in ("field", "index") and left[1] in _COUNTERS):
            self._counts.add(variable)
        kind = self._type_of(left)
        if isinstance(kind, String) and kind.values:
            self._listed[variable] = kind.values
        return lambda case: compare(case[variable], point)

    def _points(self, variable: str) -> set[Any]:
        return self.points.setdefault(variable, set())

    def _atom(self, variable: str) -> Callable[[Case], bool]:
        self._points(variable)
        return lambda case: bool(case[variable])

    def _type_of(self, tree: Tree) -> Type | None:
        """The type of a field of the context."""
        path: list[str] = []
        while tree[0] == "field":
            path.append(tree[2])
            tree = tree[1]
        kind: Type | None = self._context if tree == ["var", "context"] else None
        for field in reversed(path):
            fields = None if kind is None else map_of(kind)
            kind = None if fields is None else fields.fields.get(field)
        return kind


def _combined(name: str, parts: list[Callable[[Case], bool]]) -> Callable[[Case], bool]:
    if name == "not":
        return lambda case: not parts[0](case)
    if name == "and":
        return lambda case: all(part(case) for part in parts)
    if name == "or":
        return lambda case: any(part(case) for part in parts)
    return lambda case: parts[1](case) if parts[0](case) else parts[2](case)
