"""Annotations that pydantic reads."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import (
    ANY,
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
from mcpgen.render.annotations import render_annotated, render_annotation, split_annotation, split_field_annotation
from mcpgen.render.scope import Scope
from mcpgen.render.unions import NULL
from support.scopes import INTEGER, SCOPE, STRING, TREE


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
