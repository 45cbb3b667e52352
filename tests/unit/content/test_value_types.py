"""Joined and widened types."""

from __future__ import annotations

import pytest
from mcpgen.content.value_types import (
    ALL_TYPES,
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
    STRING,
    drop_bounds,
    get_literal_type,
    get_scalar_type,
    is_json,
    join_types,
    widen_type,
)
from mcpgen.ir.template import ConstantValue, KeyValuePair, Markup, Stream
from mcpgen.ir.types import ANY, Array, Choice, Ref, Scalar, ScalarKind, Type, Union

POSITIVE = Scalar(ScalarKind.INTEGER, (("gt", 0),))


def test_only_templates_have_generators_pairs_and_markup() -> None:
    template_types = (Stream(STRING), KeyValuePair(STRING, ANY), Markup())
    assert all(is_json(type) for type in ALL_TYPES)
    assert not any(is_json(type) for type in template_types)


@pytest.mark.parametrize(
    ("value", "literal", "scalar"),
    [
        ("a", Choice(("a",)), STRING),
        (True, Choice((True,)), BOOLEAN),
        (1, Choice((1,)), INTEGER),
        (1.5, NUMBER, NUMBER),
        (None, NULL, NULL),
    ],
)
def test_types_of_literals(value: ConstantValue, literal: Type, scalar: Scalar) -> None:
    assert get_literal_type(value) == literal
    assert get_scalar_type(value) == scalar
    assert widen_type(get_literal_type(value)) == scalar


@pytest.mark.parametrize(
    ("types", "joined"),
    [
        ((STRING, STRING), STRING),
        ((POSITIVE, INTEGER), INTEGER),
        ((STRING, ANY), ANY),
        ((Union((STRING, NULL)), INTEGER), Union((STRING, NULL, INTEGER))),
        ((Choice(("a",)), Choice(("b", "a"))), Choice(("a", "b"))),
        ((Choice(("a",)), STRING), STRING),
        ((Choice((1,)), STRING), Union((Choice((1,)), STRING))),
        ((Choice((1, True)), Ref("A")), Union((Choice((1, True)), Ref("A")))),
    ],
)
def test_joined_types(types: tuple[Type, ...], joined: Type) -> None:
    assert join_types(*types) == joined


def test_one_and_true_stay_different_constants() -> None:
    joined = join_types(Choice((1,)), Choice((True,)))
    assert isinstance(joined, Choice)
    assert [(type(value), value) for value in joined.values] == [(int, 1), (bool, True)]


def test_only_scalars_lose_their_bounds() -> None:
    assert drop_bounds(POSITIVE) == INTEGER
    assert drop_bounds(Array(POSITIVE, (("min_length", 1),))) == Array(POSITIVE, (("min_length", 1),))
    assert widen_type(Choice(("a", 1))) == Union((STRING, INTEGER))
