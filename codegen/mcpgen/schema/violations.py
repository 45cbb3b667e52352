"""What a schema refuses in a value, in words for people."""

from __future__ import annotations

from itertools import islice
from typing import Any

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, format_pointer

_MOST_VIOLATIONS = 3
_LONGEST_QUOTE = 200


class Validator:
    """A schema to check values by; a value that takes the check too long counts as valid."""

    def __init__(self, schema: Any) -> None:
        """Compile the schema; raise ValueError if the validator refuses it."""
        dialect = detect_dialect(schema) or DRAFT_2020_12
        self._validator = SubschemaValidators(schema, dialect).find_validator("")

    def describe_violations(self, value: Json) -> str:
        """Return the first violations with their JSON pointers; empty if there is none."""
        try:
            with contained():
                errors: list[Any] = [*islice(self._validator.iter_errors(value), _MOST_VIOLATIONS)]
        except CheckFailed:
            return ""
        places = ((format_pointer(*error.instance_path) or "the root", error.message) for error in errors)
        return "; ".join(f"{place}: {shorten(message)}" for place, message in places)


def shorten(text: str) -> str:
    """Return a text as one line that is not too long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}…"
