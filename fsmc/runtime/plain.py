"""The text of a large machine, recognised as canonical without being written again.

Only states and transitions are many. Where both are written as the compiler writes them, it is seen at once that their text is
canonical and that the schema allows it; everything else is short enough to be written again and compared.
"""

from __future__ import annotations

import re
from functools import cache

from fsmc.runtime.annotations import Any
from fsmc.runtime.canonical import canonical_json

# Keys in their order, strings without an escape. A text that a JSON parser has taken holds no `01` and lacks no comma.
_NAME = r'"name":"[^"\\\x00-\x1f]*"'
_TOOLS_AND_TYPE = r'(?:,"tools":\[[0-9,]*\])?(?:,"type":"(?:initial|intermediate|terminal)")?'
_STATE = (
    r'(?:"budget":\[[0-9]+,[0-9]+,(?:-1|[0-9]+)\],)?(?:"max_visits":[1-9][0-9]*,)?'
    rf'{_NAME}(?:,"on_exhausted":[0-9]+)?(?:,"parallel_calls":[1-9][0-9]*)?{_TOOLS_AND_TYPE}'
)
# What is left of a transition without its digits: no condition and no set, one of them, both.
_TRANSITIONS = (b"[,,]", b"[,,,-,-,]", b"[,,,,-,]", b"[,,,-,,]", b"[,,,,,]")


@cache
def _states() -> tuple[re.Pattern[str], ...]:
    """As many states as have no limit, then as many as there are: most have none, and the first pattern takes half the time."""
    return tuple(re.compile(rf"(?:\{{{state}\}},?)*") for state in (_NAME + _TOOLS_AND_TYPE, _STATE))


def is_plain(text: str, machine: Any) -> bool:
    """Whether *text*, which was parsed to *machine*, is canonical, and its states and transitions as the schema has them.

    False says nothing. Raises ``ValueError`` for a number that canonical JSON cannot say.
    """
    if not isinstance(machine, dict):
        return False
    before = canonical_json({key: value for key, value in machine.items() if key < "states"})[:-1] + ',"states":['
    after = canonical_json({key: value for key, value in machine.items() if "states" < key < "transitions"})
    between = f'],{after[1:-1]},"transitions":'
    end = len(before)
    for pattern in _states():
        found = pattern.match(text, end)
        end = found.end() if found else end
    return text.startswith(before) and text.startswith(between, end) and _transitions(text[end + len(between) : -1])


def _transitions(text: str) -> bool:
    shape = text.encode().translate(None, b"0123456789")
    for transition in _TRANSITIONS:
        shape = shape.replace(transition, b"*")
    return shape == b"[%b]" % b",".join([b"*"] * shape.count(b"*")) and text.count("-") == text.count("-1,")
