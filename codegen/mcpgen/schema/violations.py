"""What a schema refuses in a value, in words for people."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import Any

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, format_pointer

_LONGEST_QUOTE = 200


class Validator:
    """A schema to check values by."""

    def __init__(self, schema: Any, asserts_formats: bool = False) -> None:
        """Compile the schema; raise ValueError if that fails."""
        dialect = detect_dialect(schema) or DRAFT_2020_12
        self._validator = SubschemaValidators(schema, dialect, asserts_formats).find_validator("")

    def find_refusal(self, value: Json) -> tuple[str, str]:
        """Return the keyword that refuses a value, and the first violations; both empty if none does."""
        errors: list[Any] = []
        with suppress(CheckFailed), contained():
            errors = [*islice(self._validator.iter_errors(value), 3)]
        places = [(format_pointer(*error.instance_path) or "the root", error.message) for error in errors]
        keyword = str([*errors[0].schema_path][-1]) if errors else ""
        return keyword, "; ".join(f"{place}: {shorten(message)}" for place, message in places)

    def describe_violations(self, value: Json) -> str:
        """Return the first violations; empty if there is none."""
        return self.find_refusal(value)[1]


def shorten(text: str) -> str:
    """Return a text as one line that is not too long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}…"
