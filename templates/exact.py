"""The exact check: a JSON value against the declared schema, by `jsonschema-rs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs
from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .references import with_uris


class _Annotation:
    """What a keyword that asserts nothing does."""

    def __init__(self, schema: object, value: object, path: list[str | int]) -> None:
        pass

    def validate(self, instance: object) -> None:
        """Every value is fine."""


_CONTENT: dict[str, Any] = {"contentEncoding": _Annotation, "contentMediaType": _Annotation}
"""Annotations in both dialects; left alone, `jsonschema-rs` would assert them in draft-07."""


def validator(schema: dict[str, Any] | bool) -> jsonschema_rs.Validator:
    """A declared schema, compiled; `format` and `content…` stay annotations."""
    schema = with_uris(schema)
    dialect = "" if isinstance(schema, bool) else str(schema.get("$schema", ""))
    if dialect.startswith("http://json-schema.org/draft-07"):
        return jsonschema_rs.Draft7Validator(
            schema, validate_formats=False, offline=True, keywords=_CONTENT
        )
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=False, offline=True)


def hold(value: object, compiled: Callable[[], jsonschema_rs.Validator], title: str) -> None:
    """Hold a JSON value against a schema.

    Raises:
        pydantic.ValidationError: it violates the schema, each violation with its place; or the validator cannot read
            the schema, so that nothing can be said to satisfy it.
    """
    errors: list[InitErrorDetails] = []
    try:
        against = compiled()
        if against.is_valid(value):
            return
        for found in against.iter_errors(value):
            context = {"message": found.message, "keyword": str(found.schema_path[-1])}
            kind = PydanticCustomError("json_schema", "{message}", context)
            errors.append(
                {"type": kind, "loc": tuple(found.instance_path), "input": found.instance}
            )
    except (UnicodeEncodeError, ValueError, TypeError) as error:
        kind = PydanticCustomError(
            "json_value", "Input should be a JSON value: {why}", {"why": str(error)}
        )
        errors.append({"type": kind, "loc": (), "input": value})
    raise ValidationError.from_exception_data(title, errors)


__all__ = ["hold", "validator"]
