"""TypedDicts of classes."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import Alias, Array, Field, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.render.scope import Scope
from mcpgen.render.typed_dicts import TypedDictAliasView, TypedDictView, make_typed_dict_views

STRING = Scalar(ScalarKind.STRING)


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
    assert (view.name, view.of, view.plain) == ("ADict", "A", True)
    assert [member.annotation for member in view.members] == [
        "str",
        "NotRequired[str]",
        "NotRequired[str | None]",
    ]


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
