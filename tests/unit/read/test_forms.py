"""Forms are read with their choices, and what MCP does not allow in them is reported."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.definitions import MessageValue
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.schema.formats import NATIVE_FORMATS

SHARED = Path(__file__).parents[4] / "shared"
STAY: dict[str, Any] = {
    "name": "confirm-stay",
    "message": "Stay?",
    "requestedSchema": {"type": "object", "properties": {"nights": {"type": "integer"}}, "required": ["nights"]},
}


def read(
    folder: Path, document: Any, settings: dict[str, Any] | None = None
) -> tuple[Definitions, list[tuple[str, str, str]]]:
    """Return what is read, and each finding with its code, its severity and its message."""
    (folder / "schemas").mkdir(exist_ok=True)
    (folder / "schemas/all.json").write_text(json.dumps(document))
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"forms": settings or {}}), folder=folder)
    definitions = read_definitions(package, findings)
    return definitions, [(finding.code, finding.severity.value, finding.message) for finding in findings.sorted()]


def read_property(folder: Path, schema: Any) -> list[tuple[str, str]]:
    """Return the code and the severity of what is found in a form with one property."""
    form = {**STAY, "requestedSchema": {"type": "object", "properties": {"part": schema}}}
    return [(code, severity) for code, severity, _ in read(folder, form)[1]]


def test_forms_alone_in_lists_and_among_tools(tmp_path: Path) -> None:
    for document in (STAY, {"forms": [STAY]}, [STAY], {"result": {"forms": [STAY]}}):
        definitions, messages = read(tmp_path, document)
        (form,) = definitions.forms
        assert messages == []
        assert (form.name, form.form, form.message, form.python) == ("confirm-stay", STAY, ("Stay?",), None)
        assert form.schema.value == {**STAY["requestedSchema"], "additionalProperties": False}


def test_choices_of_the_settings_win(tmp_path: Path) -> None:
    form = {**STAY, "x-mcpgen": {"name": "own"}}
    assert read(tmp_path, form)[0].forms[0].python == "own"
    definitions, messages = read(tmp_path, form, {"confirm-stay": {"name": "mine"}, "other": {"name": "x"}})
    assert definitions.forms[0].python == "mine"
    assert "x-mcpgen" not in definitions.forms[0].form
    assert [code for code, _, _ in messages] == ["MG308"]


@pytest.mark.parametrize(
    ("chosen", "native"), [("annotation", ()), ("native", NATIVE_FORMATS), ({"date": "native"}, ("date",))]
)
def test_formats_are_those_of_the_package(tmp_path: Path, chosen: Any, native: tuple[str, ...]) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/all.json").write_text(json.dumps(STAY))
    settings = PackageSettings.model_validate({"formats": chosen})
    (form,) = read_definitions(ConfiguredPackage(settings=settings, folder=tmp_path), Findings()).forms
    assert form.native_formats == native


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("Stay at {{ berth }}?", ("Stay at ", MessageValue("berth"), "?")),
        ("{{a}}{{ b }}{{ a }}", (MessageValue("a"), MessageValue("b"), MessageValue("a"))),
        ("{ no } value\n", ("{ no } value\n",)),
        ("{% raw %}{{ a }}{% endraw %}", ("{{ a }}",)),
    ],
)
def test_messages_have_values(tmp_path: Path, message: str, parts: tuple[Any, ...]) -> None:
    definitions, messages = read(tmp_path, {**STAY, "message": message})
    assert messages == []
    assert definitions.forms[0].message == parts


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"message": "{{ berth"}, ("MG501", "error")),
        ({"message": "{{ berth | upper }}"}, ("MG502", "error")),
        ({"message": "{% if x %}y{% endif %}"}, ("MG502", "error")),
        ({"message": "{{ berth.name }}"}, ("MG502", "error")),
        ({"message": ""}, ("MG004", "error")),
        ({"message": 3}, ("MG004", "error")),
        ({"title": ["x"]}, ("MG004", "error")),
        ({"mesage": "x"}, ("MG005", "error")),
        ({"requestedSchema": "nights"}, ("MG004", "error")),
        ({"requestedSchema": {"type": "object"}}, ("MG011", "error")),
        ({"requestedSchema": {"type": "array", "items": {}}}, ("MG011", "error")),
        ({"requestedSchema": {"$ref": "other.json"}}, ("MG011", "error")),
        ({"requestedSchema": {"type": "object", "properties": {}, "required": ["a"]}}, ("MG011", "error")),
        ({"requestedSchema": {"type": "object", "properties": {}, "title": "T"}}, ("MG122", "warning")),
        (
            {"requestedSchema": {"type": "object", "properties": {}, "additionalProperties": False}},
            ("MG122", "warning"),
        ),
        ({"x-mcpgen": {"nam": "x"}}, ("MG006", "error")),
    ],
)
def test_what_is_wrong_with_a_form(tmp_path: Path, changes: dict[str, Any], expected: tuple[str, str]) -> None:
    _, messages = read(tmp_path, {**STAY, **changes})
    assert [(code, severity) for code, severity, _ in messages] == [expected]


def test_a_form_needs_a_message_and_a_name(tmp_path: Path) -> None:
    _, messages = read(tmp_path, {key: value for key, value in STAY.items() if key != "message"})
    assert messages == [("MG004", "error", "a form without a message")]
    _, messages = read(tmp_path, {key: value for key, value in STAY.items() if key != "name"})
    assert messages[0][2] == "looks like a form without a name"
    _, messages = read(tmp_path, {"forms": [{"name": "x"}]})
    assert messages[0][2] == "looks like a form without a name or a requestedSchema"


TITLED = [{"const": "a", "title": "A"}]
NOTE, WARNING, ERROR = ("MG122", "note"), ("MG122", "warning"), ("MG011", "error")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "title": "T", "description": "D", "minLength": 1, "maxLength": 2}, []),
        ({"type": "string", "format": "date"}, []),
        ({"type": "string", "format": "ipv4"}, [ERROR]),
        ({"type": "string", "pattern": "^a"}, [WARNING]),
        ({"type": "string", "default": "a"}, [NOTE]),
        ({"type": "boolean", "default": True}, []),
        ({"type": "number", "minimum": 1, "maximum": 2}, []),
        ({"type": "integer", "exclusiveMinimum": 1}, [WARNING]),
        ({"type": "integer", "enum": [1, 2]}, [ERROR]),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]}, []),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}, [ERROR]),
        ({"type": "string", "enum": []}, [ERROR]),
        ({"type": "string", "oneOf": TITLED}, [NOTE]),
        ({"type": "string", "oneOf": [{"const": "a"}]}, [ERROR]),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}, "maxItems": 1}, [NOTE]),
        ({"type": "array", "items": {"anyOf": TITLED}, "minItems": 1}, [NOTE]),
        ({"type": "array", "items": {"type": "string"}}, [ERROR]),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}, "uniqueItems": True}, [NOTE, WARNING]),
        ({"type": "object", "properties": {}}, [ERROR]),
        ({"type": ["string", "null"]}, [ERROR]),
        ({"enum": ["a"]}, [ERROR]),
        ({"$ref": "#/$defs/x"}, [ERROR]),
        (True, [ERROR]),
    ],
)
def test_kinds_of_properties(tmp_path: Path, schema: Any, expected: list[tuple[str, str]]) -> None:
    assert sorted(read_property(tmp_path, schema)) == sorted(expected)


def test_what_is_new_is_one_note(tmp_path: Path) -> None:
    properties = {
        "a": {"type": "string", "oneOf": TITLED, "default": "a"},
        "b": {"type": "array", "items": {"anyOf": TITLED}},
        "c": {"type": "array", "items": {"type": "string", "enum": ["a"]}},
    }
    _, messages = read(tmp_path, {**STAY, "requestedSchema": {"type": "object", "properties": properties}})
    listed = "a choice with titles (`oneOf`), a default of a choice with titles (`oneOf`), a multiple choice"
    assert messages == [("MG122", "note", f"{listed}: new in 2025-11-25, so older clients may not show it")]


# --- MCP's own schemas -----------------------------------------------------------------------------------------------
def make_properties(count: int) -> Iterator[Any]:
    """Yield schemas of properties as people write them, right and wrong."""
    chance = random.Random(43)
    keywords: dict[str, list[Any]] = {
        "type": ["string", "integer", "number", "boolean", "array", "object", "null", ["string", "null"]],
        "title": ["T", 3],
        "enum": [["a"], ["a", "b"], [1], [], "a"],
        "enumNames": [["A"], ["A", "B"], "A"],
        "oneOf": [TITLED, [{"const": "a"}], [], [{"const": 1, "title": "A"}]],
        "items": [{"type": "string", "enum": ["a"]}, {"anyOf": TITLED}, {"type": "string"}, {"enum": ["a"]}, {}],
        "default": ["a", 1, True, ["a"], None],
        "minLength": [1, "1"],
        "maxItems": [1, 2.5],
        "format": ["email", "date-time", "uuid"],
    }
    for _ in range(count):
        chosen = chance.sample([*keywords], chance.randint(0, 3))
        yield {"type": chance.choice(keywords["type"][:5]), **{key: chance.choice(keywords[key]) for key in chosen}}


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_what_is_accepted_mcp_accepts(tmp_path: Path, version: str) -> None:
    """And whatever MCP refuses is refused."""
    file = SHARED / f"mcp/{version}/schema.json"
    if not file.is_file():
        pytest.skip("the schemas of MCP are not here")
    definitions = json.loads(file.read_text("utf-8"))["$defs"]
    schema = {"$ref": "#/$defs/PrimitiveSchemaDefinition", "$defs": definitions}
    official, accepted = jsonschema_rs.Draft202012Validator(schema), 0
    for part in make_properties(400):
        if "error" not in [severity for _, severity in read_property(tmp_path, part)]:
            accepted += 1
            assert official.is_valid(part), part
    assert accepted > 60


def test_mcps_own_examples_are_forms(tmp_path: Path) -> None:
    files = [*SHARED.glob("corpus/mcp-examples/*/ElicitRequestFormParams/*.json")]
    if not files:
        pytest.skip("MCP's examples are not here")
    for file in files:
        params = json.loads(file.read_text("utf-8"))
        form = {"name": "example", **{key: params[key] for key in ("message", "requestedSchema")}}
        definitions, messages = read(tmp_path, form)
        assert [message for message in messages if message[1] != "note"] == [], file
        assert len(definitions.forms) == 1
