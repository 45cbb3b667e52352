"""Objects that a schema composes: every declared property is a typed field, and the values are the schema's."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from mcpgen_runtime.server_binding import ArgumentsError, BoundTool
from pydantic import ValidationError
from support import typed_share
from support.holding import hold
from support.packages import get_tool, package, tool

CIRCLE: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
    "required": ["kind", "radius"],
}
SQUARE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"const": "square"},
        "side-length": {"type": "number"},
        "note": {"type": ["string", "null"]},
    },
    "required": ["kind"],
}
NAMED: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
NODE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
    "required": ["name"],
}
COLORED = {"properties": {"color": {"type": "string"}}, "required": ["color"]}
FILLED = {"properties": {"fill": {"type": "object", "properties": {"opacity": {"type": "number"}}}}}

OBJECTS: dict[str, dict[str, Any]] = {
    "one_of": {"oneOf": [CIRCLE, SQUARE]},
    "one_of_with_type": {"type": "object", "oneOf": [CIRCLE, SQUARE]},
    "one_of_with_properties": {**NAMED, "oneOf": [CIRCLE, SQUARE]},
    "any_of": {**NAMED, "anyOf": [COLORED, FILLED]},
    "any_of_closed": {
        **NAMED,
        "anyOf": [COLORED, {"properties": {"id": {"minLength": 3}}}],
        "additionalProperties": False,
    },
    "one_of_closed_members": {"oneOf": [{**item, "additionalProperties": False} for item in (CIRCLE, SQUARE)]},
    "unevaluated": {**NAMED, "oneOf": [CIRCLE, SQUARE], "unevaluatedProperties": False},
    "all_of": {"allOf": [NAMED, {"oneOf": [CIRCLE, SQUARE]}, {"anyOf": [COLORED, FILLED]}]},
    "nested_one_of": {"oneOf": [{"oneOf": [CIRCLE, SQUARE]}, {**NAMED, "not": {"required": ["kind"]}}]},
    "dead_member": {"type": "object", "properties": {"kind": {"enum": ["circle"]}}, "oneOf": [CIRCLE, SQUARE]},
    "conditions": {
        **NAMED,
        "if": {"properties": {"id": {"const": "a"}}},
        "then": COLORED,
        "else": {"dependentSchemas": {"color": FILLED}},
    },
    "many": {"allOf": [{"anyOf": [{"properties": {f"{x}{n}": CIRCLE}} for n in range(6)]} for x in "ab"]} | NAMED,
    "reference": {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}},
    "reference_with_type": {"type": "object", "$ref": "#/$defs/Node", "$defs": {"Node": NODE}},
    "type_list": {"type": ["object"], "properties": {"id": {"type": "string"}}},
    "constants": {"enum": [{"a": 1}, {"b": 2}]},
}
OTHERS: dict[str, dict[str, Any]] = {
    "implicit": {"oneOf": [COLORED, {"properties": {"radius": {"type": "number"}}, "required": ["radius"]}]},
    "items": {"type": "array", "items": {"anyOf": [CIRCLE, SQUARE, {}]}},
    "values": {"type": "array", "items": {"patternProperties": {"^c": CIRCLE}, "type": "object"}},
    "object_or_null": {"anyOf": [CIRCLE, {"type": "object"}, {"type": "null"}]},
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool(name, schema) for name, schema in (OBJECTS | OTHERS).items()]
    shape = {"type": "object", "properties": {"id": {"type": "string"}}, "oneOf": [CIRCLE, SQUARE]}
    tools.append(tool("draw", OBJECTS["one_of"], inputSchema=shape))
    closed = [{**item, "additionalProperties": False} for item in (CIRCLE, SQUARE)]
    tools.append(tool("erase", OBJECTS["one_of"], inputSchema={"type": "object", "oneOf": closed}))
    return package(tmp_path_factory.mktemp("composed"), tools, "--sdk", "mcp")


@pytest.mark.parametrize("rounds", [20, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OBJECTS | OTHERS)
def test_classes_take_and_emit_what_the_schema_allows(name: str, rounds: int) -> None:
    counts = hold([(OBJECTS | OTHERS)[name]], Random(name), rounds)
    assert counts.disagreements == []
    assert counts.valid


def test_every_declared_property_is_a_field(generated: Any) -> None:
    share = typed_share.measure_package(generated)
    assert share.declared > 100
    reason = "a JSON value, although the schema says its type"  # and says nothing where the condition does not hold
    assert share.untyped == {"conditions outputSchema #/then/properties/color": reason}


def test_the_measure_sees_what_is_missing(generated: Any) -> None:
    schema = OBJECTS["one_of_with_properties"]
    share = typed_share.measure_schema(schema, generated.OneOfResult)
    assert share.untyped == {"/properties/id": "no class has it"}
    assert typed_share.measure_schema({"items": CIRCLE}, generated.OneOfResult).untyped == {
        "/items/properties/kind": "no class, but nothing",
        "/items/properties/radius": "no class, but nothing",
    }


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_never_wrapped(name: str, generated: Any) -> None:
    declared = OBJECTS[name]
    for version in ("2025-06-18", "2025-11-25"):
        (listed,) = (tool for tool in generated.list_tools(version) if tool["name"] == name)
        assert listed["outputSchema"] == {**declared, "type": "object"}
    (listed,) = (tool for tool in generated.list_tools("2026-07-28") if tool["name"] == name)
    assert listed["outputSchema"] == declared


@pytest.mark.parametrize("name", OTHERS)
def test_anything_else_is_wrapped(name: str, generated: Any) -> None:
    (listed,) = (tool for tool in generated.list_tools("2025-11-25") if tool["name"] == name)
    assert list(listed["outputSchema"]["properties"]) == ["result"]


def test_values_of_a_union_are_instances_of_its_members(generated: Any) -> None:
    result = generated.OneOfWithPropertiesResult.from_structured_content({"id": "a", "kind": "circle", "radius": 2})
    assert (result.root.id, result.root.kind, result.root.radius) == ("a", "circle", 2)
    wire = result.to_wire(protocol="2025-06-18")
    assert wire["structuredContent"] == {"id": "a", "kind": "circle", "radius": 2}
    with pytest.raises(ValidationError):
        generated.OneOfWithPropertiesResult.from_structured_content({"kind": "circle", "radius": 2})


def test_a_condition_declares_an_optional_property(generated: Any) -> None:
    result = generated.ConditionsResult(id="b", color="red", fill={"opacity": 1})
    assert result.fill.opacity == 1
    with pytest.raises(ValidationError):
        generated.ConditionsResult(id="a")
    assert generated.ConditionsResult(id="b", color=7).color == 7  # the schema says nothing of it for this id


def test_a_root_that_refers_to_a_definition_inherits_its_class(generated: Any) -> None:
    result_class = generated.ReferenceResult
    (shared,) = {base for base in result_class.__mro__ if base.__name__ == "Node"}
    assert issubclass(generated.ReferenceWithTypeResult, shared)
    result = result_class(name="a", parts=[shared(name="b")])
    assert type(result.parts[0]) is shared
    wire = {"name": "a", "parts": [{"name": "b"}]}
    assert result.to_structured_content() == wire
    assert result_class.normalize(shared(name="c")).structured_content == {"name": "c"}


# --- arguments -------------------------------------------------------------------------------------------------------
def read(generated: Any, tool: str, handler: Any, sent: dict[str, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = BoundTool.of(get_tool(generated, tool), handler, ()).read(sent)
    return arguments


def draw(kind: str, radius: float = 0, side_length: float = 0, note: str | None = "", id: str = "") -> None:
    """Stand for a handler with all arguments of all members."""


def test_a_handler_gets_the_arguments_that_the_member_declares(generated: Any) -> None:
    assert read(generated, "draw", draw, {"kind": "circle", "radius": 2}) == {"kind": "circle", "radius": 2}
    sent = {"kind": "square", "side-length": 3, "note": None, "id": "a"}
    assert read(generated, "draw", draw, sent) == {"kind": "square", "side_length": 3, "note": None, "id": "a"}


def test_what_another_member_declares_is_an_extra(generated: Any) -> None:
    def take(kind: str, radius: float = 0, side_length: float = 0, note: str = "", id: str = "", **rest: Any) -> None:
        pass

    sent = {"kind": "square", "radius": "none of its arguments", "more": 1}
    assert read(generated, "draw", draw, sent) == {"kind": "square"}
    assert read(generated, "draw", take, sent) == {"kind": "square", "more": 1}


def test_arguments_that_fit_no_member_are_refused(generated: Any) -> None:
    for sent in ({"kind": "circle"}, {"kind": "oval"}, {"kind": "circle", "radius": "wide"}):
        with pytest.raises(ArgumentsError, match="Invalid arguments for draw"):
            read(generated, "draw", draw, sent)


def test_a_handler_has_to_take_every_argument(generated: Any) -> None:
    with pytest.raises(TypeError, match="it takes no 'radius'"):
        read(generated, "draw", lambda kind, side_length=0, note="", id="": None, {})
    with pytest.raises(TypeError, match="'radius' may be absent"):
        read(generated, "draw", lambda kind, radius, side_length=0, note="", id="": None, {})


def test_arguments_are_constructed_by_the_names_of_all_members(generated: Any) -> None:
    cls = generated.DrawArguments
    circle = cls(kind="circle", radius=2, id=None)
    assert circle.to_structured_content() == {"kind": "circle", "radius": 2}
    square = cls(kind="square", side_length=3, note=None, extras={"more": [1]})
    assert square.to_structured_content() == {"kind": "square", "side-length": 3, "note": None, "more": [1]}
    assert square.model_copy(update={"side_length": 4, "note": "x"}).root.side_length == 4
    assert circle.model_copy() == circle
    assert cls(**{"kind": "square", "side-length": 1}).root.side_length == 1
    with pytest.raises(ValidationError):
        circle.model_copy(update={"radius": None})
    with pytest.raises(TypeError, match="has no property 'size'"):
        cls(kind="circle", radius=2, size=1)
    with pytest.raises(ValidationError):
        generated.EraseArguments(kind="circle", radius=2, side_length=3)


@pytest.mark.parametrize(
    ("sent", "valid"),
    [({"kind": "circle", "radius": 1}, True), ({"kind": "circle", "radius": 1, "note": ""}, False), ({}, False)],
)
def test_arguments_are_read_as_the_schema_says(sent: dict[str, Any], valid: bool, generated: Any) -> None:
    cls = generated.EraseArguments
    if valid:
        assert cls.model_validate(sent).to_structured_content() == sent
    else:
        with pytest.raises(ValidationError):
            cls.model_validate(sent)
