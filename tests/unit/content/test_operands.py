"""Operands of a certain kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mcpgen.content.context import TemplateRefused
from mcpgen.content.operands import (
    check_defined,
    check_json,
    check_json_or_list,
    check_number,
    check_text,
    get_items,
)
from mcpgen.content.type_lookup import INTEGER, NUMBER, STRING
from mcpgen.content.values import Facts
from mcpgen.ir.template import Call, Constant, KeyValuePair, Method, ToJson, ToString
from mcpgen.ir.types import ANY, Array, Map, Ref, Scalar, ScalarKind, Union
from support.templates import Checker, field, parse_expression


def refusal_by(check: Callable[[Checker], object]) -> tuple[str, str]:
    checker = Checker()
    with pytest.raises(TemplateRefused):
        check(checker)
    (problem,) = checker.problems
    return problem.code, problem.message


def test_absent_values_are_refused() -> None:
    assert check_defined(Checker(), parse_expression("result.name"), Facts()).expr == field("name")
    assert refusal_by(lambda checker: check_defined(checker, parse_expression("result.gusts"), Facts())) == (
        "MG504",
        "`result.gusts` may be absent",
    )


def test_json_values_are_converted() -> None:
    value, type = check_json(Checker(), parse_expression("result.day"), Facts())
    assert (value.expr, type) == (ToJson(field("day"), Scalar(ScalarKind.DATE)), STRING)
    assert refusal_by(lambda checker: check_json(checker, parse_expression("range(3)"), Facts())) == (
        "MG505",
        "this is a generator",
    )


def test_lists_can_stay_as_they_are() -> None:
    crew = parse_expression("result.crew")
    assert check_json_or_list(Checker(), crew, Facts())[1] == Array(Ref("Master"))
    assert check_json(Checker(), crew, Facts())[1] == Array(Map(ANY))
    assert check_json_or_list(Checker(), parse_expression("result.day"), Facts())[1] == STRING


def test_text() -> None:
    assert check_text(Checker(), parse_expression("result.name"), Facts()) == field("name")
    assert check_text(Checker(), parse_expression("result.count"), Facts()) == ToString(field("count"), INTEGER)
    markup = check_text(Checker(), parse_expression("result.count | tojson"), Facts())
    assert markup == Call("to_html_json", (ToJson(field("count"), INTEGER),))
    _, message = refusal_by(lambda checker: check_text(checker, parse_expression("range(3)"), Facts()))
    assert message == "a generator has no text"


def test_numbers() -> None:
    assert check_number(Checker(), parse_expression("result.count"), Facts(), "`+`") == (field("count"), INTEGER)
    assert check_number(Checker(), parse_expression("result.depth"), Facts(), "`+`") == (field("depth"), NUMBER)
    assert check_number(Checker(), parse_expression("2"), Facts(), "`+`") == (Constant(2), INTEGER)
    assert refusal_by(lambda checker: check_number(checker, parse_expression("result.open"), Facts(), "`+`")) == (
        "MG505",
        "`+` needs numbers, and `result.open` is a boolean",
    )


def test_items() -> None:
    def check(text: str) -> object:
        checker, node = Checker(), parse_expression(text)
        return get_items(checker, check_defined(checker, node, Facts()), node, "`for`")

    assert check("result.tags") == (field("tags"), STRING)
    assert check("result.pair") == (field("pair"), Union((STRING, NUMBER)))
    assert check("result.prices") == (field("prices"), STRING)
    assert check("result.prices | items") == (Method(field("prices"), "items"), KeyValuePair(STRING, NUMBER))


@pytest.mark.parametrize(
    ("text", "description", "help"),
    [
        ("result.name", "a string", ""),
        ("result.master", "an object", "`| items` and `| dictsort` give its keys and values"),
        ("result.extra", "any JSON value", "{% if result.extra is mapping %}"),
    ],
)
def test_what_cannot_be_iterated_over(text: str, description: str, help: str) -> None:
    checker, node = Checker(), parse_expression(text)
    value = check_defined(checker, node, Facts())
    with pytest.raises(TemplateRefused):
        get_items(checker, value, node, "`for`")
    (problem,) = checker.problems
    assert problem.message == f"`for` needs a list, and `{text}` is {description}"
    assert help in problem.help
