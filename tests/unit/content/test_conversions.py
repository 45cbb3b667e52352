"""Conversions to JSON and to text."""

from __future__ import annotations

import pytest
from mcpgen.content.conversions import convert_to_json, convert_to_text, get_converted_type
from mcpgen.content.value_types import INTEGER, NULL, STRING
from mcpgen.content.values import Value
from mcpgen.ir.template import Comprehension, Constant, Expr, Local, Stream, ToJson, ToString
from mcpgen.ir.types import ANY, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from support.templates import TYPES, Checker

X, ITEM = Local("x"), Local("item")
DATE = Scalar(ScalarKind.DATE)


@pytest.mark.parametrize(
    ("expr", "type", "text"),
    [
        (X, STRING, X),
        (X, Scalar(ScalarKind.STRING, (("min_length", 1),)), X),
        (X, Choice(("a", "b")), X),
        (X, INTEGER, ToString(X, INTEGER)),
        (X, DATE, ToString(X, DATE)),
        (X, Union((STRING, NULL)), ToString(X, Union((STRING, NULL)))),
        (Constant(True), Choice((True,)), Constant("True")),
        (Constant("a"), Choice(("a",)), Constant("a")),
    ],
)
def test_text(expr: Expr, type: Type, text: Expr) -> None:
    assert convert_to_text(TYPES, expr, type) == text


@pytest.mark.parametrize(
    ("type", "converted"),
    [
        (DATE, STRING),
        (Array(DATE, (("min_length", 1),)), Array(STRING, (("min_length", 1),))),
        (FixedArray((STRING, INTEGER)), Array(Union((STRING, INTEGER)), (("min_length", 2),))),
        (FixedArray(()), Array(ANY, (("min_length", 0),))),
        (Map(DATE), Map(STRING)),
        (Union((DATE, NULL)), Union((STRING, NULL))),
        (Ref("Master"), Map(ANY)),
        (Ref("Unknown"), ANY),
        (Choice(("a",)), Choice(("a",))),
    ],
)
def test_converted_types(type: Type, converted: Type) -> None:
    assert get_converted_type(TYPES, type) == converted


def test_plain_values_are_not_converted() -> None:
    checker = Checker()
    for value in (Value(X, Array(STRING)), Value(X, Stream(INTEGER))):
        assert convert_to_json(checker, value) is value


def test_values_and_items_with_another_form_in_python_are_converted() -> None:
    checker = Checker()
    assert convert_to_json(checker, Value(X, DATE)) == Value(ToJson(X, DATE), STRING)
    converted = Value(Comprehension("item", X, ToJson(ITEM, DATE)), Stream(STRING))
    assert convert_to_json(checker, Value(X, Stream(DATE))) == converted
