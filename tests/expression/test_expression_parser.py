"""What is an expression, what is not, and what its author is told."""

import inspect
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmc.expression import DYN, MAX_LENGTH, ExpressionError, compile_text, parse
from fsmc.expression.nodes import Binary
from fsmc.runtime.expression import compile_tree
from fsmc.runtime.expression_text import render
from tests.expression.expression_strategies import EXPRESSIONS, FLAT, SOUP, UNTYPED, mutations

FACTS = dict.fromkeys(("a", "b", "c", "context"), DYN)

# What is written -> how the tree is written back.
ACCEPTED = {
    "a": "a",
    "( ( a ) )": "a",
    "a.b . c": "a.b.c",
    'a["b"]["two words"]["in"]': 'a.b["two words"]["in"]',
    "a[0][b]": "a[0][b]",
    "a.size() == size(b)": "size(a) == size(b)",
    "has(a.b)": "has(a.b)",
    "a.startsWith('x')": 'a.startsWith("x")',
    "a.all(x, x.exists(y, y == x))": "a.all(x, x.exists(y, y == x))",
    # precedence and grouping
    "a || b && c": "a || b && c",
    "(a || b) && c": "(a || b) && c",
    "(a && b) && c": "a && b && c",
    "a && (b && c)": "a && b && c",
    "!a && b": "!a && b",
    "!(a && b)": "!(a && b)",
    "!a.b": "!a.b",
    "a + b * c - a": "a + b * c - a",
    "(a + b) * c": "(a + b) * c",
    "a - (b - c)": "a - (b - c)",
    "a + [b] + c": "a + [b] + c",
    "a + ([b] + c)": "a + ([b] + c)",
    "(a + b).exists(x, x in a + b)": "(a + b).exists(x, x in a + b)",
    "(a + b)[0] + size(a + b)": "(a + b)[0] + size(a + b)",
    "a == b == c": "a == b == c",
    "a == (b == c)": "a == (b == c)",
    "a in b in c": "a in b in c",
    "a < b == true": "a < b == true",
    "a ? b : c ? a : b": "a ? b : c ? a : b",
    "a ? (b ? c : a) : b": "a ? (b ? c : a) : b",
    "(a ? b : c) ? a : b": "(a ? b : c) ? a : b",
    "(a ? b : c).d": "(a ? b : c).d",
    # signs: a pair of them is nothing, as in CEL
    "!!a": "a",
    "!!!a": "!a",
    "!(!a)": "!(!a)",
    "--a": "a",
    "-(-a)": "-(-a)",
    "1 - -1": "1 - -1",
    "1--1": "1 - -1",
    "-(1)": "-(1)",
    "- 1": "-1",
    "- -1": "1",
    # literals
    "010": "10",
    "0x1F": "31",
    "-0x8000000000000000": "-9223372036854775808",
    "9223372036854775807": "9223372036854775807",
    ".5": "0.5",
    "1e3": "1000.0",
    "1.50E-1": "0.15",
    "-2.0": "-2.0",
    "[1, 2.5, 'x', [true, null],]": '[1, 2.5, "x", [true, null]]',
    "[]": "[]",
    r"'it\'s'": '"it\'s"',
    '"\'"': '"\'"',
    r"""'a"b\\c'""": r'"a\"b\\c"',
    r"'\x41\101\u00e9\U0001F600\?\`'": '"AAé😀?`"',
    r"'\a\b\f\n\r\t\v'": r'"\u0007\u0008\u000c\n\r\t\u000b"',
    r"r'\d'": r'"\\d"',
    r'R"\"': r'"\\"',
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_is_written_back(text: str) -> None:
    checked = compile_text(text, FACTS)
    assert checked.errors == []
    assert render(checked.tree) == ACCEPTED[text]


# What is written, the piece that is wrong (by its offset and length), what is said about it.
REFUSED = [
    ("", 0, 1, "the expression is empty"),
    ("   ", 0, 1, "the expression is empty"),
    ("a = 1", 2, 1, "`=` is not an operator; did you mean `==`?"),
    ("a === 1", 2, 3, "`===` is not an operator; write `==`"),
    ("a <> 1", 2, 2, "`<>` is not an operator; write `!=`"),
    ("a => 1", 2, 2, "`=>` is not an operator; did you mean `>=`?"),
    ("a & b", 2, 1, "`&` is not an operator; did you mean `&&`?"),
    ("a | b", 2, 1, "`|` is not an operator; did you mean `||`?"),
    ("a and b", 2, 3, "`and` is written `&&`"),
    ("a or b", 2, 2, "`or` is written `||`"),
    ("not a", 0, 3, "`not` is written `!`"),
    ("a is null", 2, 2, "`is` is written `==`"),
    ("a not in b", 2, 3, "`not` cannot stand here; `x not in y` is written `!(x in y)`"),
    ("a / 2", 2, 1, "division (`/`) is not part of the policy language; multiply the other side"),
    ("a % 2", 2, 1, "the remainder (`%`) is not part of the policy language"),
    ("a ** 2", 2, 2, "`**` is not an operator"),
    ("a ?? b", 2, 2, "`??` is not an operator; write `has(x.y) ? x.y : other`"),
    ("a?.b", 1, 2, "`?.` is not an operator; write `has(x.y) && x.y ...`"),
    (
        "a // why",
        2,
        2,
        "comments have no place in an expression; put them next to it in the policy",
    ),
    ("a # why", 2, 1, "comments have no place in an expression; put them next to it in the policy"),
    ("a;", 1, 1, "an expression is one value: `;` has no meaning"),
    ("a =~ 'x'", 2, 2, "regular expressions are not part of the policy language"),
    ("{'a': 1}", 0, 1, "map literals (`{`) are not part of the policy language"),
    ("a.`b`", 2, 1, 'backticks are not part of the policy language; write x["name"]'),
    ("a == “x”", 5, 1, "`“` is a typographic quote; strings are written \"...\" or '...'"),
    ("é", 0, 1, "`é` cannot be part of a name here; a field whose name is not plain ASCII is"),
    ("a @ b", 2, 1, "`@` has no meaning in an expression"),
    ("a\u200b", 1, 1, "`U+200B` has no meaning in an expression"),
    ("1u", 0, 2, "unsigned integers (`1u`) are not part of the policy language; leave out the `u`"),
    ("b'x'", 0, 1, "bytes (`b` before a string) are not part of the policy language"),
    ("'''x'''", 0, 3, "triple quotes are not part of the policy language"),
    ('r"""x"""', 1, 3, "triple quotes are not part of the policy language"),
    ("'abc", 0, 4, "this string has no closing '"),
    ("'a\nb'", 0, 2, "this string has no closing '"),
    (r"'a\qb'", 2, 2, r"`\q` is not an escape of a string; write `\\` for a backslash, or r"),
    (r"'a\x4'", 2, 2, r"`\x` is not an escape of a string"),
    (r"'\ud800'", 1, 6, r"`\ud800` is not a Unicode character"),
    (r"'\U00110000'", 1, 10, r"`\U00110000` is not a Unicode character"),
    ("'x\ud800'", 2, 1, "U+D800 is half a character, not a character"),
    ("9223372036854775808", 0, 19, "9223372036854775808 does not fit in 64 bits"),
    ("-9223372036854775809", 0, 20, "-9223372036854775809 does not fit in 64 bits"),
    ("- -9223372036854775808", 3, 19, "9223372036854775808 does not fit in 64 bits"),
    ("1" * 40, 0, 40, "this number does not fit in 64 bits"),
    ("1e999", 0, 5, "this number is too large for a double"),
    ("1abc", 0, 4, "`1abc` is neither a number nor a name"),
    ("a &&", 4, 1, "a value is missing after `&&`"),
    ("&& a", 0, 2, "a value is missing before `&&`"),
    ("a + * b", 4, 1, "a value is missing before `*`"),
    (".a", 0, 1, "a name is missing before `.`"),
    ("a.", 2, 1, "a name is missing after `.`"),
    ("a.1", 1, 2, "an operator is missing before `.1`"),
    ("(a", 2, 1, "`)` is missing"),
    ("(a b)", 3, 1, "an operator is missing before `b`"),
    ("(a and b)", 3, 3, "`and` is written `&&`"),
    ("[a)", 2, 1, "`]` is missing"),
    ("a }", 2, 1, "`}` cannot stand here"),
    ("a)", 1, 1, "this `)` closes nothing"),
    ("[a", 2, 1, "`]` is missing"),
    ("[,]", 1, 1, "a value is missing before `,`"),
    ("a b", 2, 1, "an operator is missing before `b`"),
    ("a 'x'", 2, 3, "an operator is missing before `'x'`"),
    ("a ? b", 5, 1, "`?` has no `:`"),
    ("a ? b ? c : a : b", 6, 1, "a `?:` between `?` and `:` needs parentheses around it"),
    ("-!a", 0, 2, "`-!` needs parentheses between the two"),
    ("!-a", 0, 2, "`!-` needs parentheses between the two"),
    ("if", 0, 2, "`if` is a reserved word and cannot be a name"),
    ("a.in", 2, 2, '`in` is a word of the language and cannot follow a `.`; write ["in"]'),
    ("a.matches('x')", 2, 7, "`matches` is not available: regular expressions are not part of"),
    ("timestamp('x')", 0, 9, "`timestamp` is not available: clocks and durations are not part of"),
    ("a.getHours()", 2, 8, "`getHours` is not available: clocks and durations are not part of"),
    ("int(a)", 0, 3, "`int` is not available: conversions are not part of"),
    ("a.map(x, x)", 2, 3, "`map` is not available: macros other than `all` and `exists` are not"),
    ("a.exists_one(x, x)", 2, 10, "`exists_one` is not available: macros other than `all` and"),
    ("len(a)", 0, 3, "there is no function `len`; write size(x)"),
    ("siz(a)", 0, 3, "there is no function `siz`; did you mean `size`?"),
    ("a.startswith('x')", 2, 10, "there is no method `startswith`; did you mean `startsWith`?"),
    ("a.any(x, x)", 2, 3, "there is no method `any`; write x.exists(item, condition)"),
    ("a.foo()", 2, 3, "there is no method `foo`; there are has, size, startsWith, endsWith,"),
    ("startsWith(a, b)", 0, 10, '`startsWith` is not a function; write x.startsWith("...")'),
    ("a.has(b)", 2, 3, "`has` is not a method; write has(x.name)"),
    ("size()", 0, 6, "`size` takes one argument, not 0; write size(x)"),
    ("a.size(b)", 2, 7, "`size` takes no argument, not 1; write x.size()"),
    ("a.contains(b, c)", 2, 14, "`contains` takes one argument, not 2"),
    ("a.all(x)", 2, 6, "`all` takes two arguments, not 1; write x.all(item, condition)"),
    ("a.all(1, true)", 6, 1, "the first argument of `all` names the element"),
    ("a.all((x), true)", 6, 3, "the first argument of `all` names the element"),
    ("has(a)", 4, 1, "`has` asks for a field by its name; write has(x.name)"),
    ('has(a["b"])', 4, 6, '`has` asks for a field by its name; write "b" in a'),
    ("size(a,)", 7, 1, "a value is missing before `)`"),
]


@pytest.mark.parametrize(("text", "offset", "length", "message"), REFUSED)
def test_is_refused(text: str, offset: int, length: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)
    assert (caught.value.offset, caught.value.length) == (offset, length)


def test_spans() -> None:
    node = parse("a.b == (1 + 2)")
    assert isinstance(node, Binary)
    assert (node.start, node.at, node.end) == (0, 4, 14)
    assert (node.right.start, node.right.end) == (7, 14)


def test_length_is_bounded() -> None:
    parse("a" * MAX_LENGTH)
    with pytest.raises(ExpressionError, match="at most 4096 characters, this one has 4097"):
        parse("a" * (MAX_LENGTH + 1))


@pytest.mark.parametrize("operator", [" && ", " || "])
def test_long_chain_is_not_deep(operator: str) -> None:
    checked = compile_text(operator.join(["(a == 1)"] * 300), FACTS)
    assert compile_tree(checked.tree)({"a": 1}) is True
    assert compile_tree(checked.tree)({"a": 2}) is False
    assert compile_text(render(checked.tree), FACTS).tree == checked.tree


ADVERSARIAL = {
    "parentheses": "(" * 4000,
    "balanced parentheses": "(" * 2000 + "a" + ")" * 2000,
    "brackets": "[" * 4000,
    "minus": "-" * 4000 + "1",
    "not": "!" * 4000 + "true",
    "not with parentheses": "!(" * 2000,
    "and": " && ".join(["a"] * 800),
    "plus": "+".join(["1"] * 2000),
    "relations": "==".join(["1"] * 1300),
    "in": "a in " * 800,
    "fields": "a" + ".b" * 2000,
    "elements": "a" + "[0]" * 1300,
    "conditionals": "a?b:" * 1000 + "c",
    "macros": "a.all(x," * 500,
    "calls": "size(" * 800,
    "every precedence": "a||b&&c==a+b*(" * 280,
    "digits": "9" * 4096,
    "exponent": "1e" + "9" * 4000,
    "escapes": '"' + "\\n" * 2000 + '"',
    "backslashes": "'" + "\\" * 4095,
    "quotes": "'\"" * 2048,
    "spaces": " " * 4096,
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_text_is_quick(name: str) -> None:
    start = time.perf_counter()
    checked = compile_text(ADVERSARIAL[name], FACTS)
    assert time.perf_counter() - start < 1
    if checked.tree is not None:
        compile_tree(checked.tree)


def test_deepest_expression_fits_a_small_stack() -> None:
    """At the limit of depth, about half of Python's default stack suffices."""
    texts = [before * 60 + "a" + ")" * 60 for before in ("(", "!(", "c.all(x, ")]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_stack_depth() + 600)
    try:
        for text in texts:
            assert compile_tree(compile_text(text, FACTS).tree)({"a": True, "c": []}) is not None
    finally:
        sys.setrecursionlimit(limit)


def _stack_depth() -> int:
    depth, frame = 0, inspect.currentframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


@given(st.one_of(st.text(max_size=60), SOUP, st.one_of(FLAT, EXPRESSIONS).flatmap(mutations)))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    for error in compile_text(text, UNTYPED).errors:
        assert 0 <= error.offset <= len(text)
        assert error.length >= 1
        assert error.offset + error.length <= max(len(text), error.offset + 1)


@given(EXPRESSIONS)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_rendered_tree_parses_to_itself(text: str) -> None:
    tree = compile_text(text, UNTYPED).tree
    if tree is not None:
        assert compile_text(render(tree), UNTYPED).tree == tree
