"""Valid schemas that are surely not what was meant are warned about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.diagnostics import Findings
from mcpgen.read.schema_warnings import warn_about_schema
from mcpgen.schema.keywords import DRAFT_2020_12
from support.documents import make_site


def warn(folder: Path, schema: Any) -> list[tuple[str, str]]:
    findings = Findings()
    warn_about_schema(schema, make_site(folder, schema).document, "", DRAFT_2020_12, findings)
    return [(finding.code, finding.help) for finding in findings]


VALUES: list[Any] = [None, True, 1, 1.0, 1.5, "1", "a", [], {}]
TYPES: list[Any] = ["string", "integer", "number", "boolean", "null", "array", "object", ["string", "null"]]


@pytest.mark.parametrize("declared", TYPES)
@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_warned_about_if_and_only_if_the_type_refuses_it(tmp_path: Path, declared: Any, value: Any) -> None:
    is_allowed = jsonschema_rs.is_valid({"type": declared}, value)  # the oracle
    assert (warn(tmp_path, {"type": declared, "enum": [value]}) == []) == is_allowed
    assert (warn(tmp_path, {"type": declared, "const": value}) == []) == is_allowed
    assert warn(tmp_path, {"enum": [value]}) == []


@pytest.mark.parametrize(
    ("schema", "help"),
    [
        ({"type": "integer", "enum": ["1"]}, "write it without quotes: 1"),
        ({"type": "string", "enum": [1]}, 'write it in quotes: "1"'),
        ({"type": "string", "enum": ["a", None]}, '"type": ["string", "null"]'),
        ({"type": "string", "nullable": True}, '"type": ["string", "null"]'),
        ({"nullable": True}, "anyOf"),
        ({"$ref": "#", "nullable": True}, "anyOf"),
        ({"type": "string", "optional": True}, "required"),
        ({"type": "string", "example": "private"}, 'write "examples": ["private"]'),
        ({"type": "string", "example": "private", "examples": ["a"]}, 'add "private" to "examples"'),
        ({"type": "number", "divisibleBy": 2}, "multipleOf"),
    ],
)
def test_the_help_says_what_to_write(tmp_path: Path, schema: Any, help: str) -> None:
    [(_, written)] = warn(tmp_path, schema)
    assert help in written


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "nullable": False},
        {"type": ["string", "null"], "nullable": True},
        {"type": "object", "properties": {"nullable": {"type": "boolean"}, "optional": {}}},
        {"const": {"nullable": True}},
        {"type": "string", "example": "private", "examples": ["public", "private"]},
        {"type": "object", "properties": {"example": {"type": "string"}}},
        {"oneOf": [{"type": "object"}], "discriminator": {"propertyName": "a"}, "xml": {}, "externalDocs": {}},
    ],
)
def test_what_changes_nothing_is_not_warned_about(tmp_path: Path, schema: Any) -> None:
    assert warn(tmp_path, schema) == []
