"""Entries of tests."""

from __future__ import annotations

import re

import jinja2
import pytest
from mcpgen.content.conditions import TESTS, check_test
from mcpgen.content.context import TemplateRefused
from mcpgen.content.type_lookup import STRING
from mcpgen.content.values import Facts
from mcpgen.ir.template import FALSE, TRUE, Compare, Constant, Expr, IsInstance, IsNone, IsSet, Method, Not, Operation
from mcpgen.ir.types import NULL
from support.template_cases import TEMPLATES
from support.templates import RESULT, Checker, condition_of, field, parse_expression, refusal_of

SAMPLES = {
    "any JSON value": "result.extra",
    "a boolean": "result.open",
    "a number": "result.wind",
    "a number or a string": "result.wind",
    "a scalar": "result.wind",
}
ARGUMENTS = {"divisor": "2", "other": "result.wind"}


@pytest.mark.parametrize("name", sorted(TESTS))
def test_a_test_takes_what_its_entry_names(name: str) -> None:
    test = TESTS[name]
    assert test.name == name
    arguments = [ARGUMENTS[parameter] for parameter in test.parameters]
    if name == "in":
        arguments = ["[1, 2.5]"]
    text = f"{SAMPLES[test.takes]} is sameas({', '.join(arguments)})"
    node = parse_expression(text)
    node.name = name  # type: ignore[attr-defined]  # operators such as `==` have no syntax here
    check_test(Checker(), node, Facts())  # type: ignore[arg-type]


def test_jinja_knows_all_of_them() -> None:
    assert set(TESTS) <= set(jinja2.Environment().tests)


@pytest.mark.parametrize("name", sorted(name for name in TESTS if name.isalpha()))
def test_each_has_a_template_that_is_compared_with_jinja(name: str) -> None:
    texts = [text for _, texts in TEMPLATES.values() for text in texts]
    pattern = rf"is (not )?{name}\b|(select|reject)(attr)?\((['\"]\w+['\"], )?['\"]{name}['\"]"
    uses = [text for text in texts if re.search(pattern, text)]
    assert uses, f"add a template with the test {name} to tests/support/template_cases.py"


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("result.rank is defined", IsSet(RESULT, "rank")),
        ("result.name is defined", TRUE),
        ("result.name is undefined", FALSE),
        ("result.note is none", IsNone(field("note"))),
        ("result.note is string", Not(IsNone(field("note")))),
        ("result.extra is mapping", IsInstance(field("extra"), ("dict",))),
        ("result.open is true", Compare(field("open"), (("==", Constant(True)),))),
        ("result.name is lower", Method(field("name"), "islower")),
        ("result.count is odd", Compare(Operation("%", field("count"), Constant(2)), (("==", Constant(1)),))),
        ("result.count is divisibleby 3", Compare(Operation("%", field("count"), Constant(3)), (("==", Constant(0)),))),
        ("result.count is gt 3", Compare(field("count"), ((">", Constant(3)),))),
    ],
)
def test_python_condition(text: str, test: Expr) -> None:
    assert condition_of(text).expr == test


def test_a_test_of_the_kind_narrows() -> None:
    condition = condition_of("result.note is string")
    assert (condition.yes.types[field("note")], condition.no.types[field("note")]) == (STRING, NULL)
    assert field("gusts") in condition_of("result.gusts is undefined").no.present


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.name is callable", "the test `callable` cannot be compiled"),
        ("result.count is divisibleby", "the test `divisibleby` with these arguments cannot be compiled"),
        ("result.name is true", "`is true` needs a boolean, and this is a string"),
        ("result.wind is integer", "`is integer` of a number cannot be compiled"),
        ("range(2) is iterable", "`is iterable` of a generator"),
    ],
)
def test_tests_that_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_an_unknown_test_lists_the_others() -> None:
    checker = Checker()
    with pytest.raises(TemplateRefused):
        check_test(checker, parse_expression("result.name is callable"), Facts())  # type: ignore[arg-type]
    assert checker.problems[0].help.startswith("there is boolean, defined, divisibleby,")
