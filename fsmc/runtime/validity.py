"""Quick validity: JSON Schema compiled to closures that can say "certainly valid".

The full validator (the jsonschema package) explains what is wrong but is slow to import and to run, and most documents are
valid. ``compile_schema`` turns a schema into one predicate. True means that a full validator would accept the value; False
means only that somebody who can explain should look. A schema with a keyword that is not known here raises
``UnsupportedSchema``, so that nothing is ever passed by ignorance.

Work is bounded too: references can make a short schema look at a value exponentially often. ``TooMuchWork`` is raised
where that happens; see ``fsmc.runtime.effort``.

Semantics: JSON Schema 2020-12 validation vocabulary, as the jsonschema package reads it (``pattern`` is a Python regular
expression, ``format`` is an annotation).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from fsmc.runtime.annotations import Any
from fsmc.runtime.effort import STEPS, Meter, length
from fsmc.runtime.references import UnsupportedSchema, refers, resolve

Check = Callable[[Any], bool]


def json_equal(left: Any, right: Any) -> bool:
    """Equality of JSON values: ``1 == 1.0``, but a boolean never equals a number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return bool(left == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


_TYPES: dict[str, Check] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_integer,
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}

_ANNOTATIONS = frozenset(
    [
        "$comment",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "format",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
    ]
)
# Read together with a neighbour, not by themselves.
_COMPANIONS = frozenset(("patternProperties", "additionalProperties", "then", "else"))
# These may answer False for a valid value, to leave it to the full validator.
_INEXACT = frozenset(("multipleOf", "uniqueItems"))
_DIALECT = "https://json-schema.org/draft/2020-12/schema"

_OF_PARTS = frozenset(
    ("items", "properties", "patternProperties", "additionalProperties", "propertyNames", "uniqueItems", "pattern")
)


def compile_schema(schema: Any, *, metered: bool = True) -> Check:
    """A predicate that is True only for values that *schema* accepts.

    Raises ``UnsupportedSchema`` for keywords, references or patterns it does not know. The predicate raises
    ``TooMuchWork`` rather than to look at a value without end, unless *metered* is false: that is for schemas of our own.
    """
    return _Compiler(schema, metered).check


class _Compiler:
    def __init__(self, root: Any, metered: bool) -> None:
        self._root = root
        self._by_reference: dict[tuple[str, bool], Check] = {}
        self._exact = False
        self._weight = 0
        self._meter = Meter()
        self._pays = metered and refers(root)
        check = self._compile(root)
        self.check = self._metered(check) if self._pays else check

    def _metered(self, check: Check) -> Check:
        meter = self._meter

        def metered(value: Any) -> bool:
            meter.left, meter.value, meter.extended = STEPS, value, False
            try:
                return check(value)
            finally:
                meter.value = None

        return metered

    def _compile(self, schema: Any) -> Check:
        if schema is True:
            return lambda value: True
        if schema is False:
            return lambda value: False
        if not isinstance(schema, dict):
            raise UnsupportedSchema(f"not a schema: {schema!r}")
        if schema is not self._root and ("$id" in schema or schema.get("$schema", _DIALECT) != _DIALECT):
            raise UnsupportedSchema("an `$id` or another `$schema` inside")
        self._weight += 1 + len(schema)
        checks: list[Check] = [self._pay] if self._pays and not _OF_PARTS.isdisjoint(schema) else []
        for keyword, argument in schema.items():
            if keyword in _ANNOTATIONS or keyword in ("$id", "$schema") or keyword.startswith("x-"):
                continue
            if keyword in _COMPANIONS:
                if (keyword == "additionalProperties" and "properties" not in schema) or (
                    keyword == "patternProperties" and not {"properties", "additionalProperties"} & schema.keys()
                ):
                    checks.append(self._properties(schema))
                continue
            checks.append(self._keyword(keyword, argument, schema))
        return _all_of(checks)

    def _keyword(self, keyword: str, argument: Any, schema: Mapping[str, Any]) -> Check:
        if self._exact and keyword in _INEXACT:
            raise UnsupportedSchema(f"keyword {keyword!r} under a negation")
        if keyword == "properties":
            return self._properties(schema)
        if keyword == "if":
            return self._if(schema)
        simple = _SIMPLE.get(keyword)
        if simple is not None:
            return simple(argument)
        if keyword == "$ref":
            return self._reference(argument)
        with_subschemas = getattr(self, "_kw_" + keyword, None)
        if with_subschemas is None:
            raise UnsupportedSchema(f"keyword {keyword!r}")
        return with_subschemas(argument)  # type: ignore[no-any-return]

    def _reference(self, reference: str) -> Check:
        key = (reference, self._exact)
        if key not in self._by_reference:
            target = resolve(self._root, reference)
            if target is self._root and target.get("$schema", _DIALECT) != _DIALECT:
                raise UnsupportedSchema("a reference to a schema of another dialect")
            # Entered before compiling: a recursive schema meets its own reference on the way down.
            self._by_reference[key] = lambda value: check(value)
            before, self._weight = self._weight, 0
            check = self._compile(target)
            if self._pays:
                check = self._paid(check, self._weight)
            self._weight = before
            self._by_reference[key] = check
        return self._by_reference[key]

    def _paid(self, check: Check, weight: int) -> Check:
        """*check*, which costs as much as its schema holds."""
        meter = self._meter

        def paid(value: Any) -> bool:
            meter.left = left = meter.left - weight
            if left < 0:
                meter.spend(0)
            return check(value)

        return paid

    def _pay(self, value: Any) -> bool:
        """Pay for looking at each part of *value*; what is small counts as part of its schema."""
        if isinstance(value, (dict, list, str)) and len(value) > 31:
            self._meter.spend(length(value))
        return True

    def _properties(self, schema: Mapping[str, Any]) -> Check:
        named = {key: self._compile(sub) for key, sub in schema.get("properties", {}).items()}
        patterns = [(_regex(p), self._compile(sub)) for p, sub in schema.get("patternProperties", {}).items()]
        other = schema.get("additionalProperties", True)
        if other is not True and not named and not patterns:
            every = self._compile(other)
            return lambda value: not isinstance(value, dict) or all(map(every, value.values()))
        rest = None if other is False else self._compile(other)

        def check(value: Any) -> bool:
            if not isinstance(value, dict):
                return True
            for key, item in value.items():
                known = named.get(key)
                if known is not None:
                    if not known(item):
                        return False
                    if not patterns:
                        continue
                matched = known is not None
                for regex, sub in patterns:
                    if regex(key):
                        matched = True
                        if not sub(item):
                            return False
                if not matched and (rest is None or not rest(item)):
                    return False
            return True

        return check

    def _kw_items(self, argument: Any) -> Check:
        item = self._compile(argument)
        return lambda value: not isinstance(value, list) or all(map(item, value))

    def _kw_propertyNames(self, argument: Any) -> Check:
        name = self._compile(argument)
        return lambda value: not isinstance(value, dict) or all(map(name, value))

    def _kw_allOf(self, argument: list[Any]) -> Check:
        return _all_of([self._compile(sub) for sub in argument])

    def _kw_anyOf(self, argument: list[Any]) -> Check:
        checks = [self._compile(sub) for sub in argument]
        return lambda value: any(check(value) for check in checks)

    def _kw_oneOf(self, argument: list[Any]) -> Check:
        checks = [self._compile_exact(sub) for sub in argument]
        return lambda value: sum(check(value) for check in checks) == 1

    def _kw_not(self, argument: Any) -> Check:
        check = self._compile_exact(argument)
        return lambda value: not check(value)

    def _if(self, schema: Mapping[str, Any]) -> Check:
        condition = self._compile_exact(schema["if"])
        then, otherwise = self._compile(schema.get("then", True)), self._compile(schema.get("else", True))
        return lambda value: then(value) if condition(value) else otherwise(value)

    def _compile_exact(self, schema: Any) -> Check:
        """Under a negation "not certainly valid" would turn into "certainly valid": keywords that are not exact stop here."""
        before, self._exact = self._exact, True
        try:
            return self._compile(schema)
        finally:
            self._exact = before


def _all_of(checks: list[Check]) -> Check:
    if not checks:
        return lambda value: True
    if len(checks) == 1:
        return checks[0]
    if len(checks) == 2:
        first, second = checks
        return lambda value: first(value) and second(value)

    def check(value: Any) -> bool:
        for each in checks:  # a plain loop: all() over a generator costs twice as much here
            if not each(value):
                return False
        return True

    return check


def _regex(pattern: str) -> Callable[[str], Any]:
    try:
        return re.compile(pattern).search
    except re.error as error:
        raise UnsupportedSchema(f"pattern {pattern!r}: {error}") from None


def _type(argument: Any) -> Check:
    names = argument if isinstance(argument, list) else [argument]
    if not all(isinstance(name, str) and name in _TYPES for name in names):
        raise UnsupportedSchema(f"type {argument!r}")
    checks = [_TYPES[name] for name in names]
    return checks[0] if len(checks) == 1 else lambda value: any(check(value) for check in checks)


def _enum(argument: list[Any]) -> Check:
    if all(isinstance(item, str) for item in argument):
        choices = frozenset(argument)
        return lambda value: isinstance(value, str) and value in choices
    return lambda value: any(json_equal(value, item) for item in argument)


def _pattern(argument: str) -> Check:
    search = _regex(argument)
    return lambda value: not isinstance(value, str) or search(value) is not None


def _required(argument: list[str]) -> Check:
    def check(value: Any) -> bool:
        if isinstance(value, dict):
            for key in argument:
                if key not in value:
                    return False
        return True

    return check


def _multiple_of(argument: Any) -> Check:
    if not isinstance(argument, int):
        raise UnsupportedSchema("multipleOf with a fraction")  # rounding: leave it to the judge
    return lambda value: not _is_number(value) or (isinstance(value, int) and value % argument == 0)


def _unique_items(argument: bool) -> Check:
    def check(value: Any) -> bool:
        if not argument or not isinstance(value, list):
            return True
        if all(isinstance(item, str) for item in value):
            return len(set(value)) == len(value)
        if len(value) > 100:
            return False  # quadratic below: let the judge spend the time
        return not any(json_equal(a, b) for i, a in enumerate(value) for b in value[:i])

    return check


def _on(kind: Check, test: Callable[[Any, Any], bool]) -> Callable[[Any], Check]:
    def make(argument: Any) -> Check:
        return lambda value: not kind(value) or test(value, argument)

    return make


_SIMPLE: dict[str, Callable[[Any], Check]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda argument: lambda value: json_equal(value, argument),
    "pattern": _pattern,
    "required": _required,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
    "minimum": _on(_is_number, lambda value, bound: value >= bound),
    "maximum": _on(_is_number, lambda value, bound: value <= bound),
    "exclusiveMinimum": _on(_is_number, lambda value, bound: value > bound),
    "exclusiveMaximum": _on(_is_number, lambda value, bound: value < bound),
    "minLength": _on(_TYPES["string"], lambda value, bound: len(value) >= bound),
    "maxLength": _on(_TYPES["string"], lambda value, bound: len(value) <= bound),
    "minItems": _on(_TYPES["array"], lambda value, bound: len(value) >= bound),
    "maxItems": _on(_TYPES["array"], lambda value, bound: len(value) <= bound),
    "minProperties": _on(_TYPES["object"], lambda value, bound: len(value) >= bound),
    "maxProperties": _on(_TYPES["object"], lambda value, bound: len(value) <= bound),
}
