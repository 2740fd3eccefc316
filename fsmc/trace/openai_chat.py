"""OpenAI chat transcripts: a list of messages, alone or inside ``messages`` or ``traj``, one or many in a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmc.policy.wording import kind
from fsmc.trace.load import Document, decode_arguments, shortened
from fsmc.trace.records import Call, Flaw, Record, Result, Run, fresh_id

NAME = "openai-chat"
_CONTAINERS = ("messages", "traj")
_ROLES = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
_NO_MESSAGE = "a message is a JSON object with a `role`"


def recognises(documents: list[Document]) -> int:
    """How many documents are a chat message, or hold a list with one."""
    return sum(_is_message(document.value) or _holds_conversation(document.value) for document in documents)


def read(documents: list[Document], name: str) -> Iterator[Run]:
    """Each conversation of the file as a run."""
    loose = sum(_is_message(document.value) for document in documents)
    if loose and loose >= sum(_holds_conversation(document.value) for document in documents):
        yield Run(name, tuple(_records(documents)))
        return
    for document in documents:
        where = f"{name}:{document.line}" if document.line else name
        if document.error is not None:
            yield Run(where, (Flaw(f"line {document.line}", "broken_record", f"not JSON: {document.error}"),))
            continue
        for label, found in _conversations(document.value, where):
            if isinstance(found, str):
                at = f"line {document.line}" if document.line else "file"
                yield Run(label, (Flaw(at, "broken_record", found),))
            else:
                yield Run(label, tuple(_records([Document(0, message) for message in found])))


def _role(value: Any) -> str | None:
    role = value.get("role") if isinstance(value, dict) else None
    return role if isinstance(role, str) else None


def _is_message(value: Any) -> bool:
    return _role(value) in _ROLES


def _is_list_of_messages(value: list[Any]) -> bool:
    """Whether a list is one conversation, if perhaps a flawed one, and not a list of conversations."""
    messages = sum(isinstance(item, dict) and "role" in item for item in value)
    others = sum(_may_hold_conversations(item) for item in value)
    return messages > 0 and messages >= others


def _may_hold_conversations(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and any(key in value for key in _CONTAINERS))


def _holds_conversation(value: Any) -> bool:
    return any(any(map(_is_message, found)) for _, found in _conversations(value, "") if not isinstance(found, str))


def _conversations(value: Any, label: str) -> Iterator[tuple[str, list[Any] | str]]:
    """The lists of messages in *value*, each with a label that tells it from its neighbours; why there is none, in words."""
    if isinstance(value, dict):
        yield _contained(value, label)
    elif not isinstance(value, list):
        yield label, f"no conversation: {kind(value)}"
    elif not value:
        yield label, "no conversation: an empty list"
    elif _is_list_of_messages(value):
        yield label, value
    else:
        for number, item in enumerate(value, 1):
            yield from _conversations(item, f"{label}#{number}")


def _contained(value: dict[str, Any], label: str) -> tuple[str, list[Any] | str]:
    task = value.get("task_id")
    if isinstance(task, (str, int)):
        label = f"{label}[task {task}]"
    found = [key for key in _CONTAINERS if key in value]
    for key in found:
        if isinstance(value[key], list) and value[key]:
            return label, value[key]
    if "role" in value:
        return label, "a message by itself, in no list of messages"
    if found:
        given = "is empty" if value[found[0]] == [] else "is not a list of messages"
        return label, f"no conversation: `{found[0]}` {given}"
    return label, "no conversation: it has no `messages` or `traj`"


def _records(documents: list[Document]) -> Iterator[Record]:
    messages = [document.value for document in documents]
    given = _given_ids(messages)
    legacy: dict[str, str] = {}  # the function calls of the older form have no id: name -> the id of its newest call
    for index, (message, document) in enumerate(zip(messages, documents, strict=True)):
        at = f"message {index}"
        role = _role(message)
        if role not in _ROLES:
            legacy.clear()  # it may have held a call, and a result that follows may be of that one
        if document.error is not None:
            yield Flaw(f"line {document.line}", "broken_record", f"not JSON: {document.error}")
        elif role is None:
            yield Flaw(at, "broken_record", _NO_MESSAGE)
        elif role == "assistant":
            yield from _calls(message, at, legacy, given)
        elif role in ("tool", "function"):
            yield _result(message, at, role, legacy)
        elif role not in _ROLES:
            yield Flaw(at, "broken_record", f"the role `{shortened(role)}` is unknown{_lost(message)}")
        if role in _ROLES and role != "assistant" and (lost := _lost(message)):
            yield Flaw(at, "broken_record", f"a message of the role `{role}` makes no calls{lost}")


def _lost(message: dict[str, Any]) -> str:
    """What a message that is not from the assistant says about calls, and that nothing is made of it."""
    for key in ("tool_calls", "function_call"):
        if message.get(key):
            return f"; its `{key}` are not judged" if key == "tool_calls" else f"; its `{key}` is not judged"
    return ""


def _given_ids(messages: list[Any]) -> set[str]:
    """The ids that the calls and results of a conversation have themselves."""
    given: set[str] = set()
    for message in messages:
        if not isinstance(message, dict):
            continue
        calls = message.get("tool_calls")
        ids = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        given.update(call_id for call_id in (*ids, message.get("tool_call_id")) if isinstance(call_id, str))
    return given


def _calls(message: dict[str, Any], at: str, legacy: dict[str, str], given: set[str]) -> Iterator[Record]:
    function = message.get("function_call")
    if function is not None:
        call_id = fresh_id(f"{at}/function_call", given)
        yield from _call(function, call_id, at)
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            legacy[function["name"]] = call_id
        else:
            legacy.clear()
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
        own = call.get("id")
        call_id = own if isinstance(own, str) and own else fresh_id(f"{at}/{number}", given)
        yield from _call(call.get("function"), call_id, at)


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
