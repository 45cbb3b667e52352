"""Annotations of generated code."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import (
    ANY,
    NULL,
    Alias,
    Array,
    Choice,
    FixedArray,
    Map,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.lower.identity import make_node_id
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.render.annotations import (
    render_annotated,
    render_annotation,
    render_handler_annotation,
    render_static_annotation,
    split_annotation,
    split_field_annotation,
)
from mcpgen.render.declared_places import render_declared_place, render_shared_place
from mcpgen.render.scope import Scope
from support.scopes import INTEGER, SCOPE, STRING, TREE


# --- annotations that pydantic reads ----------------------------------------------------------------------------------
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
        (Union((Ref("calm"), Ref("storm")), "kind"), 'Annotated[Calm | Storm, Field(discriminator="kind")]'),
    ],
)
def test_annotations(type: Type, annotation: str) -> None:
    assert render_annotation(type, SCOPE) == annotation


def test_an_optional_field_gets_none_once() -> None:
    assert split_field_annotation(STRING, Presence.REQUIRED, SCOPE) == ("str", ())
    assert split_field_annotation(STRING, Presence.OPTIONAL, SCOPE) == ("str | None", ())
    bounded = Scalar(ScalarKind.INTEGER, (("ge", 1),))
    assert split_field_annotation(bounded, Presence.OPTIONAL, SCOPE) == ("int | None", ("Field(ge=1)",))
    assert split_field_annotation(Union((STRING, NULL)), Presence.OPTIONAL, SCOPE) == ("str | None", ())


def test_a_union_that_returns_to_itself_by_two_arrays_is_read_once() -> None:
    union = Union((Array(Ref("deep")), FixedArray((Ref("deep"),)), STRING))
    scope = Scope({"deep": "Deep"}, {"deep": Alias("deep", "", (("deep",),), union)})
    assert split_annotation(union, scope)[1] == ("ReadOnce()",)
    assert split_annotation(TREE.type, SCOPE)[1] == ()


def test_annotated() -> None:
    assert render_annotated("str", ()) == "str"
    metadata = ("Field(ge=1)", "A", 'Field(alias="b")')
    assert render_annotated("str", metadata) == 'Annotated[str, Field(ge=1, alias="b"), A]'
    assert render_annotated("str", ("A", *metadata)) == 'Annotated[str, A, Field(ge=1, alias="b"), A]'


# --- annotations for type checkers and readers ------------------------------------------------------------------------
def test_static_annotations_have_no_metadata() -> None:
    assert render_static_annotation(Array(Scalar(ScalarKind.INTEGER, (("ge", 1),))), SCOPE) == "list[int]"


def test_a_handler_may_return_json_objects_for_classes() -> None:
    assert render_handler_annotation(Array(Ref("wind")), SCOPE) == "Sequence[Wind | WindDict]"
    assert render_handler_annotation(Map(Ref("wind")), SCOPE) == "Mapping[str, Wind | WindDict]"
    assert render_handler_annotation(Array(STRING), SCOPE) == "list[str]"


# --- places of classes' schemas in the definitions of tools -----------------------------------------------------------
@pytest.mark.parametrize(
    ("node_id", "place"),
    [
        ("input:", 'schema="inputSchema"'),
        ("output:", 'schema="outputSchema"'),
        ("output:/properties/wind", 'schema="outputSchema#/properties/wind"'),
        ("output:/$defs/a&/$defs/b", 'schema=("outputSchema#/$defs/a", "outputSchema#/$defs/b")'),
        ("output:/properties/wind!anyOf", None),
        ("output~/$defs/tree", None),
        ("resource:/properties/a", 'schema="schema#/properties/a"'),
        ("protocol:/$defs/a", None),
    ],
)
def test_a_place(node_id: str, place: str | None) -> None:
    rendered = render_declared_place(node_id)
    assert (None if rendered is None else str(rendered)) == place


@pytest.mark.parametrize("pointer", ["/properties/a&b", "/properties/a!b", "/properties/a%26b", "/properties/~0~1"])
def test_pointers_with_the_marks_of_ids(pointer: str) -> None:
    node_id = "output" + make_node_id([SchemaPlace(pointer)], ":")
    assert str(render_declared_place(node_id)) == f'schema="outputSchema#{pointer}"'


MODULES = {"a": "a", "b": "b", "get-tide": "get_tide"}


def test_a_shared_class_has_the_place_in_one_of_its_tools() -> None:
    assert str(render_shared_place([("get-tide", "input:/properties/wind")], MODULES)) == (
        'schema="inputSchema#/properties/wind", definition="../tools/get_tide.json"'
    )
    uses = [("a", "output:/$defs/wind"), ("b", "output:/$defs/wind!anyOf")]
    assert str(render_shared_place(uses, MODULES)) == 'schema="outputSchema#/$defs/wind", definition="../tools/a.json"'
    assert render_shared_place(uses[1:], MODULES) is None


def test_other_tools_seldom_change_the_place_of_a_shared_class() -> None:
    modules = {f"t{number}": f"t{number}" for number in range(20)}
    uses = [(wire, "output:/$defs/wind") for wire in modules]
    place = render_shared_place(uses, modules)
    assert place == render_shared_place(uses[::-1], modules)
    assert sum(place != render_shared_place([*uses[:i], *uses[i + 1 :]], modules) for i in range(20)) == 1


# --- what annotations admit -------------------------------------------------------------------------------------------
def test_none_is_a_value_of_a_recursive_alias_that_admits_it() -> None:
    assert SCOPE.admits_none(Ref("tree"))
    assert not SCOPE.admits_none(Ref("wind"))
    assert not SCOPE.admits_none(Array(NULL))
