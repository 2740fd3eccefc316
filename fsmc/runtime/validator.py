"""Values against a JSON Schema of the policy: arguments, contexts. Valid values never pay for the full validator."""

from __future__ import annotations

import json

from fsmc.runtime.annotations import Any
from fsmc.runtime.effort import TooMuchWork, weigh
from fsmc.runtime.errors import BindingError
from fsmc.runtime.references import UnsupportedSchema
from fsmc.runtime.validity import Check, compile_schema
from fsmc.runtime.values import described


class Validator:
    """One schema, ready to judge. ``subject`` names the value in messages (``arguments``, ``context``)."""

    __slots__ = ("_schema", "_quick", "_full", "_subject")

    def __init__(self, schema: Any, subject: str) -> None:
        """Raises ``BindingError`` when nothing that is installed can validate the schema."""
        self._schema = json.loads(schema) if isinstance(schema, str) else schema
        self._subject = subject
        self._full: Any = None
        self._quick: Check | None = None
        try:
            self._quick = compile_schema(self._schema)
        except UnsupportedSchema as unsupported:
            self._full = self._full_validator()
            if self._full is None:
                raise BindingError(
                    f"the schema of the {subject} needs the jsonschema package ({unsupported}); install fsmc with it"
                ) from None

    def error(self, value: Any) -> str | None:
        """None when *value* is valid, else one sentence that says what is not."""
        try:
            if self._quick is not None and self._quick(value):
                return None
            if self._full is None:
                self._full = self._full_validator()
            if self._full is None:
                return f"the {self._subject} do not match their schema"
            weigh(self._schema, value)
            return self._explain(value)
        except TooMuchWork:
            return f"the {self._subject} are too much work for their schema to be validated"
        except RecursionError:
            return f"the {self._subject} are nested too deeply"
        except Exception as failure:  # a schema that the judge itself cannot read grants nothing
            return f"the {self._subject} could not be validated: {described(failure)}"

    def _full_validator(self) -> Any:
        try:
            import jsonschema
            import referencing
        except ImportError:
            return None
        # An empty registry: a reference to anything outside the schema is an error, never a download.
        return jsonschema.Draft202012Validator(self._schema, registry=referencing.Registry())

    def _explain(self, value: Any) -> str | None:
        worst = min(self._full.iter_errors(value), key=lambda e: (len(e.absolute_path), e.message), default=None)
        if worst is None:
            return None
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in worst.absolute_path)
        message = worst.message if len(worst.message) <= 300 else worst.message[:297] + "..."
        return f"{self._subject}{where}: {message}"
