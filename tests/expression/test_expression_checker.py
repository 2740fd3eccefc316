"""What the types of the facts allow to be said, and what an author is told who says more."""

import pytest

from fsmc.expression import (
    BOOL,
    DOUBLE,
    DYN,
    INT,
    NULL,
    STRING,
    ListType,
    MapType,
    Type,
    Union,
    compile_text,
    describe,
    from_schema,
)

CONTEXT = from_schema(
    {
        "type": "object",
        "properties": {
            "role": {"enum": ["patient", "staff"]},
            "kind": {"const": "adult"},
            "age": {"type": "integer"},
            "price": {"type": "number"},
            "weight": {"enum": [1.5, 2.5]},
            "patient": {"type": "string"},
            "verified": {"type": "boolean"},
            "note": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "numbers": {"type": "array", "items": {"type": "integer"}},
            "roles": {"type": "array", "items": {"enum": ["patient", "staff"]}},
            "slot": {"type": "object", "properties": {"status": {"enum": ["free", "sold"]}}},
            "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
            "anything": True,
        },
    }
)
ENV: dict[str, Type] = {
    "context": CONTEXT,
    "calls": MapType({"confirm": INT, "book": INT}, frozenset(), None),
    "state": STRING,
}
UNAVAILABLE = {"args": "`args` is what a tool is called with; a transition has no call"}

CONDITIONS = [
    'context.role == "patient"',
    'context.role in ["patient", "staff"]',
    'context.role != context.patient && context.patient != ""',
    'context.kind == "adult"',
    "context.age >= 18 && context.price <= 200.5 && context.age < context.price",
    "context.age == 18.0 || context.price == 200",
    "context.age * 2 + 1 - size(context.tags) > -3",
    "-context.price < 0",
    "context.verified",
    "!context.verified",
    "false < context.verified",
    'context.note == null || context.note.startsWith("x") || context.note < "a"',
    '"x" in context.tags && context.patient in context.tags',
    "context.tags.exists(tag, tag.contains(context.patient) && size(tag) > 2)",
    "context.tags.all(context, context.size() > 1)",
    '"patient" in context.roles',
    'has(context.slot.status) && context.slot.status == "free"',
    'context["slot"]["status"] == "sold"',
    "context.limits.whatever > 3 && context.limits[state] > 3 && state in context.limits",
    '"age" in context',
    "context.anything.deep[0] == 1 && context.anything < 3 && context.anything + 1 == 2",
    "context.anything",
    "context.anything.all(x, x)",
    'calls.confirm >= 1 && calls["book"] == 0 && calls[state] < 2',
    "(context.verified ? context.age : context.price) > 1",
    "(context.verified ? context.patient : null) == null",
    "[1, 2.5] == [context.age, context.price]",
    "[] == context.tags",
    "context.tags == context.numbers && context.tags != context.numbers && [context.tags] == [[1]]",
    '"x" in context.tags + [context.patient] && size(context.tags + context.anything) > 2',
    '(["patient"] + context.roles).all(role, role == "patient")',
    "context.anything + context.anything == [1] || context.anything + context.anything == 1",
]


@pytest.mark.parametrize("text", CONDITIONS)
def test_is_a_condition(text: str) -> None:
    assert compile_text(text, ENV, BOOL, UNAVAILABLE).errors == []


MISTAKES = {
    # names and fields
    "contxt.age == 1": (0, 6, "`contxt` is not known here; did you mean `context`?"),
    "age == 1": (0, 3, "`age` is not known here; did you mean `context.age`?"),
    "qqq == 1": (0, 3, "`qqq` is not known here; the names here are calls, context, state"),
    "True": (0, 4, "`True` is not known here; did you mean `true`?"),
    "state == None": (9, 4, "`None` is not known here; did you mean `null`?"),
    "args.x == 1": (0, 4, UNAVAILABLE["args"]),
    "context.ag == 1": (8, 2, "context has no field `ag`; did you mean `age`?"),
    'context["ag"] == 1': (8, 4, "context has no field `ag`; did you mean `age`?"),
    'context.slot.x == "y"': (13, 1, "context.slot has no field `x`; its fields are status"),
    "has(context.slot.statu)": (17, 5, "context.slot has no field `statu`; did you mean `status`?"),
    '"ag" in context': (0, 4, "context has no field `ag`; did you mean `age`?"),
    "calls.confrm > 0": (6, 6, "calls has no field `confrm`; did you mean `confirm`?"),
    "context.age.x == 1": (12, 1, "context.age is an int, it has no field `x`"),
    "context.tags.length > 1": (
        13,
        6,
        "context.tags is a list of string, it has no field `length`; write size(context.tags)",
    ),
    # equality
    'context.role == "patien"': (
        16,
        8,
        "context.role is one of patient, staff; `patien` can never be equal; did you mean `patient`?",
    ),
    '"xyz" != context.role': (
        0,
        5,
        "context.role is one of patient, staff; `xyz` can never be equal",
    ),
    'context.role in ["staff", "patients"]': (
        26,
        10,
        "context.role is one of patient, staff; `patients` can never be equal; did you mean `patient`?",
    ),
    '"staf" in context.roles': (
        0,
        6,
        "each element of context.roles is one of patient, staff, never `staf`; did you mean `staff`?",
    ),
    'context.kind == "child"': (16, 7, "context.kind is always adult; `child` can never be equal"),
    "context.slot.status == context.role": (
        0,
        35,
        "context.slot.status and context.role can never be equal",
    ),
    'context.age == "18"': (
        0,
        19,
        'context.age is an int, "18" is a string: they can never be equal; numbers are written without quotes',
    ),
    "context.verified == 1": (
        0,
        21,
        "context.verified is a bool, 1 is an int: they can never be equal",
    ),
    "context.patient == null": (
        0,
        15,
        "context.patient is a string and can never be null; write has(context.patient) to ask whether it is there",
    ),
    "1 in context.tags": (
        0,
        1,
        "context.tags is a list of string, 1 is an int: it can never be in it",
    ),
    "context.tags == [1]": (
        0,
        19,
        "context.tags is a list of string, [1] is a list of int: they can never be equal",
    ),
    # order, arithmetic, membership
    'context.age < "a"': (
        0,
        17,
        "`<` compares two numbers, two strings or two bools; these are an int and a string",
    ),
    "context.anything > null": (
        0,
        23,
        "`>` compares two numbers, two strings or two bools; one of these is null",
    ),
    "context.price * 2 < 10": (0, 13, "`*` works on integers; context.price is a number"),
    'context.patient + "x" == "y"': (
        0,
        15,
        "`+` works on integers or lists; context.patient is a string; strings are not joined in the policy language",
    ),
    'context.anything + "x" == "y"': (
        19,
        3,
        '`+` works on integers or lists; "x" is a string; strings are not joined in the policy language',
    ),
    "context.age + context.price < 3": (14, 13, "`+` works on integers or lists; context.price is a number"),
    "context.tags - context.tags == []": (0, 12, "`-` works on integers; context.tags is a list of string"),
    'context.tags + "x" == []': (
        15,
        3,
        '`+` joins two lists; "x" is a string; put a single element in brackets',
    ),
    "state in context.patient + context.tags": (
        9,
        15,
        "`+` joins two lists; context.patient is a string; put a single element in brackets",
    ),
    "1 in [1] + 2": (11, 1, "`+` joins two lists; 2 is an int; put a single element in brackets"),
    '(["patient"] + context.roles).exists(role, role == "admin")': (
        51,
        7,
        "role is one of patient, staff; `admin` can never be equal",
    ),
    "1 in context.tags + [state]": (
        0,
        1,
        "context.tags + [state] is a list of string, 1 is an int: it can never be in it",
    ),
    "context.anything + context.anything == state": (
        0,
        44,
        "context.anything + context.anything is an int or list, state is a string: they can never be equal",
    ),
    '"x" in context.patient': (
        7,
        15,
        '`in` looks into a list or a map; context.patient is a string; write context.patient.contains("x")',
    ),
    "1 in context": (0, 1, "context is a map, its keys are strings; 1 is an int"),
    "context.tags[-1] == state": (13, 2, "the positions of a list count from 0"),
    "context.tags[0.5] == state": (
        13,
        3,
        "context.tags is a list, its positions are integers; 0.5 is a double",
    ),
    "state[0] == state": (0, 5, "`[...]` works on a list or a map; state is a string"),
    # functions
    'context.tags.contains("x")': (
        0,
        12,
        '`contains` works on strings; context.tags is a list of string; write "x" in context.tags',
    ),
    "state.startsWith(5)": (17, 1, "`startsWith` works on strings; 5 is an int"),
    "size(context.age) > 1": (
        5,
        11,
        "`size` works on a string, a list or a map; context.age is an int",
    ),
    "context.slot.all(x, true)": (0, 12, "`all` works on lists; context.slot is a map"),
    "context.tags.all(x, x)": (20, 1, "the condition of `all` is a bool; x is a string"),
    # conditions
    "context.age": (0, 11, "a bool is expected here, this is an int; compare it with something"),
    "!context.age": (1, 11, "`!` works on a bool; context.age is an int"),
    "context.age && true": (0, 11, "`&&` works on bools; context.age is an int"),
    "context.age ? true : false": (
        0,
        11,
        "the condition of `?:` is a bool; context.age is an int",
    ),
    "(true ? 1 : state) == 1": (
        8,
        9,
        "the two values of `?:` are an int and a string; both must be of one kind",
    ),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_is_a_mistake(text: str) -> None:
    checked = compile_text(text, ENV, BOOL, UNAVAILABLE)
    assert checked.tree is None
    errors = [(error.offset, error.length, str(error)) for error in checked.errors]
    assert errors == [MISTAKES[text]]


def test_several_mistakes_are_all_told() -> None:
    text = "context.ag + 1 > 3 && context.role == 'x' || nobody && !context.age"
    errors = compile_text(text, ENV, BOOL).errors
    assert [text[error.offset :][: error.length] for error in errors] == [
        "ag",
        "'x'",
        "nobody",
        "context.age",
    ]


RESULTS: dict[str, tuple[Type, str]] = {
    "context.age + 1": (INT, "int"),
    "context.anything + 1": (INT, "int"),
    "context.tags + [state]": (ListType(STRING), "list of string"),
    "context.tags + [1]": (ListType(Union((STRING, INT))), "list of string or int"),
    "context.anything + context.tags": (ListType(DYN), "list"),
    "context.anything + context.anything": (Union((INT, ListType(DYN))), "int or list"),
    "-context.price": (CONTEXT.fields["price"], "number"),  # type: ignore[union-attr]
    "1.5": (DOUBLE, "double"),
    "null": (NULL, "null"),
    "[1, 2]": (ListType(INT), "list of int"),
    "context.tags": (ListType(STRING), "list of string"),
    "context.note": (CONTEXT.fields["note"], "string or null"),  # type: ignore[union-attr]
    "context.anything[0]": (DYN, "value of unknown type"),
    "context.tags[0]": (STRING, "string"),
}


@pytest.mark.parametrize("text", RESULTS)
def test_result_type(text: str) -> None:
    kind, name = RESULTS[text]
    checked = compile_text(text, ENV)
    assert (checked.type, describe(checked.type)) == (kind, name)


def test_expected_type() -> None:
    roles = from_schema({"enum": ["patient", "staff"]})
    assert compile_text('"staff"', ENV, roles).errors == []
    assert compile_text("context.patient", ENV, roles).errors == []
    (error,) = compile_text('"stuff"', ENV, roles).errors
    assert str(error) == ("this place is one of patient, staff; `stuff` can never be equal; did you mean `staff`?")
    (error,) = compile_text("[1]", ENV, ListType(STRING)).errors
    assert str(error) == "a list of string is expected here, this is a list of int"
    (error,) = compile_text("context.age", ENV, STRING).errors
    assert str(error) == "a string is expected here, this is an int"


TREES = {
    "9007199254740991": ["int", 9007199254740991],
    "9007199254740993": ["int", "9007199254740993"],
    "1e2": ["double", "100.0"],
    "null": ["null"],
    "a && b && c": ["and", ["and", ["var", "a"], ["var", "b"]], ["var", "c"]],
    'a["b"].c[0]': ["index", ["field", ["field", ["var", "a"], "b"], "c"], ["int", 0]],
    "has(a.b)": ["has", ["var", "a"], "b"],
    "a.size() - -b": ["-", ["size", ["var", "a"]], ["neg", ["var", "b"]]],
    "[a] + b": ["+", ["list", ["var", "a"]], ["var", "b"]],
    "!a ? [true] : b": ["?:", ["not", ["var", "a"]], ["list", ["bool", True]], ["var", "b"]],
    "a.exists(x, x in b)": ["exists", "x", ["var", "a"], ["in", ["var", "x"], ["var", "b"]]],
    "a.endsWith('x') || b": ["or", ["endsWith", ["var", "a"], ["string", "x"]], ["var", "b"]],
}


@pytest.mark.parametrize("text", TREES)
def test_tree(text: str) -> None:
    assert compile_text(text, dict.fromkeys("abc", DYN)).tree == TREES[text]
