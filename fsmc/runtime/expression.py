"""Expression trees of a compiled table, turned into closures.

`compile_tree` checks the shape of a tree once; the closure it returns evaluates it over the facts
of a call and either has a value or raises `EvaluationError`.  The trees are described in
`docs/architecture.md`, their meaning is that of CEL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmc.runtime.annotations import Any
from fsmc.runtime.errors import EvaluationError
from fsmc.runtime.expression_tree import (
    LITERALS,
    MAX_DEPTH,
    label,
    literal_value,
    operation,
    place_of,
    survey,
)
from fsmc.runtime.expression_values import (
    ARITHMETIC,
    ORDER,
    STRING_TESTS,
    WORK_LIMIT,
    Meter,
    add,
    compare,
    element,
    equal,
    in_range,
    integer,
    kind_of,
    match_strings,
    member,
    named,
    negative,
    present,
    select,
    size,
    spend,
    spend_text,
)

__all__ = ["MAX_DEPTH", "EvaluationError", "Evaluator", "compile_tree"]

Evaluator = Callable[[Mapping[str, Any]], Any]
"""What a tree becomes: facts by name in, a value out, or `EvaluationError`."""

_Env = Mapping[str, Any]
_Closure = Callable[[_Env, Meter], Any]

_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"size": size, "neg": negative}
_OPEN_RESULTS = frozenset({"var", "field", "index", "?:"})


def compile_tree(tree: Any) -> Evaluator:
    """Turn an expression tree into a function of the facts; a malformed tree is a `ValueError`.

    The function raises `EvaluationError` and nothing else, whatever the facts are.
    """
    body = _build(tree, 1)
    unchecked = tree[0] in _OPEN_RESULTS

    def evaluate(env: Mapping[str, Any]) -> Any:
        try:
            value = body(env, [WORK_LIMIT])
            if unchecked:
                kind_of(value)
            return value
        except EvaluationError:
            raise
        except RecursionError:
            raise EvaluationError("the values are nested too deeply") from None
        except Exception as error:  # facts may be objects of the application, which may raise anything
            raise EvaluationError(f"reading the facts raised {type(error).__name__}") from error

    return evaluate


def _build(tree: Any, depth: int) -> _Closure:
    return _BUILDERS[operation(tree, depth)](tree, depth + 1)


def _build_literal(tree: Any, depth: int) -> _Closure:
    value = literal_value(tree)
    return lambda env, meter: value


def _build_list(tree: Any, depth: int) -> _Closure:
    items = tuple(_build(item, depth) for item in tree[1:])

    def run(env: _Env, meter: Meter) -> Any:
        spend(meter, len(items))
        values = [item(env, meter) for item in items]
        for value in values:
            kind_of(value)
        return values

    return run


def _build_var(tree: Any, depth: int) -> _Closure:
    name = label(tree[1])

    def run(env: _Env, meter: Meter) -> Any:
        if name in env:
            return env[name]
        raise EvaluationError(f"`{name}` has no value here")

    return run


def _build_field(tree: Any, depth: int) -> _Closure:
    operand, name = _build(tree[1], depth), label(tree[2])
    place = place_of(tree[1])
    if tree[1][0] == "var":
        return _field_of_var(tree[1][1], name, operand)

    def run(env: _Env, meter: Meter) -> Any:
        holder = operand(env, meter)
        if type(holder) is dict and name in holder:
            return holder[name]
        return select(holder, name, place)

    return run


def _field_of_var(var: str, name: str, operand: _Closure) -> _Closure:
    """`context.name`, by far the most frequent operand: one closure instead of two."""

    def run(env: _Env, meter: Meter) -> Any:
        if var in env:
            holder = env[var]
            if type(holder) is dict and name in holder:
                return holder[name]
        return select(operand(env, meter), name, var)

    return run


def _build_index(tree: Any, depth: int) -> _Closure:
    operand, index = _build(tree[1], depth), _build(tree[2], depth)
    place = place_of(tree[1])
    return lambda env, meter: element(operand(env, meter), index(env, meter), place, meter)


def _build_has(tree: Any, depth: int) -> _Closure:
    operand, name = _build(tree[1], depth), label(tree[2])
    place = place_of(tree[1])
    return lambda env, meter: present(operand(env, meter), name, place)


def _build_string_test(tree: Any, depth: int) -> _Closure:
    symbol = tree[0]
    subject, pattern = _build(tree[1], depth), _build(tree[2], depth)

    return lambda env, meter: match_strings(symbol, subject(env, meter), pattern(env, meter), meter)


def _build_not(tree: Any, depth: int) -> _Closure:
    operand = _build(tree[1], depth)

    def run(env: _Env, meter: Meter) -> Any:
        value = operand(env, meter)
        if value is True or value is False:
            return not value
        raise EvaluationError(f"`!` works on a bool, not on {named(kind_of(value))}")

    return run


def _build_function(tree: Any, depth: int) -> _Closure:
    function, operand = _FUNCTIONS[tree[0]], _build(tree[1], depth)
    return lambda env, meter: function(operand(env, meter))


def _flatten(tree: Any, depth: int, terms: list[_Closure]) -> list[_Closure]:
    for item in tree[1:]:
        if isinstance(item, (list, tuple)) and len(item) == 3 and item[0] == tree[0]:
            operation(item, depth)
            _flatten(item, depth + 1, terms)
        else:
            terms.append(_build(item, depth))
    return terms


def _build_logic(tree: Any, depth: int) -> _Closure:
    """`&&` and `||`: a term that decides wins over errors on either side of it."""
    symbol, deciding = ("&&", False) if tree[0] == "and" else ("||", True)
    other = not deciding
    terms = tuple(_flatten(tree, depth, []))

    def run(env: _Env, meter: Meter) -> Any:
        reason = None
        for term in terms:
            try:
                value = term(env, meter)
                if value is deciding:
                    return deciding
                if value is not other and reason is None:
                    reason = f"`{symbol}` works on bools, not on {named(kind_of(value))}"
            except EvaluationError as error:
                reason = reason or error.reason
        if reason is None:
            return other
        raise EvaluationError(reason)

    return run


def _build_equality(tree: Any, depth: int) -> _Closure:
    positive = tree[0] == "=="
    left, right = tree[1], tree[2]
    for operand, literal in ((left, right), (right, left)):
        if isinstance(literal, (list, tuple)) and literal and literal[0] in LITERALS:
            return _equal_to_literal(_build(operand, depth), literal_value(literal), positive)
    first, second = _build(left, depth), _build(right, depth)

    def run(env: _Env, meter: Meter) -> Any:
        return equal(first(env, meter), second(env, meter), meter) is positive

    return run


def _equal_to_literal(operand: _Closure, literal: Any, positive: bool) -> _Closure:
    kind = type(literal)

    def run(env: _Env, meter: Meter) -> Any:
        value = operand(env, meter)
        if type(value) is kind:
            return (value == literal) is positive
        return equal(value, literal, meter) is positive

    return run


def _build_order(tree: Any, depth: int) -> _Closure:
    symbol = tree[0]
    test = ORDER[symbol]
    left, right = _build(tree[1], depth), _build(tree[2], depth)
    if tree[2][0] in ("int", "double"):
        literal = literal_value(tree[2])

        def run_literal(env: _Env, meter: Meter) -> Any:
            value = left(env, meter)
            kind = type(value)
            if kind is int or kind is float:
                return test(value, literal)
            return compare(symbol, value, literal, meter)

        return run_literal
    return lambda env, meter: compare(symbol, left(env, meter), right(env, meter), meter)


def _build_in(tree: Any, depth: int) -> _Closure:
    left, right = _build(tree[1], depth), _build(tree[2], depth)
    items = tree[2][1:] if tree[2][0] == "list" else ()
    if items and all(item[0] == "string" for item in items):
        literals = frozenset(item[1] for item in items)

        def run_literals(env: _Env, meter: Meter) -> Any:
            value = left(env, meter)
            if kind_of(value) != "string":
                return False
            spend_text(meter, len(value))
            return value in literals

        return run_literals
    return lambda env, meter: member(left(env, meter), right(env, meter), meter)


def _build_arithmetic(tree: Any, depth: int) -> _Closure:
    symbol = tree[0]
    apply = ARITHMETIC[symbol]
    left, right = _build(tree[1], depth), _build(tree[2], depth)

    def run(env: _Env, meter: Meter) -> Any:
        first, second = integer(symbol, left(env, meter)), integer(symbol, right(env, meter))
        return in_range(symbol, apply(first, second))

    return run


def _build_addition(tree: Any, depth: int) -> _Closure:
    """`+`, of two integers without a detour."""
    left, right = _build(tree[1], depth), _build(tree[2], depth)

    def run(env: _Env, meter: Meter) -> Any:
        first, second = left(env, meter), right(env, meter)
        if type(first) is int and type(second) is int:
            return in_range("+", in_range("+", first) + in_range("+", second))
        return add(first, second, meter)

    return run


def _build_conditional(tree: Any, depth: int) -> _Closure:
    condition, yes, no = (_build(item, depth) for item in tree[1:])

    def run(env: _Env, meter: Meter) -> Any:
        value = condition(env, meter)
        if value is True:
            return yes(env, meter)
        if value is False:
            return no(env, meter)
        raise EvaluationError(f"the condition of `?:` is {named(kind_of(value))}, not a bool")

    return run


def _build_macro(tree: Any, depth: int) -> _Closure:
    """`all` and `exists`: an element that decides wins over errors on the others."""
    macro, variable = tree[0], label(tree[1])
    deciding = macro == "exists"
    other = not deciding
    source, body = _build(tree[2], depth), _build(tree[3], depth)
    names: set[str] = set()
    # A long body costs more an iteration, so that the limit bounds time and not only rounds.
    cost = 1 + survey(tree[3], names) // 16
    captured = tuple(names - {variable})

    def run(env: _Env, meter: Meter) -> Any:
        items = source(env, meter)
        if kind_of(items) not in ("list", "map"):  # of a map, CEL visits the keys
            raise EvaluationError(f"`{macro}` goes over a list, not over {named(kind_of(items))}")
        inner = {name: env[name] for name in captured if name in env}
        reason = None
        for item in items:
            spend(meter, cost)
            inner[variable] = item
            try:
                value = body(inner, meter)
                if value is deciding:
                    return deciding
                if value is not other and reason is None:
                    reason = f"the condition of `{macro}` is {named(kind_of(value))}, not a bool"
            except EvaluationError as error:
                reason = reason or error.reason
        if reason is None:
            return other
        raise EvaluationError(reason)

    return run


_BUILDERS: dict[str, Callable[[Any, int], _Closure]] = {
    **dict.fromkeys(LITERALS, _build_literal),
    "list": _build_list,
    "var": _build_var,
    "field": _build_field,
    "index": _build_index,
    "has": _build_has,
    **dict.fromkeys(STRING_TESTS, _build_string_test),
    "not": _build_not,
    **dict.fromkeys(_FUNCTIONS, _build_function),
    **dict.fromkeys(("and", "or"), _build_logic),
    **dict.fromkeys(("==", "!="), _build_equality),
    **dict.fromkeys(ORDER, _build_order),
    "in": _build_in,
    **dict.fromkeys(ARITHMETIC, _build_arithmetic),
    "+": _build_addition,
    "?:": _build_conditional,
    **dict.fromkeys(("all", "exists"), _build_macro),
}
