"""From the text of a policy to data with places.

`read` reads a file, `parse` reads bytes; both give a `Document`. YAML, TOML and JSON carry the
same data: mappings with string keys, sequences, strings, 64-bit integers, finite floats, booleans
and null. What is wrong inside a file is listed in `Document.problems`; only a file that cannot be
read at all raises `InputError`.
"""

from __future__ import annotations

import gc
import os
import stat

from fsmc.source.errors import InputError
from fsmc.source.reading import MAX_BYTES, Problems, Unreadable, is_binary
from fsmc.source.tree import (
    Document,
    Format,
    Lines,
    MappingNode,
    Note,
    Place,
    Problem,
    SequenceNode,
    Value,
)

__all__ = [
    "Document",
    "Format",
    "MappingNode",
    "Note",
    "Place",
    "Problem",
    "SequenceNode",
    "InputError",
    "Value",
    "parse",
    "read",
]

_SUFFIXES: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}
_MARK = b"\xef\xbb\xbf"
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_WIDE_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read(path: str | os.PathLike[str]) -> Document:
    """Read the file at `path`; its suffix says the format.

    Raises `InputError` when there is no such file, or it may not or cannot be read.
    """
    name = os.fsdecode(path)
    shown = name.encode("utf-8", "backslashreplace").decode()
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISDIR(mode):
            raise InputError(f"{shown} is a directory; name a policy file inside it")
        if not stat.S_ISREG(mode):
            raise InputError(f"{shown} is not a regular file; pass its text on standard input")
        with open(name, "rb") as file:
            # One byte more than allowed is enough to see that there are too many.
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{shown} does not exist") from None
    except PermissionError:
        raise InputError(f"{shown} may not be read by this user") from None
    except OSError as error:
        raise InputError(f"{shown} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{shown.encode('unicode_escape').decode()} is not a file name") from None
    return parse(data, shown)


def parse(data: bytes, name: str = "<stdin>", format: Format | None = None) -> Document:
    """Read `data` as the format given, else as the suffix of `name` says.

    With an unknown suffix, text that starts with `{` or `[` is JSON, and anything else YAML.
    Raises `InputError` only when no YAML parser is installed here.
    """
    lines = Lines("")
    problems = Problems(lines)
    root: Value = None
    # Nothing is garbage before the tree is complete, and looking for it takes time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        _decode(data, problems)
        format = format or _format_of(name, lines.text)
        root = _root(format, lines, problems)
    except Unreadable:
        pass
    finally:
        if collecting:
            gc.enable()
    return Document(name, format or _format_of(name, lines.text), lines, root, problems.sorted(), problems.notes)


def _format_of(name: str, text: str) -> Format:
    known = _SUFFIXES.get(os.path.splitext(name)[1].lower())
    return known or ("json" if text.lstrip()[:1] in ("{", "[") else "yaml")


def _root(format: Format, lines: Lines, problems: Problems) -> Value:
    # Each reader brings its parser along, so only the one that is needed is imported.
    if format == "yaml":
        from fsmc.source.yaml import build
    elif format == "toml":
        from fsmc.source.toml import build
    else:
        from fsmc.source.json import build
    return build(lines, problems)


def _decode(data: bytes, problems: Problems) -> None:
    """Give the lines of `problems` the text of `data`, without a byte order mark."""
    if len(data) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB"
        raise problems.fatal("too-large", 0, message, "split the policy, or check the file name")
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            message = f"the file is encoded in {encoding}; a policy is read as UTF-8"
            raise problems.fatal("encoding-error", 0, message, "save it as UTF-8")
    if is_binary(data):
        raise problems.fatal("encoding-error", 0, "this is a binary file, not a policy", "a policy is text in UTF-8")
    marked = data.startswith(_MARK)
    data = data.removeprefix(_MARK)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        # The report still shows the line, with a replacement character where text is broken.
        problems.lines.text = data.decode("utf-8", "replace")
        offset = len(data[: error.start].decode("utf-8"))
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8 text"
        raise problems.fatal("encoding-error", offset, message, "save the file as UTF-8") from None
    problems.lines.text = text
    if marked:
        message = "the file starts with an invisible byte order mark, which some tools take for text"
        problems.note("byte-order-mark", 0, message, "save it as UTF-8 without a byte order mark")
    nul = text.find("\0")
    if nul >= 0:
        message = "a NUL character stands here, so this is not a text file in UTF-8"
        raise problems.fatal("encoding-error", nul, message, "save the policy as UTF-8 text")
    if text.startswith("\ufeff"):
        message = "the file starts with a second, invisible byte order mark"
        raise problems.fatal("encoding-error", 0, message, "delete the character U+FEFF")
