"""Find the example of a schema that a generated package shows."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from mcpgen_runtime.schema_keywords import contained

from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.document import Schema, SubschemaValidators
from mcpgen.schema.keywords import walk_subschemas
from mcpgen.schema.values import Json

MOST_EXAMPLE_BYTES = 8_192
"""Length of an example as JSON text."""
_MOST_CANDIDATES = 8
"""Valid values that are looked at, to find one whose strings have their formats, too."""


def find_example_text(schema: Schema, needs_formats: bool = False) -> str | None:
    """Return a small valid value as JSON text, always the same one; None where none is found.

    The schema's own `examples`, `const` and `default` come first. Strings have their formats if that is possible.

    Args:
        schema: the schema.
        needs_formats: strings must have their formats.
    """
    first: str | None = None
    try:
        formatted = _find_validator(schema)
        for value in islice(ValueGenerator(schema.value, schema.dialect).iterate_examples(), _MOST_CANDIDATES):
            text = _write_value(value)
            if text is None:
                continue
            if formatted is None or _is_valid(formatted, value):
                return text
            first = first or text
    except ValueError:  # the validator refuses the schema, as reading it has reported
        return None
    return None if needs_formats else first


def _write_value(value: Json) -> str | None:
    """Return the JSON text of a value, None if it is too long."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text if len(text) <= MOST_EXAMPLE_BYTES else None


def _find_validator(schema: Schema) -> Any:
    """Return a validator that asserts formats, None if the schema has none."""
    if not any(
        isinstance(place, dict) and "format" in place for _, place in walk_subschemas(schema.value, schema.dialect)
    ):
        return None
    return SubschemaValidators(schema.value, schema.dialect, asserts_formats=True).find_validator("")


def _is_valid(validator: Any, value: Json) -> bool:
    with contained():
        return bool(validator.is_valid(value))
