"""Wrong settings and options are explained in the words of the settings."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.config.models import DefinitionChoice, ModelT, PackageSettings, ToolChoice
from mcpgen.config.toml import KeyPositions
from mcpgen.config.validation import MAX_REPORTED_ERRORS, validate_options, validate_table
from mcpgen.diagnostics import Findings, Span


def validate(model: type[ModelT], table: object) -> tuple[ModelT | None, list[tuple[str, str]]]:
    findings = Findings()
    validated = validate_table(model, table, KeyPositions("x.toml", "", ()), (), findings)
    assert all(finding.code == "MG302" for finding in findings)
    return validated, [(finding.message, finding.help) for finding in findings]


@pytest.mark.parametrize(
    ("table", "message", "help"),
    [
        ({"sdkk": "mcp"}, 'unknown key "sdkk"', 'did you mean "sdk"?'),
        ({"content": "sdk"}, 'unknown key "content"', '"content" belongs in the table of a tool: [tools.NAME]'),
        (
            {"outputSchema": "x"},
            'unknown key "outputSchema"',
            '"outputSchema" belongs in the table of a tool: [tools.NAME]',
        ),
        (
            {"tools": {"a": {"returns": "models:list[Weather]"}}},
            '"tools.a.returns": must be a module and a class in it, as "acme.models:Weather"; '
            "for a list, name an alias in a module: Weathers = list[Weather]",
            "",
        ),
        ({"limits": {"dept": 1}}, 'unknown key "limits.dept"', 'did you mean "depth"?'),
        ({"tools": {"a": {"nam": "x"}}}, 'unknown key "tools.a.nam"', 'did you mean "name"?'),
        ({"diff": {"of": []}}, 'unknown key "diff.of"', 'did you mean "off"?'),
        ({"diff": {"acknowledged": [{"rule": "a", "reason": "b", "tol": "c"}]}}, None, 'did you mean "tool"?'),
        (
            {"diff": {"acknowledged": [{"rule": "a", "reason": "b"}, {"rule": "a"}]}},
            '"reason" of entry 2 of "diff.acknowledged": field required',
            "add the key `reason`",
        ),
        ({"schemas": ["a", 1]}, 'entry 2 of "schemas": input should be a valid string', ""),
        ({"limits": 1}, '"limits" must be a table', ""),
        ({"schemas": "a"}, '"schemas" must be a list', ""),
        ({"wrap": "Always"}, None, 'did you mean "always"?'),
        (
            {"tool": {"mcpgen": {"sdk": "mcp"}}},
            "a table [tool.mcpgen] belongs in pyproject.toml",
            'here, write its keys at the top of the file, and its tables without "tool.mcpgen."',
        ),
        ({"tool": {"t": {}}}, 'unknown key "tool"', 'did you mean "tools"?'),
        ({"out": "a\0b"}, '"out": holds a NUL character, which no path can', ""),
    ],
)
def test_an_error_is_explained(table: dict[str, Any], message: str | None, help: str) -> None:
    settings, errors = validate(PackageSettings, table)
    assert settings is None
    ((actual_message, actual_help),) = errors
    assert actual_help == help
    assert message is None or actual_message == message


def test_an_unknown_key_without_a_similar_one_lists_the_keys() -> None:
    _, errors = validate(ToolChoice, {"zzzzzz": 1})
    known = (
        "audience, budget, content, content-only, exceptions, formats, lenient, mock, name, outputSchema, own-results"
    )
    assert errors[0][1] == f"known here: {known}, priority, returns, template, unchecked, wrap"


def test_many_errors_are_counted() -> None:
    _, errors = validate(PackageSettings, {f"zzz{number}": 1 for number in range(MAX_REPORTED_ERRORS + 5)})
    assert len(errors) == MAX_REPORTED_ERRORS + 1
    assert errors[-1][0] == "5 more settings are wrong"


def test_options_are_validated_at_their_places() -> None:
    findings, places = Findings(), list[tuple[tuple[str | int, ...], bool]]()

    def locate(path: tuple[str | int, ...], name: bool) -> Span:
        places.append((path, name))
        return Span("x.json")

    assert validate_options(DefinitionChoice, {"content": "none"}, findings, locate) == DefinitionChoice.model_validate(
        {"content": "none"}
    )
    assert validate_options(DefinitionChoice, [], findings, locate) is None
    assert validate_options(DefinitionChoice, {"nam": "a", "priority": 2}, findings, locate) is None
    assert sorted(places) == [((), False), (("nam",), True), (("priority",), False)]
    commented = {"comment": "why", "content": "none"}
    assert validate_options(DefinitionChoice, commented, findings, locate) == DefinitionChoice.model_validate(
        {"content": "none"}
    )
    assert validate_options(DefinitionChoice, {"comment": 1}, findings, locate) is None
    assert places[-1] == (("comment",), False)
    assert {finding.code for finding in findings} == {"MG006"}


def test_unknown_formats_and_types_are_explained() -> None:
    _, errors = validate(PackageSettings, {"formats": {"datetime": "native", "uuid": "str"}})
    assert errors == [
        ('unknown key "formats.datetime"', 'did you mean "date-time"?'),
        ("\"formats.uuid\": input should be 'native' or 'string'", 'did you mean "string"?'),
    ]
    _, errors = validate(ToolChoice, {"formats": {"email": "native"}})
    assert errors[0][1].startswith("known here: 'date-time', 'date', 'time'")
    _, errors = validate(PackageSettings, {"formats": "natve"})
    assert errors == [("\"formats\": input should be 'annotation' or 'native'", 'did you mean "native"?')]
