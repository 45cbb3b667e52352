"""Deciding whether null satisfies a schema."""

from __future__ import annotations

import pytest
from mcpgen.lower.normalize.context import create_context
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.lower.normalize.nullability import NullabilityChecker
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


@pytest.mark.parametrize(
    ("schema", "accepts"),
    [
        (True, True),
        (False, False),
        ({}, True),
        ({"type": "string"}, False),
        ({"type": ["string", "null"]}, True),
        ({"enum": ["a", None]}, True),
        ({"const": "a"}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
        ({"oneOf": [{"type": "string"}, {"anyOf": [{"type": "integer"}]}]}, False),
        ({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}, False),
        ({"not": {"type": "null"}}, True),  # not decided: it may
    ],
)
def test_null_is_accepted_where_the_schema_may_accept_it(schema: Json, accepts: bool) -> None:
    checker = NullabilityChecker(create_context(schema, DRAFT_2020_12).places)
    assert checker.accepts_null((SchemaPlace(""),)) is accepts


def test_endless_alternatives_end() -> None:
    schema: Json = {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]}}}
    assert NullabilityChecker(create_context(schema, DRAFT_2020_12).places).accepts_null((SchemaPlace(""),))
