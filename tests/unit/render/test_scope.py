"""Annotations and serializer expressions of types."""

from __future__ import annotations

import pytest
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
from mcpgen.render.scope import MAX_UNION_MEMBERS, Scope, render_annotated

STRING, INTEGER, NULL = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NULL)
DATE = Scalar(ScalarKind.DATE)


def make_class(node_id: str, *fields: Field, extra: Type | None = None) -> ObjectClass:
    return ObjectClass(node_id, "", ((node_id,),), fields, extra)


WIND = make_class("wind", Field("speed", INTEGER, Presence.REQUIRED))
CALM = make_class("calm", Field("kind", Choice(("calm",)), Presence.REQUIRED))
STORM = make_class("storm", Field("kind", Choice(("storm",)), Presence.REQUIRED))
TREE = Alias("tree", "", (("tree",),), Union((STRING, Array(Ref("tree")), NULL)))
NODES: list[Node] = [WIND, CALM, STORM, TREE]
SCOPE = Scope(
    {node.id: node.id.capitalize() for node in NODES}, {node.id: node for node in NODES}, {"wind": "WindDict"}
)


@pytest.mark.parametrize(
    ("type", "annotation"),
    [
        (STRING, "str"),
        (NULL, "None"),
        (ANY, "JsonValue"),
        (Scalar(ScalarKind.INTEGER, (("ge", 1), ("le", 9))), "Annotated[int, Field(ge=1, le=9)]"),
        (Choice(("a", "b")), 'Literal["a", "b"]'),
        (Choice((1, True)), "Literal[1, True]"),
        (Choice((None,)), "None"),
        (Array(STRING), "list[str]"),
        (FixedArray((STRING, INTEGER)), "tuple[str, int]"),
        (FixedArray(()), "tuple[()]"),
        (Map(INTEGER), "dict[str, int]"),
        (Ref("wind"), "Wind"),
        (Union((NULL, STRING, STRING, INTEGER)), "str | int | None"),
        (Union((STRING, FixedArray((STRING,)))), "tuple[str] | str"),
        (
            Union((Ref("calm"), Ref("storm")), "kind"),
            'Annotated[Calm | Storm, Field(discriminator="kind")]',
        ),
    ],
)
def test_annotations(type: Type, annotation: str) -> None:
    assert SCOPE.render_annotation(type) == annotation


def test_static_annotations_have_no_metadata() -> None:
    assert SCOPE.render_static_annotation(Array(Scalar(ScalarKind.INTEGER, (("ge", 1),)))) == "list[int]"


def test_a_handler_may_return_json_objects_for_classes() -> None:
    assert SCOPE.render_handler_annotation(Array(Ref("wind"))) == "Sequence[Wind | WindDict]"
    assert SCOPE.render_handler_annotation(Map(Ref("wind"))) == "Mapping[str, Wind | WindDict]"
    assert SCOPE.render_handler_annotation(Array(STRING)) == "list[str]"


def test_an_optional_field_gets_none_once() -> None:
    assert SCOPE.split_field_annotation(STRING, Presence.REQUIRED) == ("str", ())
    assert SCOPE.split_field_annotation(STRING, Presence.OPTIONAL) == ("str | None", ())
    bounded = Scalar(ScalarKind.INTEGER, (("ge", 1),))
    assert SCOPE.split_field_annotation(bounded, Presence.OPTIONAL) == ("int | None", ("Field(ge=1)",))
    assert SCOPE.split_field_annotation(Union((STRING, NULL)), Presence.OPTIONAL) == ("str | None", ())


def test_none_is_a_value_of_a_recursive_alias_that_admits_it() -> None:
    assert SCOPE.admits_none(Ref("tree"))
    assert not SCOPE.admits_none(Ref("wind"))
    assert not SCOPE.admits_none(Array(NULL))


@pytest.mark.parametrize(
    ("type", "expression"),
    [
        (STRING, "value"),
        (DATE, "to_json_value(value)"),
        (Array(STRING), "[*value]"),
        (Array(Array(DATE)), "[[to_json_value(item1) for item1 in item] for item in value]"),
        (FixedArray((STRING, DATE)), "[value[0], to_json_value(value[1])]"),
        (Map(STRING), "{**value}"),
        (Map(DATE), "{key0: to_json_value(item) for key0, item in value.items()}"),
        (Ref("wind"), "value.to_structured_content()"),
        (Ref("tree"), "to_json_value(value)"),
        (Union((Ref("wind"), NULL)), "None if value is None else value.to_structured_content()"),
        (Union((Ref("wind"), STRING)), "value.to_structured_content() if isinstance(value, JsonObject) else value"),
        (Union((Array(STRING), NULL)), "None if value is None else [*value]"),
        (Union((DATE, Array(STRING))), "to_json_value(value)"),
    ],
)
def test_json_values(type: Type, expression: str) -> None:
    assert SCOPE.dump(type, "value") == expression


def test_a_union_that_returns_to_itself_by_two_arrays_is_read_once() -> None:
    union = Union((Array(Ref("deep")), FixedArray((Ref("deep"),)), STRING))
    scope = Scope({"deep": "Deep"}, {"deep": Alias("deep", "", (("deep",),), union)})
    assert scope.split_annotation(union)[1] == ("ReadOnce()",)
    assert SCOPE.split_annotation(TREE.type)[1] == ()


def test_a_large_union_is_bracketed() -> None:
    union = Union(tuple(Choice((f"v{number}",)) for number in range(MAX_UNION_MEMBERS + 1)))
    annotation = SCOPE.render_annotation(union)
    assert annotation.startswith('(Literal["v0"] | ')
    assert annotation.endswith(') | Literal["v100"]')


def test_annotated() -> None:
    assert render_annotated("str", ()) == "str"
    assert (
        render_annotated("str", ("Field(ge=1)", "A", 'Field(alias="b")')) == 'Annotated[str, A, Field(ge=1, alias="b")]'
    )
