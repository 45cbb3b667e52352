"""What people write in place of a keyword's value is explained, and what is proposed is right."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.read.schema_mistakes import TYPE_NAMES, explain_meta_error
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12

META = jsonschema_rs.Draft202012Validator({"$ref": "https://json-schema.org/draft/2020-12/schema"})
META_07 = jsonschema_rs.Draft7Validator({"$ref": "http://json-schema.org/draft-07/schema#"})


def explain(schema: Any) -> tuple[str, str]:
    error = next(iter(META.iter_errors(schema)))
    return explain_meta_error(error, DRAFT_2020_12)


@pytest.mark.parametrize(
    "name", "int str float bool list dict date datetime None any list[str] Dict uuid bytes".split()
)
def test_types_of_other_languages(name: str) -> None:
    message, help = explain({"type": name})
    assert f'"{name}"' in message
    written = re.search(r'"type": "(\w+)"', help)
    assert (written is not None and written[1] in TYPE_NAMES) or 'leave "type" out' in help


@pytest.mark.parametrize(
    ("schema", "help"),
    [
        ({"type": "strng"}, 'did you mean "string"?'),
        ({"type": ["number", "nil"]}, 'write "type": "null"'),
        ({"type": None}, '"null"'),
        ({"type": {"a": 1}}, "name a type"),
        ({"required": True}, "optional"),
        ({"required": "a"}, '"required": ["a"]'),
        ({"items": [{}]}, "prefixItems"),
        ({"exclusiveMinimum": True}, '"exclusiveMinimum": 0'),
        ({"additionalProperties": "no"}, "write false"),
        ({"items": "string"}, '{"type": "string"}'),
        ({"minLength": "3"}, "write 3"),
        ({"minimum": "low"}, "write a number"),
        ({"enum": "a"}, '"enum": ["a"]'),
        ({"properties": {"a": "str"}}, '{"type": "string"}'),
        ({"$defs": {"a": "Weather"}}, '{"type": …}'),
        ("{}", "not its text"),
    ],
)
def test_the_help_says_what_to_write(schema: Any, help: str) -> None:
    assert help in explain(schema)[1]


def test_a_list_of_items_is_right_in_draft_07() -> None:
    assert not [*META_07.iter_errors({"items": [{}]})]
    error = next(iter(META_07.iter_errors({"items": [1]})))
    assert "prefixItems" not in explain_meta_error(error, DRAFT_07)[1]


@pytest.mark.parametrize("schema", [{"minLength": -1}, {"pattern": 7}, {"multipleOf": 0}])
def test_other_faults_are_said_in_the_validators_words(schema: Any) -> None:
    assert "not a valid JSON Schema" in explain(schema)[0]


def test_a_long_value_is_not_repeated() -> None:
    message, help = explain({"enum": "x" * 5000})
    assert len(message) < 400
    assert len(json.dumps(help)) < 400
