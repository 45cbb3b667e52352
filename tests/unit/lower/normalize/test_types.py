"""Lowering of each type."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from mcpgen.ir.types import Presence
from mcpgen.lower.normalize.constraints import (
    ALL_TYPES,
    collect_keywords,
    intersect_lengths,
    intersect_number_bounds,
    intersect_types,
    intersect_values,
)
from mcpgen.lower.normalize.core import (
    Core,
    NormalizationFindings,
    SchemaPart,
    SchemaPlace,
    list_direct_references,
    make_reference,
    make_union,
    remove_duplicates,
)
from mcpgen.lower.normalize.limits import MAX_TYPE_DEPTH, SchemaTooLarge
from mcpgen.lower.normalize.normalizer import TypeLowering
from mcpgen.lower.normalize.objects import ObjectLowering
from mcpgen.lower.normalize.places import NormalizationContext
from mcpgen.lower.normalize.values import lower_array, lower_enum, lower_number, lower_string
from mcpgen.lower.request import LoweringLimits, LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import NATIVE_FORMATS, FormatChoices
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json


# --- lowering strings, numbers and enumerated values ------------------------------------------------------------------
def make_context(native: bool = False, members: int = 10) -> NormalizationContext:
    return NormalizationContext(
        LoweringRequest(
            "",
            Schema(True, DRAFT_2020_12),
            formats=FormatChoices(NATIVE_FORMATS if native else ()),
            limits=LoweringLimits(members=members),
        )
    )


def make_parts(*schemas: dict[str, Json]) -> tuple[SchemaPart, ...]:
    return tuple(SchemaPart(SchemaPlace(f"/{index}"), schema) for index, schema in enumerate(schemas))


def test_strings_keep_their_lengths() -> None:
    assert lower_string(make_parts({"minLength": 2}), make_context()) == {"type": "string", "minLength": 2}


def test_formats_are_types_only_where_they_are_asked_for() -> None:
    parts = make_parts({"format": "date"})
    assert lower_string(parts, make_context()) == {"type": "string"}
    assert lower_string(parts, make_context(native=True)) == {"type": "string", "format": "date"}
    assert lower_string(make_parts({"format": "date"}, {"format": "time"}), make_context(native=True)) == {
        "type": "string"
    }


def test_a_choice_at_the_place_counts_more_than_the_format() -> None:
    def lower(native: tuple[str, ...], *places: tuple[str, bool]) -> Core:
        formats = FormatChoices(native, places)
        parts = make_parts({"format": "date"}, {"format": "date"})
        return lower_string(
            parts, NormalizationContext(LoweringRequest("", Schema(True, DRAFT_2020_12), formats=formats))
        )

    native, plain = {"type": "string", "format": "date"}, {"type": "string"}
    assert lower(("time",)) == plain
    assert lower((), ("/0", True)) == lower((), ("/1", True)) == native
    assert lower(("date",), ("/0", False)) == lower(("date",), ("/0", True), ("/1", False)) == plain
    assert lower_string(make_parts({"format": "email"}), make_context(native=True)) == plain


def test_lengths_of_bytes_are_left_to_the_check() -> None:
    context = make_context()
    parts = make_parts({"contentEncoding": "base64", "maxLength": 8})
    assert lower_string(parts, context) == {"type": "string", "format": "byte"}
    assert context.findings.checks == ["maxLength"]


def test_integers_have_whole_bounds() -> None:
    parts = make_parts({"minimum": 0.5})
    assert lower_number("integer", parts, make_context()) == {"type": "integer", "minimum": 1}
    assert lower_number("number", parts, make_context()) == {"type": "number", "minimum": 0.5}


def lower_values(values: list[Json], context: NormalizationContext) -> Core:
    return lower_enum(values, {"enum"}, "/a", context)


def test_plain_values_become_literals() -> None:
    context = make_context()
    assert lower_values(["a", 1.0, 1, True, None], context) == {"enum": ["a", 1, True, None]}
    assert context.findings.checks == []


def test_other_values_become_their_types() -> None:
    context = make_context()
    assert lower_values(["a", 0.5, [1], {}, 2**60], context) == {
        "anyOf": [{"enum": ["a"]}, {"type": "number"}, {"type": "array", "items": {}}, {"type": "object"}]
    }
    assert context.findings.checks == ["enum"]


def test_no_values_are_any_value_with_a_note() -> None:
    context = make_context()
    assert lower_values([], context) == {}
    assert [pointer for pointer, _ in context.findings.notes] == ["/a"]


def test_too_many_values_become_their_types() -> None:
    context = make_context(members=2)
    assert lower_values(["a", "b", 1], context) == {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    assert context.findings.checks == ["enum"]


# --- lowering arrays and tuples ---------------------------------------------------------------------------------------
def name_places(places: Iterable[SchemaPlace], tag: str = "") -> Core:
    """Stand in for the lowering of items: a type that shows the pointers."""
    return {"enum": [place.pointer for place in places]}


def make_array_context(dialect: str = DRAFT_2020_12, members: int = 10) -> NormalizationContext:
    return NormalizationContext(LoweringRequest("", Schema(True, dialect), limits=LoweringLimits(members=members)))


def lower(context: NormalizationContext, *schemas: dict[str, Json]) -> Core:
    parts = tuple(SchemaPart(SchemaPlace(f"/{index}"), schema) for index, schema in enumerate(schemas))
    return lower_array(parts, context, name_places)


def test_items_satisfy_all_parts() -> None:
    context = make_array_context()
    assert lower(context, {"items": {}, "minItems": 1}, {"items": {}, "maxItems": 4}) == {
        "type": "array",
        "items": {"enum": ["/0/items", "/1/items"]},
        "minItems": 1,
        "maxItems": 4,
    }
    assert context.findings.checks == []


@pytest.mark.parametrize(
    ("dialect", "schema"),
    [
        (DRAFT_2020_12, {"prefixItems": [{}, {}], "items": False, "minItems": 2}),
        (DRAFT_2020_12, {"prefixItems": [{}, {}], "minItems": 2, "maxItems": 2}),
        (DRAFT_07, {"items": [{}, {}], "additionalItems": False, "minItems": 2}),
    ],
)
def test_closed_arrays_of_required_items_are_tuples(dialect: str, schema: dict[str, Json]) -> None:
    context = make_array_context(dialect)
    core = lower(context, schema)
    assert (core["items"], core["minItems"], core["maxItems"]) == (False, 2, 2)
    assert isinstance(core["prefixItems"], list)
    assert len(core["prefixItems"]) == 2
    assert context.findings.checks == []


def test_open_tuples_accept_the_types_of_all_items() -> None:
    context = make_array_context()
    assert lower(context, {"prefixItems": [{}], "items": {}}) == {
        "type": "array",
        "items": {"anyOf": [{"enum": ["/0/prefixItems/0"]}, {"enum": ["/0/items"]}]},
    }
    assert context.findings.checks == ["prefixItems"]


def test_a_closed_tuple_keeps_the_tighter_number_of_items() -> None:
    closed: dict[str, Json] = {"prefixItems": [{}, {}], "items": False}
    assert lower(make_array_context(), closed)["maxItems"] == 2
    assert lower(make_array_context(), {**closed, "maxItems": 1})["maxItems"] == 1


def test_two_tuples_are_left_to_the_check() -> None:
    context = make_array_context()
    assert lower(context, {"prefixItems": [{}]}, {"prefixItems": [{}]}) == {"type": "array", "items": {}}
    assert context.findings.checks == ["prefixItems"]


def test_an_array_that_must_be_empty_is_left_to_the_check() -> None:
    context = make_array_context()
    assert lower(context, {"items": False}) == {"type": "array", "items": {}}
    assert context.findings.checks == ["items"]


def test_too_long_tuples_are_left_to_the_check() -> None:
    context = make_array_context(members=1)
    assert lower(context, {"prefixItems": [{}, {}]}) == {"type": "array", "items": {}}
    assert [pointer for pointer, _ in context.findings.notes] == ["/0"]


# --- lowering objects to classes and maps -----------------------------------------------------------------------------
ROOT = (SchemaPlace(""),)


def name_property_places(places: Iterable[SchemaPlace], tag: str = "") -> Core:
    """Stand in for the lowering of properties: a type that shows the pointers."""
    return {"enum": [place.pointer for place in places]}


def make_lowering(schema: Json, **limits: int) -> tuple[ObjectLowering, NormalizationContext]:
    context = NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12), limits=LoweringLimits(**limits)))
    return ObjectLowering(context, name_property_places), context


def lower_root(schema: Json) -> tuple[Core, ObjectLowering, list[str]]:
    lowering, context = make_lowering(schema)
    core = lowering.lower_object(ROOT, context.list_parts(ROOT), "")
    lowering.fill_classes()
    return core, lowering, context.findings.checks


def test_objects_without_properties_are_maps() -> None:
    assert lower_root({})[0] == {"type": "object", "additionalProperties": {}}
    assert lower_root({"additionalProperties": {}})[0] == {
        "type": "object",
        "additionalProperties": {"enum": ["/additionalProperties"]},
    }


def test_declared_properties_make_a_class() -> None:
    schema: Json = {"properties": {"a": {"type": "string"}, "b": {"type": "null"}}, "required": ["a", "c"]}
    core, lowering, checks = lower_root(schema)
    assert core == {"$ref": "#/$defs/AC0"}
    assert [(prop.wire, prop.core, prop.presence) for prop in lowering.classes["AC0"].properties] == [
        ("a", {"enum": ["/properties/a"]}, Presence.REQUIRED),
        ("b", {"enum": ["/properties/b"]}, Presence.OPTIONAL_NULLABLE),
        ("c", {}, Presence.REQUIRED),
    ]
    assert lowering.classes["AC0"].extra == {}
    assert checks == []


def test_a_closed_object_has_no_other_properties() -> None:
    _, lowering, _ = lower_root({"properties": {"a": True}, "additionalProperties": False})
    assert lowering.classes["AC0"].extra is None


def test_additional_properties_concern_what_other_parts_declare() -> None:
    schema: Json = {"properties": {"a": True}, "allOf": [{"additionalProperties": {"type": "string"}}]}
    _, lowering, _ = lower_root(schema)
    (prop,) = lowering.classes["AC0"].properties
    assert prop.core == {"enum": ["/properties/a", "/allOf/0/additionalProperties"]}


def test_additional_properties_do_not_concern_what_their_own_part_declares() -> None:
    _, lowering, _ = lower_root({"properties": {"a": True}, "additionalProperties": {"type": "string"}})
    (prop,) = lowering.classes["AC0"].properties
    assert prop.core == {"enum": ["/properties/a"]}
    assert lowering.classes["AC0"].extra == {"enum": ["/additionalProperties"]}


def test_patterns_give_a_map_of_all_their_types() -> None:
    core, _, checks = lower_root({"patternProperties": {"a": True, "b": True}, "additionalProperties": False})
    assert core["additionalProperties"] == {
        "anyOf": [{"enum": ["/patternProperties/a"]}, {"enum": ["/patternProperties/b"]}]
    }
    assert checks == ["patternProperties"]


def test_the_same_places_are_one_class() -> None:
    lowering, _ = make_lowering({"properties": {"a": True}})
    assert lowering.make_class(ROOT) == lowering.make_class(ROOT)
    assert len(lowering.classes) == 1


def test_the_number_of_classes_is_limited() -> None:
    lowering, _ = make_lowering({"properties": {"a": True}}, classes=1)
    lowering.make_class(ROOT)
    with pytest.raises(SchemaTooLarge, match="more than 1 classes"):
        lowering.make_class((SchemaPlace("/properties/a"),))


def test_too_many_properties_are_left_to_the_check() -> None:
    lowering, context = make_lowering({"properties": {"a": True, "b": True}}, members=1)
    lowering.make_class(ROOT)
    lowering.fill_classes()
    assert lowering.classes["AC0"].properties == []
    assert context.findings.checks == ["additionalProperties", "properties", "required"]


# --- lowering places to types, each set of them once ------------------------------------------------------------------
def make_type_lowering(schema: Json) -> tuple[TypeLowering, list[str]]:
    """Return the lowering after it has lowered the root, and the checks."""
    context = NormalizationContext(LoweringRequest("", Schema(schema, DRAFT_2020_12)))
    types = TypeLowering(context)
    types.lower(ROOT)
    return types, context.findings.checks


@pytest.mark.parametrize(
    ("schema", "core", "checks"),
    [
        (True, {}, []),
        (False, {}, ["false schema"]),
        ({"minLength": 1}, {}, ["minLength"]),
        ({"type": "boolean"}, {"type": "boolean"}, []),
        ({"type": ["null", "string"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}, []),
        ({"enum": [1], "type": "integer"}, {"enum": [1]}, []),
        ({"type": "string", "allOf": [{"type": "null"}]}, {}, ["type"]),
        ({"type": "string", "pattern": "a"}, {"type": "string"}, ["pattern"]),
    ],
)
def test_a_schema_becomes_a_core_type(schema: Json, core: Core, checks: list[str]) -> None:
    types, found_checks = make_type_lowering(schema)
    assert types.lower(ROOT) == core
    assert found_checks == checks


def test_a_type_that_contains_itself_is_an_alias() -> None:
    types, _ = make_type_lowering({"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]})
    assert types.lower(ROOT) == make_reference("AA0")
    assert types.aliases["AA0"].core == {
        "anyOf": [{"type": "string"}, {"type": "array", "items": make_reference("AA0")}]
    }
    types.cut_direct_recursion()
    assert types.aliases["AA0"].core != {}


def test_an_alias_that_is_itself_becomes_any_value() -> None:
    types, _ = make_type_lowering({"anyOf": [{"type": "string"}, {"$ref": "#"}]})
    types.cut_direct_recursion()
    assert types.aliases["AA0"].core == {}


def test_an_object_that_contains_itself_needs_no_alias() -> None:
    types, _ = make_type_lowering({"type": "object", "properties": {"next": {"$ref": "#"}}})
    types.objects.fill_classes()
    assert types.aliases == {}
    assert types.objects.classes["AC0"].properties[0].core == make_reference("AC0")


def test_too_deep_types_are_any_value() -> None:
    schema: Json = {"type": "string"}
    for _ in range(MAX_TYPE_DEPTH):
        schema = {"type": "array", "items": schema}
    types, checks = make_type_lowering(schema)
    assert types.lower(ROOT) == {}
    assert checks == ["type"]


# --- data of the core language: references, unions, duplicates --------------------------------------------------------
def test_references_are_direct_outside_of_arrays_and_objects() -> None:
    a, b = make_reference("A"), make_reference("B")
    assert list_direct_references(a) == ["A"]
    assert list_direct_references({"anyOf": [a, {"anyOf": [b]}, {"type": "array", "items": make_reference("C")}]}) == [
        "A",
        "B",
    ]


def test_a_union_of_one_type_is_that_type() -> None:
    text: Core = {"type": "string"}
    assert make_union([text]) == text
    assert make_union([text, {"type": "null"}]) == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_duplicates_are_found_whatever_the_order_of_keywords() -> None:
    first: Core = {"type": "string", "minLength": 1}
    assert remove_duplicates([first, {"minLength": 1, "type": "string"}, {"type": "null"}]) == [first, {"type": "null"}]


# --- combining the constraints of several parts -----------------------------------------------------------------------
def list_parts(*schemas: dict[str, Json]) -> list[SchemaPart]:
    return [SchemaPart(SchemaPlace(f"/{index}"), schema) for index, schema in enumerate(schemas)]


def make_findings() -> NormalizationFindings:
    return NormalizationFindings(LoweringLimits())


def test_keywords_and_required_names_are_collected() -> None:
    parts = list_parts({"type": "object", "required": ["a", "b"]}, {"minProperties": 1})
    assert collect_keywords(parts) == {"type", "required", "minProperties"}
    assert [part.required for part in parts] == [["a", "b"], []]


@pytest.mark.parametrize(
    ("schemas", "types"),
    [
        ([{}], set(ALL_TYPES)),
        ([{"type": "string"}, {}], {"string"}),
        ([{"type": ["string", "integer"]}, {"type": ["integer", "null"]}], {"integer"}),
        ([{"type": "number"}, {"type": "integer"}], {"integer"}),
        ([{"type": ["number", "integer"]}], {"number"}),
        ([{"type": "string"}, {"type": "object"}], set()),
    ],
)
def test_types_are_intersected(schemas: list[dict[str, Json]], types: set[str]) -> None:
    assert intersect_types(list_parts(*schemas)) == types


@pytest.mark.parametrize(
    ("schemas", "types", "values"),
    [
        ([{"type": "string"}], {"string"}, None),
        ([{"enum": ["a", 1, None]}], {"string", "null"}, ["a", None]),
        ([{"enum": ["a", "b"]}, {"const": "b"}], {"string"}, ["b"]),
        ([{"enum": [1, True]}, {"enum": [1.0]}], {"number", "boolean"}, [1]),
        ([{"enum": [1.5, 2]}], {"integer"}, [2]),
        ([{"enum": [1.5, 2.0]}], {"number"}, [1.5, 2.0]),
    ],
)
def test_values_are_intersected(schemas: list[dict[str, Json]], types: set[str], values: list[Json] | None) -> None:
    assert intersect_values(list_parts(*schemas), types) == values


def test_the_tightest_lengths_hold() -> None:
    findings = make_findings()
    parts = list_parts({"minLength": 1, "maxLength": 9}, {"minLength": 3, "maxLength": 10.0})
    assert intersect_lengths(parts, "minLength", "maxLength", findings) == {"minLength": 3, "maxLength": 9}
    assert intersect_lengths(list_parts({"minItems": 0}), "minItems", "maxItems", findings) == {}
    assert findings.checks == []


def test_unsafe_bounds_are_left_to_the_check() -> None:
    findings = make_findings()
    assert intersect_lengths(list_parts({"maxLength": 2**60}), "minLength", "maxLength", findings) == {}
    assert intersect_number_bounds(list_parts({"minimum": -(2**60)}, {"maximum": 1e-301}), False, findings) == {}
    assert findings.checks == ["maxLength", "maximum", "minimum"]


@pytest.mark.parametrize(
    ("schemas", "whole", "bounds"),
    [
        ([{"minimum": 1}, {"minimum": 2.5}], False, {"minimum": 2.5}),
        ([{"minimum": 1}, {"minimum": 2.5}], True, {"minimum": 3}),
        ([{"exclusiveMaximum": 9.5}, {"maximum": 7.0}], True, {"maximum": 7}),
        ([{"exclusiveMinimum": 0}], True, {"exclusiveMinimum": 0}),
        ([{"exclusiveMaximum": 1}, {"exclusiveMaximum": 0.5}], False, {"exclusiveMaximum": 0.5}),
    ],
)
def test_the_tightest_number_bounds_hold(schemas: list[dict[str, Json]], whole: bool, bounds: dict[str, Json]) -> None:
    assert intersect_number_bounds(list_parts(*schemas), whole, make_findings()) == bounds
