"""Validation of sampled values by `jsonschema-rs`; content keywords are annotations only, and so are formats mostly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import jsonschema_rs
from mcpgen_runtime.schema_keywords import CheckFailed, contained, encode_references, select_custom_keywords

from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class Violation:
    """Place in a value, and the keyword that the value violates there."""

    path: tuple[str, ...]
    keyword: str
    names: tuple[str, ...] = ()
    """The properties that are missing, or that the keyword refuses, if it says which."""


class SampleValidator:
    """Validator of one schema that tells "invalid" from "cannot be decided"."""

    def __init__(self, schema: Json, dialect: str, formats: bool = False) -> None:
        """Keep what to validate by.

        Args:
            schema: the schema.
            dialect: its dialect.
            formats: whether strings have to follow their formats.
        """
        self._schema, self._dialect, self._formats = schema, dialect, formats

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft7Validator | jsonschema_rs.Draft202012Validator | None:
        """Compiled schema, None if `jsonschema-rs` refuses it."""
        cls = jsonschema_rs.Draft7Validator if self._dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
        assert isinstance(self._schema, dict | bool)
        try:
            with contained():
                return cls(
                    encode_references(self._schema),
                    validate_formats=self._formats,
                    offline=True,
                    keywords=select_custom_keywords(self._dialect == DRAFT_07),
                )
        except (ValueError, jsonschema_rs.ValidationError):
            return None

    def is_valid(self, value: Json) -> bool | None:
        """Return whether a value is valid, None if that cannot be decided."""
        try:
            with contained():
                return None if self._validator is None else self._validator.is_valid(value)
        except (ValueError, UnicodeEncodeError):
            return None

    def list_violations(self, value: Json) -> list[Violation]:
        """Return the violations of a value; none if the value cannot be validated."""
        if self._validator is None:
            return []
        try:
            with contained():
                errors = [*self._validator.iter_errors(value)]
        except CheckFailed:
            return []
        violations: list[Violation] = []
        for error in errors:
            keywords = [str(token) for token in error.schema_path]
            path = tuple(str(token) for token in error.instance_path)
            violations.append(Violation(path, keywords[-1] if keywords else "", _list_names(error.kind)))
        return violations


def _list_names(kind: jsonschema_rs.ValidationErrorKind) -> tuple[str, ...]:
    match kind:
        case jsonschema_rs.ValidationErrorKind.Required(property=name):
            return (name,)
        case (
            jsonschema_rs.ValidationErrorKind.AdditionalProperties(unexpected=names)
            | jsonschema_rs.ValidationErrorKind.UnevaluatedProperties(unexpected=names)
        ):
            return tuple(names)
        case _:
            return ()
