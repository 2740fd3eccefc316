"""Decisions and moves in the standard log ``fsmc``: moves and refusals at INFO, spent budgets and broken guards at WARNING, the rest at DEBUG.

``logging`` is looked up, not imported: an application that has not imported it has nothing to read the log with.
"""

from __future__ import annotations

import sys

from fsmc.runtime.annotations import Any
from fsmc.runtime.decision import Decision, Loop
from fsmc.runtime.infos import Step
from fsmc.runtime.values import described

_found: Any = None


def _logger() -> Any:
    global _found
    if _found is None and (logging := sys.modules.get("logging")) is not None:
        _found = logging.getLogger("fsmc")
        if not _found.handlers:
            _found.addHandler(logging.NullHandler())  # silent, unless the application asks for it
    return _found


def enabled() -> bool:
    """Whether anybody reads moves: ``logging`` is imported and INFO is on for ``fsmc``. Looked at when a session starts."""
    logger = _logger()
    return logger is not None and logger.isEnabledFor(20)


def decision(policy: str, made: Decision) -> None:
    """A decision about a call: the fields are in ``record.fsmc``."""
    logger = _logger()
    if logger is None:
        return
    level = 10 if made.code == "ok" else 20
    if logger.isEnabledFor(level):
        fields = {"policy": policy, "state": made.state, "tool": made.tool, "verdict": made.verdict, "code": made.code}
        logger.log(
            level,
            "%s %s in %s: %s",
            made.verdict,
            made.tool,
            made.state,
            made.reason or made.code,
            extra={"fsmc": fields},
        )


def step(policy: str, made: Step) -> None:
    """A move, or why there was none."""
    logger = _logger()
    if logger is None or not logger.isEnabledFor(20):
        return
    fields = {"policy": policy, "source": made.source, "event": made.event, "target": made.target, "code": made.code}
    if made.moved:
        logger.info("%s --%s--> %s", made.source, made.event or made.kind, made.target, extra={"fsmc": fields})
    else:
        logger.info("%s moved nothing in %s: %s", made.event, made.source, made.reason, extra={"fsmc": fields})


def loop(policy: str, spent: Loop) -> None:
    """A spent budget."""
    logger = _logger()
    if logger is not None:
        fields = {"policy": policy, **spent._asdict()}
        logger.warning(
            "budget of %s spent: %s of %s (%s)",
            spent.state,
            spent.made,
            spent.limit,
            spent.mode,
            extra={"fsmc": fields},
        )


def guard(name: str, answer: object) -> None:
    """A guard that failed, or answered with neither True nor False: it does not hold, and somebody should mend it."""
    logger = _logger()
    if logger is None:
        return
    if isinstance(answer, BaseException):
        logger.warning("guard `%s` failed: %s", name, described(answer), exc_info=answer)
    else:
        logger.warning("guard `%s` gave %s, not True or False", name, type(answer).__name__)


def given_back(policy: str, tool: str, call_id: str) -> None:
    """A block that ended without a result: if the tool ran, nobody knows."""
    logger = _logger()
    if logger is not None:
        fields = {"policy": policy, "tool": tool, "call_id": call_id}
        logger.warning("%s was given back: its block set no result", tool, extra={"fsmc": fields})
