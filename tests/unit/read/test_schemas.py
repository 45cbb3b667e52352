"""Schemas of definitions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.diagnostics import Findings
from mcpgen.lint.linter import WRITTEN_SCHEMA_RULES, lint_schema
from mcpgen.lint.misspelt_names import match_misspelt
from mcpgen.lint.rule import LintedSchema
from mcpgen.read.choices import PlaceChoices
from mcpgen.read.recognition import DefinitionKind, is_shared_definitions, recognise_definitions
from mcpgen.read.schema_mistakes import TYPE_NAMES, explain_meta_error
from mcpgen.read.schemas import NamedSchema, read_schema
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.documents import list_messages, make_context, make_site


# --- a schema is checked, bundled and limited when it is read ---------------------------------------------------------
def read(folder: Path, schema: Any, **limits: int) -> tuple[NamedSchema | None, list[tuple[str, str]]]:
    context = make_context(folder, limits=limits)
    return read_schema(schema, make_site(folder, schema), context), list_messages(context.findings)


def test_a_schema_has_its_dialect_and_its_class_names(tmp_path: Path) -> None:
    named, messages = read(tmp_path, {"items": {"x-mcpgen": {"type": "Row"}, "type": "object"}})
    assert named is not None
    assert (named.schema, named.choices) == (
        Schema({"items": {"type": "object"}}, DRAFT_2020_12),
        PlaceChoices({"/items": "Row"}),
    )
    assert messages == []
    named, _ = read(tmp_path, {"$schema": "http://json-schema.org/draft-07/schema#"})
    assert named is not None
    assert named.schema.dialect == DRAFT_07


def test_references_to_other_files_are_bundled(tmp_path: Path) -> None:
    make_site(tmp_path, {"$defs": {"B": {"type": "integer"}}}, name="schemas/b.defs.json")
    named, messages = read(tmp_path, {"$ref": "b.defs.json#/$defs/B"})
    assert named is not None
    assert named.schema.value == {"$ref": "#/$defs/B", "$defs": {"B": {"type": "integer"}}}
    assert messages == []


TWICE = {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "object"}}}


@pytest.mark.parametrize(
    ("schema", "limits", "code"),
    [
        ({"type": "strin"}, {}, "MG101"),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, {}, "MG102"),
        ({"$ref": "#/$defs/nothing"}, {}, "MG103"),
        ({"$ref": "https://example.com/a.json"}, {}, "MG104"),
        ({"pattern": "("}, {}, "MG101"),
        (TWICE, {"subschemas": 3}, "MG009"),
        (TWICE, {"repeats": 4}, "MG009"),
        (TWICE, {"check-depth": 2}, "MG009"),
    ],
)
def test_what_is_wrong_is_reported(tmp_path: Path, schema: Any, limits: dict[str, int], code: str) -> None:
    named, messages = read(tmp_path, schema, **limits)
    assert named is None
    assert [actual for actual, _ in messages] == [code]
    if limits:
        assert read(tmp_path, schema)[0] is not None


# --- valid schemas that are surely not what was meant are warned about ------------------------------------------------
def warn(schema: Any) -> list[tuple[str, str]]:
    found = lint_schema(LintedSchema(schema, DRAFT_2020_12), WRITTEN_SCHEMA_RULES)
    return [(finding.rule.code, finding.problem.help) for finding in found]


VALUES: list[Any] = [None, True, 1, 1.0, 1.5, "1", "a", [], {}]
TYPES: list[Any] = ["string", "integer", "number", "boolean", "null", "array", "object", ["string", "null"]]


@pytest.mark.parametrize("declared", TYPES)
@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_warned_about_if_and_only_if_the_type_refuses_it(tmp_path: Path, declared: Any, value: Any) -> None:
    is_allowed = jsonschema_rs.is_valid({"type": declared}, value)  # the oracle
    assert (warn({"type": declared, "enum": [value]}) == []) == is_allowed
    assert (warn({"type": declared, "const": value}) == []) == is_allowed
    assert warn({"enum": [value]}) == []


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
    [(_, written)] = warn(schema)
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
    assert warn(schema) == []


# --- what people write in place of a keyword's value is explained, and what is proposed is right ----------------------
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
def test_the_help_about_a_mistake_says_what_to_write(schema: Any, help: str) -> None:
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


# --- a document's definitions are recognised by their members, and near misses are explained --------------------------
TOOL = {"name": "a", "inputSchema": {}}
RESOURCE = {"name": "a", "uri": "x://a"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (TOOL, [(DefinitionKind.TOOL, "")]),
        ([TOOL, TOOL], [(DefinitionKind.TOOL, "/0"), (DefinitionKind.TOOL, "/1")]),
        (
            {"tools": [TOOL], "resources": [RESOURCE]},
            [(DefinitionKind.TOOL, "/tools/0"), (DefinitionKind.RESOURCE, "/resources/0")],
        ),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}, [(DefinitionKind.TOOL, "/result/tools/0")]),
        (RESOURCE, [(DefinitionKind.RESOURCE, "")]),
        ({"name": "a", "arguments": []}, [(DefinitionKind.PROMPT, "")]),
        ({"prompts": [{"name": "a"}]}, [(DefinitionKind.PROMPT, "/prompts/0")]),
        ({"name": "a", "uriTemplate": "x://{a}"}, [(DefinitionKind.RESOURCE_TEMPLATE, "")]),
        ({"type": "object"}, [(DefinitionKind.SCHEMA, "")]),
    ],
)
def test_definitions_are_recognised(tmp_path: Path, value: Any, expected: list[tuple[DefinitionKind, str]]) -> None:
    findings = Findings()
    items = recognise_definitions(make_site(tmp_path, value).document, findings)
    assert [(item.kind, item.pointer) for item in items] == expected
    assert not list(findings)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1, "not recognised as a definition: it holds a number"),
        ({"name": "a", "input_schema": {}}, 'looks like a Tool, but "input_schema" is not a member of one'),
        ({"uri": "x://a"}, "looks like a Resource without a name"),
        ([{"name": "a"}], "looks like a Tool without inputSchema"),
        ([1], "a Tool must be an object, not a number"),
        ({"id": 1}, 'not recognised as a definition: it is an object with "id"'),
    ],
)
def test_near_misses_are_explained(tmp_path: Path, value: Any, message: str) -> None:
    findings = Findings()
    assert recognise_definitions(make_site(tmp_path, value).document, findings) == []
    assert [(finding.code, finding.message) for finding in findings] == [("MG003", message)]


def test_shared_definitions_are_told_by_their_name(tmp_path: Path) -> None:
    assert is_shared_definitions(make_site(tmp_path, {}, name="schemas/a.defs.json").document)
    assert not is_shared_definitions(make_site(tmp_path, {}, name="schemas/defs.json").document)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"$defs": {"Ingredient": {"type": "string"}}}, True),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Common", "definitions": {}}, True),
        ({"$defs": {"Ingredient": {"type": "string"}}, "$ref": "#/$defs/Ingredient"}, False),
        ({"$defs": {"Ingredient": {"type": "string"}}, "type": "object"}, False),
        ({"title": "Anything"}, False),
        ([], False),
    ],
)
def test_a_file_with_nothing_but_definitions_is_shared(tmp_path: Path, value: Any, expected: bool) -> None:
    assert is_shared_definitions(make_site(tmp_path, value, name="schemas/common.json").document) is expected


def test_a_misspelt_name_is_matched() -> None:
    candidates = ("inputSchema", "outputSchema", "_meta")
    names = ["input_schema", "INPUTSCHEMA", "outputShema", "inputSchema", "meta", "other"]
    matches = [match_misspelt(name, candidates) for name in names]
    assert matches == ["inputSchema", "inputSchema", "outputSchema", None, "_meta", None]
