"""Views of classes."""

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
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.render.annotations import (
    MAX_UNION_MEMBERS,
    TypedDictAliasView,
    TypedDictView,
    make_typed_dict_views,
    render_annotation,
)
from mcpgen.render.class_views import (
    AliasView,
    ClassView,
    complete_root_class,
    find_incomplete,
    is_string,
    make_class_view,
    make_module_body,
    make_root_view,
    render_root_annotation,
    sort_by_dependency,
    sort_by_use,
)
from mcpgen.render.scope import Scope
from support.scopes import SCOPE


# --- the order of the classes in a module -----------------------------------------------------------------------------
def make_nodes(**references: str) -> dict[str, Node]:
    """Return a class for each name, with a property for each letter that it refers to."""
    return {
        name: ObjectClass(name, "", ((name,),), tuple(Field(ref, Ref(ref), Presence.OPTIONAL) for ref in refs), None)
        for name, refs in references.items()
    }


def test_heads_come_first_and_then_classes_as_they_are_used() -> None:
    nodes = make_nodes(d="", c="d", b="", a="cb", z="b")
    assert sort_by_use(nodes, ["a", "z"], [Ref("a"), Ref("z")]) == ["a", "z", "c", "d", "b"]


def test_a_root_that_is_no_class_is_followed_by_the_classes_that_it_refers_to() -> None:
    root: Type = Array(Ref("b"))
    assert sort_by_use(make_nodes(z="", b="a", a=""), ["z"], [root, Ref("z")]) == ["z", "b", "a"]


def test_classes_that_refer_to_each_other_and_classes_of_other_modules() -> None:
    nodes = make_nodes(a="bx", b="a", c="")
    assert sort_by_use(nodes, ["a", "x"], [Ref("x")]) == ["a", "b", "c"]
    assert sort_by_dependency(nodes) == ["b", "a", "c"]


def test_a_class_is_incomplete_while_it_refers_to_a_later_one() -> None:
    nodes = make_nodes(a="b", b="c", c="", d="a")
    nodes["e"] = Alias("e", "", (("e",),), Array(Ref("c")))
    assert find_incomplete(["a", "b", "c", "d", "e"], nodes) == {"a", "b", "d"}


# --- views of classes: fields, order, base classes --------------------------------------------------------------------
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
    assert (gust.annotation, str(gust.default)) == ("str | None", "None")
    assert (speed.annotation, speed.default) == ("str", None)
    assert wind_from.annotation == 'Annotated[str | None, Field(alias="windFrom")]'
    assert str(wind_from.default) == "ABSENT"


def test_fields_keep_the_order_of_the_schema() -> None:
    presences = {"z": Presence.REQUIRED, "y": Presence.OPTIONAL, "x": Presence.REQUIRED}
    node = make_class("a", *(Field(wire, STRING, presence) for wire, presence in presences.items()))
    assert [field.name for field in view(node).fields] == ["z", "y", "x"]


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
    assert view(make_class("a", extra=ANY)).extra is None
    assert view(make_class("a", extra=STRING)).extra == "str"


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
    ("type", "returns"), [(Array(STRING), "list[Any]"), (Map(STRING), "dict[str, Any]"), (STRING, "str"), (ANY, "Any")]
)
def test_root_annotations(type: Type, returns: str) -> None:
    assert render_root_annotation(SchemaRoot(type, (), ()), make_scope()) == returns


def test_the_view_of_a_root_model() -> None:
    root = make_root_view(SchemaRoot(Array(STRING), (), ()), make_scope(), "Result", ["Checked"])
    assert (str(root.bases), str(root.annotation), root.doc) == ("Checked, RootArrayResult", "list[str]", None)
    assert (str(root.returns), str(root.serializer)) == ("list[Any]", "return [*self.root]")


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


# --- unions of many members -------------------------------------------------------------------------------------------
def test_a_large_union_is_bracketed() -> None:
    union = Union(tuple(Choice((f"v{number}",)) for number in range(MAX_UNION_MEMBERS + 1)))
    annotation = render_annotation(union, SCOPE)
    assert annotation.startswith('(Literal["v0"] | ')
    assert annotation.endswith(') | Literal["v100"]')


# --- typedDicts of classes --------------------------------------------------------------------------------------------
def make_view(*fields: Field) -> TypedDictView:
    node = ObjectClass("a", "", (("a",),), fields, None)
    (view,) = make_typed_dict_views([node], Scope({"a": "A"}, {"a": node}, {"a": "ADict"}))
    assert isinstance(view, TypedDictView)
    return view


def test_members_by_presence() -> None:
    view = make_view(
        Field("x", STRING, Presence.REQUIRED),
        Field("y", STRING, Presence.OPTIONAL),
        Field("z", STRING, Presence.OPTIONAL_NULLABLE),
    )
    assert (view.name, view.plain) == ("ADict", True)
    assert [member.annotation for member in view.members] == ["str", "NotRequired[str]", "NotRequired[str | None]"]


@pytest.mark.parametrize("wire", ["not-a-name", "class", "__private", "été", "str"])
def test_wire_names_that_no_class_body_can_have(wire: str) -> None:
    assert make_view(Field(wire, STRING, Presence.REQUIRED)).plain is False


def test_aliases_over_typed_dicts_and_nodes_without_one() -> None:
    type: Type = Array(Ref("a"))
    a, tree = ObjectClass("a", "", (("a",),), (), None), Alias("tree", "", (("tree",),), type)
    scope = Scope({"a": "A", "tree": "Tree"}, {"a": a, "tree": tree}, {"a": "ADict", "tree": "TreeDict"})
    _, alias = make_typed_dict_views([a, tree], scope)
    assert isinstance(alias, TypedDictAliasView)
    assert (alias.name, str(alias.type)) == ("TreeDict", '"Sequence[A | ADict]"')
    assert make_typed_dict_views([a, tree], Scope(scope.names, scope.nodes)) == []
