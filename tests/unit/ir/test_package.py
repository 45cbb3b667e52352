"""Roots, and the references of modules."""

from __future__ import annotations

from mcpgen.ir.package import ResourceModule, SchemaRoot, ToolModule, collect_module_references, get_root_class
from mcpgen.ir.types import ANY, Alias, Array, Field, Map, ObjectClass, Presence, Ref, Scalar, ScalarKind

STRING = Scalar(ScalarKind.STRING)


def make_class(id: str, *types: Ref | Array | Map) -> ObjectClass:
    fields = tuple(Field(f"p{number}", type, Presence.REQUIRED) for number, type in enumerate(types))
    return ObjectClass(id, "", ((id,),), fields, None)


def test_the_root_class_is_the_one_that_the_root_refers_to() -> None:
    inner, outer = make_class("Inner"), make_class("Outer")
    assert get_root_class(SchemaRoot(Ref("Outer"), (inner, outer), ())) is outer


def test_a_root_model_has_no_root_class() -> None:
    tree = Alias("Tree", "", (("tree",),), Array(Ref("Tree")))
    assert get_root_class(SchemaRoot(Ref("Tree"), (tree,), ())) is None
    assert get_root_class(SchemaRoot(STRING, (make_class("Inner"),), ())) is None


def test_references_of_a_tool_are_those_of_its_result_and_its_arguments() -> None:
    output = SchemaRoot(Ref("Out"), (make_class("Out", Map(Ref("Shared"))),), ())
    arguments = SchemaRoot(Array(Ref("In")), (make_class("In", Array(Ref("Other"))),), ())
    tool = ToolModule("t", "", "", output, arguments, "json")
    assert collect_module_references(tool) == {"Out", "Shared", "In", "Other"}


def test_a_resource_without_payload_refers_to_nothing() -> None:
    resource = ResourceModule("r", "", "", "file:///r", None, (), None)
    assert collect_module_references(resource) == frozenset()
    with_payload = ResourceModule("r", "", "", "file:///r", None, (), None, SchemaRoot(Ref("P"), (), ()))
    assert collect_module_references(with_payload) == {"P"}


def test_any_value_has_no_class() -> None:
    assert get_root_class(SchemaRoot(ANY, (), ())) is None
