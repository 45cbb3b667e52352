"""Views of classes: fields, order, base classes."""

from __future__ import annotations

import pytest
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import (
    ANY,
    Alias,
    Array,
    Choice,
    Field,
    FixedArray,
    Map,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
)
from mcpgen.render.class_views import (
    AliasView,
    ClassView,
    complete_root_class,
    is_string,
    make_class_view,
    make_module_body,
    make_root_view,
    render_root_annotation,
)
from mcpgen.render.scope import Scope

STRING = Scalar(ScalarKind.STRING)


def make_class(node_id: str, *fields: Field, extra: Type | None = None, description: str = "") -> ObjectClass:
    return ObjectClass(node_id, "", ((node_id,),), fields, extra, description)


def make_scope(*nodes: ObjectClass | Alias) -> Scope:
    return Scope({node.id: node.id.capitalize() for node in nodes}, {node.id: node for node in nodes})


def view(node: ObjectClass) -> ClassView:
    return make_class_view(node, make_scope(node))


def test_fields_by_presence() -> None:
    node = make_class(
        "wind",
        Field("gust", STRING, Presence.OPTIONAL),
        Field("speed", STRING, Presence.REQUIRED),
        Field("windFrom", STRING, Presence.OPTIONAL_NULLABLE),
    )
    gust, speed, wind_from = sorted(view(node).fields, key=lambda field: field.name)
    assert (gust.annotation, str(gust.default), gust.condition) == (
        "str | None",
        "None",
        'values["gust"] is not None',
    )
    assert (speed.annotation, speed.default, speed.condition) == ("str", None, "")
    assert wind_from.annotation == 'Annotated[str | None, Field(alias="windFrom")]'
    assert str(wind_from.default) == "ABSENT"
    assert wind_from.condition == '"wind_from" in self.__pydantic_fields_set__'
    assert wind_from.value == 'values["wind_from"]'


def test_fields_keep_the_order_of_the_schema() -> None:
    presences = {"z": Presence.REQUIRED, "y": Presence.OPTIONAL, "x": Presence.REQUIRED}
    node = make_class("a", *(Field(wire, STRING, presence) for wire, presence in presences.items()))
    assert [field.name for field in view(node).fields] == ["z", "y", "x"]
    assert [field.name for field in view(node).leading] == ["z"]
    assert [field.name for field in view(node).further] == ["y", "x"]


@pytest.mark.parametrize(
    ("values", "presence", "default"),
    [
        (("a",), Presence.REQUIRED, '"a"'),
        ((1,), Presence.REQUIRED, "1"),
        ((True,), Presence.REQUIRED, "True"),
        ((None,), Presence.REQUIRED, "None"),
        (("a", "b"), Presence.REQUIRED, "None"),
        (("a",), Presence.OPTIONAL, "None"),
    ],
)
def test_a_required_constant_is_its_default(
    values: tuple[str | int | bool | None, ...], presence: Presence, default: str
) -> None:
    (field,) = view(make_class("a", Field("kind", Choice(values), presence))).fields
    assert str(field.default) == default


@pytest.mark.parametrize(
    ("wire", "presence", "extra", "base"),
    [
        ("a", Presence.REQUIRED, None, "ClosedObject"),
        ("a", Presence.OPTIONAL, ANY, "OpenObject"),
        ("a", Presence.OPTIONAL_NULLABLE, None, "SparseClosedObject"),
        ("a", Presence.OPTIONAL_NULLABLE, ANY, "SparseOpenObject"),
        ("aB", Presence.OPTIONAL_NULLABLE, ANY, "RenamedOpenObject"),
        ("aB", Presence.OPTIONAL_NULLABLE, None, "SparseClosedObject"),
    ],
)
def test_base_classes(wire: str, presence: Presence, extra: Type | None, base: str) -> None:
    node = make_class("a", Field(wire, STRING, presence), extra=extra)
    assert make_class_view(node, make_scope(node), ("Checked",)).bases == f"Checked, {base}"


def test_undeclared_properties_with_a_type() -> None:
    assert view(make_class("a", extra=None)).open is False
    assert view(make_class("a", extra=ANY)).extra is None
    assert view(make_class("a", extra=STRING)).extra == "str"
    assert view(make_class("a", extra=STRING)).extras_value == "self.__pydantic_extra__"


def test_classes_follow_what_they_refer_to() -> None:
    berth = make_class("berth", Field("size", STRING, Presence.REQUIRED))
    harbour = make_class("harbour", Field("berths", Array(Ref("berth")), Presence.REQUIRED))
    body = make_module_body([harbour, berth], make_scope(harbour, berth), {})
    assert [node.name for node in body.nodes] == ["Berth", "Harbour"]
    assert body.rebuild == []


def test_a_cycle_is_rebuilt_at_the_end() -> None:
    parent = make_class("parent", Field("child", Ref("child"), Presence.OPTIONAL))
    child = make_class("child", Field("parent", Ref("parent"), Presence.OPTIONAL))
    body = make_module_body([parent, child], make_scope(parent, child), {})
    assert [node.name for node in body.nodes] == ["Child", "Parent"]
    assert body.rebuild == ["Parent", "Child"]


def test_the_classes_of_a_module_that_has_an_order() -> None:
    berth = make_class("berth", Field("size", STRING, Presence.REQUIRED))
    harbour = make_class("harbour", Field("berths", Array(Ref("berth")), Presence.REQUIRED))
    body = make_module_body([berth, harbour], make_scope(harbour, berth), {}, ["harbour", "berth"])
    assert [node.name for node in body.nodes] == ["Harbour", "Berth"]
    assert body.rebuild == ["Harbour"]


@pytest.mark.parametrize(("type", "rebuild"), [(Array(Ref("berth")), ["Berths"]), (STRING, []), (Ref("berth"), [])])
def test_a_root_model_that_refers_to_later_classes_is_completed_last(type: Type, rebuild: list[str]) -> None:
    berth = make_class("berth", Field("size", STRING, Presence.REQUIRED))
    body = make_module_body([berth], make_scope(berth), {}, ["berth"])
    assert complete_root_class(body, SchemaRoot(type, (berth,), ()), "Berths", {"berth": berth}).rebuild == rebuild


def test_an_alias_is_printed_as_a_string() -> None:
    tree = Alias("tree", "", (("tree",),), Array(Ref("tree")))
    (node,) = make_module_body([tree], make_scope(tree), {}).nodes
    assert isinstance(node, AliasView)
    assert (node.name, str(node.type)) == ("Tree", '"list[Tree]"')


@pytest.mark.parametrize(
    ("type", "returns"),
    [(Array(STRING), "list[Any]"), (Map(STRING), "dict[str, Any]"), (STRING, "str"), (ANY, "Any")],
)
def test_root_annotations(type: Type, returns: str) -> None:
    assert render_root_annotation(SchemaRoot(type, (), ()), make_scope()) == returns


def test_the_view_of_a_root_model() -> None:
    root = make_root_view(SchemaRoot(Array(STRING), (), ()), make_scope(), "Result", ["Checked"])
    assert (str(root.bases), str(root.annotation), root.doc) == ("Checked, RootArrayResult", "list[str]", None)
    assert (str(root.returns), str(root.value)) == ("list[Any]", "[*self.root]")


@pytest.mark.parametrize(
    ("type", "base"),
    [(FixedArray((STRING,)), "RootArrayResource"), (Map(STRING), "RootResource"), (STRING, "RootResource")],
)
def test_only_arrays_are_sequences(type: Type, base: str) -> None:
    assert str(make_root_view(SchemaRoot(type, (), ()), make_scope(), "Resource").bases) == base


def test_strings() -> None:
    assert is_string(STRING)
    assert is_string(Choice(("a", "b")))
    assert not is_string(Choice(("a", 1)))
    assert not is_string(ANY)
