"""Compile validators for the subschemas of a schema, each when it is first needed.

`jsonschema-rs` can compile them all at once, but its time and memory grow with the square of the schema.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import jsonschema_rs
from mcpgen_runtime.schema_keywords import contained, encode_references, select_custom_keywords

from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import Json

_BASE_URI = "https://mcpgen.invalid/schema"


class SubschemaValidators:
    """Validators of one self-contained schema; `format` is an annotation, unless it is asserted."""

    def __init__(self, schema: Json, dialect: str, asserts_formats: bool = False) -> None:
        """Compile the whole schema.

        Raises:
            ValueError: the validator rejects it.
        """
        whole: Any = encode_references(schema)
        base = "" if isinstance(whole, bool) else str(whole.get("$id", "")).partition("#")[0]
        self._base = base if ":" in base else _BASE_URI
        self._dialect, self._asserts_formats = dialect, asserts_formats
        draft = jsonschema_rs.Draft7 if dialect == DRAFT_07 else jsonschema_rs.Draft202012
        with contained():
            self._registry = jsonschema_rs.Registry([(self._base, whole)], draft=draft)
        self._validators: dict[str, Any] = {"": self._compile(whole)}

    def find_validator(self, pointer: str) -> Any:
        """Return the validator of the subschema at a JSON pointer, None where it cannot be compiled by itself."""
        if pointer not in self._validators:
            try:
                validator = self._compile({"$ref": f"{self._base}#{quote(pointer)}"})
            except (jsonschema_rs.ReferencingError, ValueError):
                validator = None
            self._validators[pointer] = validator
        return self._validators[pointer]

    def _compile(self, schema: Any) -> Any:
        draft_07 = self._dialect == DRAFT_07
        validator_class: Any = jsonschema_rs.Draft7Validator if draft_07 else jsonschema_rs.Draft202012Validator
        keywords = select_custom_keywords(self._dialect == DRAFT_07)
        with contained():
            return validator_class(
                schema,
                validate_formats=self._asserts_formats,
                offline=True,
                registry=self._registry,
                keywords=keywords,
            )
