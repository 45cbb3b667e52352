"""Required names and formats that look misspelt are warned about, and others are not."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.lint.linter import WRITTEN_SCHEMA_RULES, lint_schema
from mcpgen.lint.misspelt_names import find_extended
from mcpgen.lint.mistakes import find_combined_places
from mcpgen.lint.rule import LintedSchema
from mcpgen.schema.keywords import DRAFT_2020_12

NAMES = ("name", "created_at", "temperature", "is_open", "count")
FORMATS = ("date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid", "regex")


def warn(schema: Any) -> list[tuple[str, str, str]]:
    found = lint_schema(LintedSchema(schema, DRAFT_2020_12), WRITTEN_SCHEMA_RULES)
    return [(finding.rule.code, finding.problem.message, finding.problem.help) for finding in found]


def make_object(*required: str, **keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {} for name in NAMES}, "required": [*required], **keywords}


def misspell(name: str) -> set[str]:
    """Return a name with two letters in the wrong order, without one letter, with one twice, and in other styles."""
    middle = len(name) // 2
    swapped = name[:middle] + name[middle + 1] + name[middle] + name[middle + 2 :]
    head, *rest = name.replace("-", "_").split("_")
    camel = head + "".join(word.title() for word in rest)
    doubled = name[:middle] + name[middle] + name[middle:]
    return {swapped, name[:middle] + name[middle + 1 :], doubled, camel, name.upper()} - {name}


@pytest.mark.parametrize("name", NAMES)
def test_a_misspelt_required_name(name: str) -> None:
    for wrong in misspell(name):
        ((code, message, help),) = warn(make_object(wrong))
        assert code == "MG116"
        assert f'declares "{name}"' in message
        assert help.startswith(f'did you mean "{name}"?')


@pytest.mark.parametrize(
    "schema",
    [
        make_object(*NAMES),
        make_object("naem", allOf=[{"properties": {"naem": {}}}]),
        make_object("naem", patternProperties={"^n": {}}),
        make_object("weather", additionalProperties={"type": "string"}),
        {"allOf": [make_object("weather"), {"properties": {"weather": {}}}]},
        {"if": {}, "then": make_object("weather")},
        {"properties": {"weather": {}}, "anyOf": [make_object("weather")]},
        {"$ref": "#/$defs/A", "properties": {"weather": {}}, "$defs": {"A": make_object("weather")}},
        {"required": ["naem"]},
    ],
)
def test_required_names_that_are_meant(schema: Any) -> None:
    assert warn(schema) == []


@pytest.mark.parametrize(
    "schema",
    [
        make_object("naem", "name"),  # "name" is meant already
        make_object("weather"),
        {"properties": {"line2": {}}, "required": ["line1"]},
        {"properties": {"a": {"items": make_object("weather")}}},
        {"anyOf": [make_object("weather"), {"type": "null"}]},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": make_object("weather")}},
    ],
)
def test_required_names_that_nothing_describes(schema: Any) -> None:
    ((code, message, help),) = warn(schema)
    assert code == "MG117"
    assert message.endswith("is required, but nothing describes it")
    assert "did you mean" not in help


@pytest.mark.parametrize(
    ("required", "help"),
    [
        ("max_celsius", 'did you mean "celsius"?'),
        ("degreesCelsius", 'did you mean "celsius"?'),
        ("warmth", 'if "celsius" was called "warmth" before, write "celsius"'),
    ],
)
@pytest.mark.parametrize("closed", [{}, {"additionalProperties": False}])
def test_a_renamed_property_is_suggested(required: str, help: str, closed: Any) -> None:
    ((_, _, said),) = warn({"properties": {"celsius": {}, "sky": {}}, "required": ["sky", required], **closed})
    assert said.startswith(help)


def test_dependent_names_are_compared() -> None:
    ((code, _, help),) = warn({"properties": {"celsius": {}}, "dependentRequired": {"celsius": ["celsis"]}})
    assert (code, help[:23]) == ("MG116", 'did you mean "celsius"?')


def test_a_closed_object_has_one_warning() -> None:
    assert [code for code, _, _ in warn(make_object("naem", additionalProperties=False))] == ["MG106"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("datetime", "date-time"),
        ("dateTime", "date-time"),
        ("date_time", "date-time"),
        ("Date", "date"),
        ("e-mail", "email"),
        ("emial", "email"),
        ("UUID", "uuid"),
        ("url", "uri"),
        ("ipV4", "ipv4"),
        ("host-name", "hostname"),
    ],
)
def test_a_misspelt_format(name: str, meant: str) -> None:
    ((code, message, help),) = warn({"type": "string", "format": name})
    assert (code, help) == ("MG116", f'did you mean "{meant}"?')
    assert f'"{name}"' in message


@pytest.mark.parametrize(
    "name",
    [*FORMATS, "int32", "int64", "float", "double", "byte", "binary", "password", "cidrv4", "YYYYMMDD", "timestamp"],
)
def test_formats_that_are_meant(name: str) -> None:
    assert warn({"type": "string", "format": name}) == []


def test_a_property_called_format_is_no_format() -> None:
    assert warn({"properties": {"format": {"type": "string"}, "required": {"const": ["naem"]}}}) == []


def test_the_warning_is_at_the_name() -> None:
    (finding,) = lint_schema(LintedSchema(make_object("name", "cuont"), DRAFT_2020_12), WRITTEN_SCHEMA_RULES)
    assert finding.problem.pointer == "/required/1"


@pytest.mark.parametrize(
    ("name", "candidates", "extended"),
    [
        ("celsius", ["temperature_celsius", "sky"], "temperature_celsius"),
        ("temperatureCelsius", ["celsius", "sky"], "celsius"),
        ("celsius", ["min_celsius", "max_celsius"], None),
        ("line1", ["line2"], None),
        ("1", ["2"], None),
        ("town", ["city"], None),
    ],
)
def test_a_name_with_more_or_fewer_words(name: str, candidates: list[str], extended: str | None) -> None:
    assert find_extended(name, candidates) == extended


# --- which schemas describe a value together with others --------------------------------------------------------------
COMBINED: list[tuple[Any, set[str]]] = [
    ({"properties": {"a": {"items": {"properties": {"b": {}}}}}}, set()),
    ({"allOf": [{"properties": {"b": {}}}]}, {"/allOf/0", "/allOf/0/properties/b"}),
    ({"if": {}, "then": {"required": ["a"]}}, {"/if", "/then"}),
    ({"anyOf": [{"required": ["a"]}, {}]}, set()),
    ({"anyOf": [{"required": ["a"]}], "properties": {}}, {"/anyOf/0"}),
    ({"type": "object", "oneOf": [{"required": ["a"]}]}, set()),
    ({"not": {"required": ["a"]}}, {"/not"}),
    ({"$ref": "#/$defs/A", "$defs": {"A": {"title": "a"}}}, set()),
    ({"$ref": "#/$defs/A", "properties": {}, "$defs": {"A": {"title": "a"}}}, {"/$defs/A"}),
    ({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"items": {}}}}, {"/allOf/0", "/$defs/A", "/$defs/A/items"}),
    ({"properties": {"a": {"$ref": "#"}}}, set()),
    ({"allOf": [{"$ref": "#"}]}, {"", "/allOf/0"}),
    ({"properties": {"a": {"$ref": "#/nowhere"}}}, set()),
    ({"allOf": [{"$ref": "#/$defs/A%20b"}], "$defs": {"A b": {"title": "a"}}}, {"/allOf/0", "/$defs/A b"}),
    ({"allOf": [{"$ref": "#/$defs/A b"}], "$defs": {"A b": {"title": "a"}}}, {"/allOf/0", "/$defs/A b"}),
    ({"allOf": [{"$ref": "#a"}], "$defs": {"A": {"$anchor": "a"}}}, {"/allOf/0", "/$defs/A"}),
    ({"allOf": [{"$ref": "a.json"}], "$defs": {"A": {"$id": "a.json"}}}, {"/allOf/0", "/$defs/A"}),
    ({"allOf": [{"$dynamicRef": "#a"}], "$defs": {"A": {"$dynamicAnchor": "a"}}}, {"/allOf/0", "/$defs/A"}),
    ({"properties": {"a": {"$ref": "b.json"}}, "$defs": {"A": {"title": "a"}}}, {"/$defs/A"}),
]


@pytest.mark.parametrize(("schema", "places"), COMBINED)
def test_combined_places(schema: Any, places: set[str]) -> None:
    assert find_combined_places(LintedSchema(schema, DRAFT_2020_12)) == places


def test_all_of_a_schema_that_another_file_uses_may_be_combined() -> None:
    schema: Any = {"properties": {"a": {}}, "$defs": {"A": {}}}
    assert find_combined_places(LintedSchema(schema, DRAFT_2020_12, is_part=True)) == {"", "/properties/a"}
