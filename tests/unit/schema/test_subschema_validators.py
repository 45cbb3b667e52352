"""Validators of subschemas."""

from __future__ import annotations

import pytest
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.subschema_validators import SubschemaValidators
from mcpgen.schema.values import Json


@pytest.mark.parametrize("identifier", [{}, {"$id": "https://example.com/a#"}, {"$id": "relative"}])
def test_subschemas_are_compiled_with_the_whole_schema(identifier: dict[str, Json]) -> None:
    schema: Json = {**identifier, "properties": {"a/b": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "null"}}}
    validators = SubschemaValidators(schema, DRAFT_2020_12)
    validator = validators.find_validator("/properties/a~1b")
    assert validator.is_valid(None)
    assert not validator.is_valid(1)
    assert validators.find_validator("/properties/a~1b") is validator
    assert not validators.find_validator("").is_valid({"a/b": 1})


def test_a_missing_subschema_has_no_validator() -> None:
    assert SubschemaValidators({}, DRAFT_2020_12).find_validator("/missing") is None


def test_an_invalid_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="type"):
        SubschemaValidators({"type": "no type"}, DRAFT_2020_12)


def test_content_keywords_are_annotations_in_draft_07() -> None:
    schema: Json = {"contentEncoding": "base64", "format": "date"}
    assert SubschemaValidators(schema, DRAFT_07).find_validator("").is_valid("no base64, no date")
