"""Setting up the validator."""

from __future__ import annotations

import jsonschema_rs
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.validators import list_custom_keywords


def test_content_keywords_are_ignored_in_draft_07() -> None:
    schema = {"contentMediaType": "application/json"}
    assert not jsonschema_rs.Draft7Validator(schema).is_valid("{")
    ignored = list_custom_keywords(DRAFT_07)
    assert jsonschema_rs.Draft7Validator(schema, keywords=ignored).is_valid("{")


def test_nothing_is_ignored_in_2020_12() -> None:
    assert list_custom_keywords(DRAFT_2020_12) == {}
