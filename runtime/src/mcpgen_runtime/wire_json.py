"""Read results from JSON text: those that need no check by pydantic alone, without Python objects in between."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import SchemaValidator, core_schema

from .deep_values import LimitExceeded, make_depth_error, parse_json
from .wire_results import MISSING, make_read_error


def parse_result(cls: type[BaseModel], text: bytes | str) -> Any:
    """Parse the JSON of a CallToolResult.

    Args:
        cls: the result class, for errors.
        text: the JSON.

    Raises:
        pydantic.ValidationError: it is not JSON, or is nested too deeply.
    """
    try:
        return parse_json(text)
    except LimitExceeded:
        raise make_depth_error(cls, text) from None
    except ValueError as error:
        message = f"the result should be JSON: {type(error).__name__}"
        raise make_read_error(cls.__name__, message, text) from None


def read_plain_result(cls: type[BaseModel], text: bytes | str, context: object) -> Any:
    """Read an instance from the JSON of a successful CallToolResult that has only text blocks.

    Args:
        cls: a class whose types say everything (`plain_classes`).
        text: the JSON.
        context: the context of the validation.

    Returns:
        `MISSING` for any other result, also a wrong one.
    """
    try:
        result = _make_validator(cls).validate_json(text, context=context, by_alias=True, by_name=False)
    except ValidationError:
        return MISSING
    return MISSING if result.get("isError") else result["structuredContent"]


@cache
def _make_validator(cls: type[BaseModel]) -> SchemaValidator:
    """Return the validator of a CallToolResult whose structured content is an instance of a class."""
    text_block = {
        "type": core_schema.typed_dict_field(core_schema.literal_schema(["text"])),
        "text": core_schema.typed_dict_field(core_schema.str_schema(strict=True)),
    }
    members = {
        "content": core_schema.list_schema(core_schema.typed_dict_schema(text_block)),
        "structuredContent": cls.__pydantic_core_schema__,
        "isError": core_schema.bool_schema(strict=True),
        "_meta": core_schema.dict_schema(),
    }
    optional = {"isError", "_meta"}
    fields = {
        name: core_schema.typed_dict_field(schema, required=name not in optional) for name, schema in members.items()
    }
    return SchemaValidator(core_schema.typed_dict_schema(fields))


__all__ = ["parse_result", "read_plain_result"]
