"""Lowering objects to classes and maps."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from mcpgen.ir.types import Presence
from mcpgen.lower.normalize.context import NormalizationContext, create_context
from mcpgen.lower.normalize.core import Core, SchemaPlace
from mcpgen.lower.normalize.limits import LoweringLimits, SchemaTooLarge
from mcpgen.lower.normalize.objects import ObjectLowering
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

ROOT = (SchemaPlace(""),)


def name_places(places: Iterable[SchemaPlace], tag: str = "") -> Core:
    """Stand in for the lowering of properties: a type that shows the pointers."""
    return {"enum": [place.pointer for place in places]}


def make_lowering(schema: Json, **limits: int) -> tuple[ObjectLowering, NormalizationContext]:
    context = create_context(schema, DRAFT_2020_12, limits=LoweringLimits(**limits))
    return ObjectLowering(context, name_places), context


def lower_root(schema: Json) -> tuple[Core, ObjectLowering, list[str]]:
    lowering, context = make_lowering(schema)
    core = lowering.lower_object(ROOT, context.places.list_parts(ROOT), "")
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
