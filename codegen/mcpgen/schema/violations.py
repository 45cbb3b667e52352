"""What a schema refuses in a value, in words for people."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, format_pointer

Check: TypeAlias = Callable[[Json], tuple[str, str]]
"""Returns the keyword that refuses a value, and the first violations with their places; empty if none does."""


def make_check(schema: Any, asserts_formats: bool = False) -> Check:
    """Return the check of values by a schema; raise ValueError if it is none."""
    dialect = detect_dialect(schema) or DRAFT_2020_12
    validator = SubschemaValidators(schema, dialect, asserts_formats).find_validator("")

    def find_refusal(value: Json) -> tuple[str, str]:
        errors: list[Any] = []
        with suppress(CheckFailed), contained():
            errors += islice(validator.iter_errors(value), 3)
        violations = [f"{format_pointer(*one.instance_path) or 'the root'}: {shorten(one.message)}" for one in errors]
        return str([*errors[0].schema_path][-1]) if errors else "", "; ".join(violations)

    return find_refusal


def shorten(text: str) -> str:
    """Return a text as one line that is not too long."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}…"
