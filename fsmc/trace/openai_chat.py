"""OpenAI chat transcripts: a list of messages, alone or inside ``messages`` or ``traj``, one or many in a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmc.trace.load import Document, decode_arguments
from fsmc.trace.records import Call, Flaw, Record, Result, Run

NAME = "openai-chat"
_CONTAINERS = ("messages", "traj")
_ROLES = frozenset(("system", "developer", "user", "assistant", "tool", "function"))


def recognises(documents: list[Document]) -> bool:
    """Whether some document is, or holds, a list of chat messages."""
    return any(
        True for document in documents if document.error is None for _ in _conversations(document.value, "")
    ) or (_is_message_lines(documents))


def read(documents: list[Document], name: str) -> Iterator[Run]:
    """Each conversation of the file as a run."""
    if _is_message_lines(documents):
        yield Run(name, tuple(_records([document.value for document in documents])))
        return
    found = False
    for document in documents:
        where = f"{name}:{document.line}" if document.line else name
        if document.error is not None:
            yield Run(where, (Flaw(f"line {document.line}", "broken_record", f"not JSON: {document.error}"),))
            continue
        for label, messages in _conversations(document.value, where):
            found = True
            yield Run(label, tuple(_records(messages)))
    if not found:
        yield Run(name, (Flaw("file", "broken_record", "no list of chat messages in this file"),))


def _is_message_lines(documents: list[Document]) -> bool:
    """One message a line."""
    return len(documents) > 1 and all(_is_message(document.value) for document in documents)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in _ROLES


def _is_conversation(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and _is_message(value[0])


def _conversations(value: Any, label: str) -> Iterator[tuple[str, list[Any]]]:
    """The lists of messages in *value*, each with a label that tells it from its neighbours."""
    if _is_conversation(value):
        yield label, value
    elif isinstance(value, dict):
        for key in _CONTAINERS:
            if _is_conversation(value.get(key)):
                task = value.get("task_id")
                yield (label if task is None else f"{label}[task {task}]"), value[key]
                return
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, (dict, list)):
                yield from _conversations(item, f"{label}#{number + 1}")


def _records(messages: list[Any]) -> Iterator[Record]:
    legacy: dict[str, str] = {}  # the function calls of the older form have no id: name -> the id of its newest call
    for index, message in enumerate(messages):
        at = f"message {index}"
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str):
            yield Flaw(at, "broken_record", "a message is a JSON object with a `role`")
        elif role == "assistant":
            yield from _calls(message, at, legacy)
        elif role in ("tool", "function"):
            yield _result(message, at, role, legacy)


def _calls(message: dict[str, Any], at: str, legacy: dict[str, str]) -> Iterator[Record]:
    function = message.get("function_call")
    if function is not None:
        yield from _call(function, f"{at}/function_call", at)
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            legacy[function["name"]] = f"{at}/function_call"
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not isinstance(calls, list):
        yield Flaw(at, "broken_record", "`tool_calls` is not a list")
        return
    for number, call in enumerate(calls):
        if not isinstance(call, dict):
            yield Flaw(at, "broken_record", f"tool call {number} is not a JSON object")
            continue
        if "custom" in call and "function" not in call:
            yield Flaw(at, "broken_record", f"tool call {number} is a custom one, whose input is no JSON arguments")
            continue
        call_id = call.get("id")
        yield from _call(call.get("function"), call_id if isinstance(call_id, str) and call_id else f"{at}/{number}", at)


def _call(function: Any, call_id: str, at: str) -> Iterator[Record]:
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str):
        yield Flaw(at, "broken_record", f"call {call_id} has no function name")
        return
    arguments, problem = decode_arguments(function.get("arguments"))
    if problem is not None:
        yield Flaw(at, "broken_arguments", f"the arguments of `{name}` are not JSON: {problem}")
        arguments = function.get("arguments")
    yield Call(at, call_id, name, arguments)


def _result(message: dict[str, Any], at: str, role: str, legacy: dict[str, str]) -> Record:
    name = message.get("name")
    call_id = legacy.get(name) if role == "function" and isinstance(name, str) else message.get("tool_call_id")
    if not isinstance(call_id, str):
        missing = "no earlier call of its `name`" if role == "function" else "no `tool_call_id`"
        return Flaw(at, "broken_record", f"a {role} message with {missing}: the call it belongs to is not known")
    return Result(at, call_id, _text(message.get("content")), False)


def _text(content: Any) -> Any:
    """The text of a message: a string, or the texts of its parts joined."""
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return "" if content is None else content
