"""Annotations for type checkers and readers."""

from __future__ import annotations

from mcpgen.ir.types import (
    Array,
    Map,
    Ref,
    Scalar,
    ScalarKind,
)
from mcpgen.render.static_annotations import render_handler_annotation, render_static_annotation
from support.scopes import SCOPE, STRING


def test_static_annotations_have_no_metadata() -> None:
    assert render_static_annotation(Array(Scalar(ScalarKind.INTEGER, (("ge", 1),))), SCOPE) == "list[int]"


def test_a_handler_may_return_json_objects_for_classes() -> None:
    assert render_handler_annotation(Array(Ref("wind")), SCOPE) == "Sequence[Wind | WindDict]"
    assert render_handler_annotation(Map(Ref("wind")), SCOPE) == "Mapping[str, Wind | WindDict]"
    assert render_handler_annotation(Array(STRING), SCOPE) == "list[str]"
