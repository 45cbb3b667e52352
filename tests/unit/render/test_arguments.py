"""The arguments of a union as parameters."""

from __future__ import annotations

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY, Choice, Field, Map, ObjectClass, Presence, Ref, Scalar, ScalarKind, Union
from mcpgen.render.arguments import collect_arguments, make_root_arguments_view
from mcpgen.render.scope import Scope

TEXT, NUMBER, NULL = (Scalar(kind) for kind in (ScalarKind.STRING, ScalarKind.NUMBER, ScalarKind.NULL))
A = ObjectClass(
    "A",
    "",
    (),
    (
        Field("kind", Choice(("a",)), Presence.REQUIRED),
        Field("size", NUMBER, Presence.REQUIRED, "How large."),
        Field("user-id", TEXT, Presence.OPTIONAL),
    ),
    None,
)
B = ObjectClass(
    "B",
    "",
    (),
    (Field("kind", Choice(("b",)), Presence.REQUIRED), Field("size", Union((TEXT, NULL)), Presence.REQUIRED)),
    TEXT,
)
SCOPE = Scope({"A": "A", "B": "B"}, {"A": A, "B": B})


def make_root(*members: Ref | Map) -> SchemaRoot:
    return SchemaRoot(Union(members), (A, B), ())


def test_a_class_has_its_own_arguments() -> None:
    arguments = collect_arguments(SchemaRoot(Ref("A"), (A,), ()), SCOPE)
    assert (arguments.fields, arguments.extra) == (A.fields, None)
    assert arguments.names == {"kind": "kind", "size": "size", "user-id": "user_id"}


def test_those_of_all_members_are_joined() -> None:
    arguments = collect_arguments(make_root(Ref("A"), Ref("B")), SCOPE)
    assert arguments.fields == (
        Field("kind", Choice(("a", "b")), Presence.REQUIRED),
        Field("size", Union((NUMBER, TEXT, NULL)), Presence.REQUIRED, "How large."),
        Field("user-id", TEXT, Presence.OPTIONAL),
    )
    assert arguments.extra == TEXT


def test_beside_a_map_nothing_is_required() -> None:
    arguments = collect_arguments(make_root(Ref("B"), Map(ANY)), SCOPE)
    assert [field.presence for field in arguments.fields] == [Presence.OPTIONAL, Presence.OPTIONAL_NULLABLE]
    assert arguments.extra == ANY


def test_the_view_names_wire_names_and_types() -> None:
    view = make_root_arguments_view(make_root(Ref("A"), Ref("B")), "DoArguments", SCOPE, "What to do.")
    assert (view.name, view.root.source, view.open, view.extra) == ("DoArguments", "A | B", True, "str")
    assert view.declared.source == 'schema="inputSchema"'
    assert [parameter.source for parameter in view.parameters] == [
        '"kind": Parameter("kind", required=True)',
        '"size": Parameter("size", required=True)',
        '"user_id": Parameter("user-id")',
    ]
    assert [(keyword.name, keyword.annotation, keyword.default) for keyword in view.keywords] == [
        ("kind", 'Literal["a", "b"]', None),
        ("size", "float | str | None", None),
        ("user_id", "str | None", "None"),
    ]
