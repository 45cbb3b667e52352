"""Arguments and values of one use of a filter."""

from __future__ import annotations

import pytest
from jinja2 import nodes
from mcpgen.content.filter_call import ATTRIBUTE, FilterCall
from mcpgen.content.narrowing import Facts
from mcpgen.content.problems import TemplateRefused
from mcpgen.content.value_types import NUMBER, STRING
from mcpgen.ir.template import Local, ToString
from mcpgen.ir.types import ANY, Array, Map, Ref, Type
from support.templates import Checker, field, parse_expression


def make_call(text: str, *parameters: str) -> tuple[FilterCall, Checker]:
    node, checker = parse_expression(text), Checker()
    assert isinstance(node, nodes.Filter)
    assert node.node is not None
    return FilterCall(checker, node, node.node, Facts(), parameters), checker


def test_arguments_by_position_and_by_name() -> None:
    call, _ = make_call("result.name | f(1, c=-2.5, d='x')", "a", "b", "c", "d")
    assert call.get_literal("a", 0, int) == 1
    assert call.get_literal("b", 7, int) == 7
    assert call.get_literal("c", 0, int, float) == -2.5
    assert call.get_argument("b") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.name | f(1, 2, 3)", "the filter `f` with these arguments cannot be compiled"),
        ("result.name | f(*result.tags)", "the filter `f` with these arguments cannot be compiled"),
        ("result.name | f(c=1)", "the argument `c` of `f` cannot be compiled"),
        ("result.name | f(1, a=1)", "the argument `a` of `f` cannot be compiled"),
    ],
)
def test_arguments_that_are_refused(text: str, message: str) -> None:
    node, checker = parse_expression(text), Checker()
    assert isinstance(node, nodes.Filter)
    assert node.node is not None
    with pytest.raises(TemplateRefused):
        FilterCall(checker, node, node.node, Facts(), ("a", "b"))
    assert checker.messages == [message]


def test_a_literal_has_one_of_the_types() -> None:
    call, checker = make_call("result.name | f(true)", "a")
    with pytest.raises(TemplateRefused):
        call.get_literal("a", 0, int, float)  # in Python, True is an int
    assert checker.messages == ["`a` of `f` that is not an integer or a number written out cannot be compiled"]


def test_scalars_and_their_text() -> None:
    call, _ = make_call("result.wind | f")
    assert call.check_scalar()[1] == NUMBER
    assert call.check_scalar_text() == ToString(field("wind"), NUMBER)
    call, checker = make_call("result.tags | f")
    with pytest.raises(TemplateRefused):
        call.check_scalar()
    assert checker.messages == ["`f` needs text, and this is a list"]


def test_items() -> None:
    call, _ = make_call("result.crew | f")
    assert call.check_items() == (field("crew"), Ref("Master"), Array(Ref("Master")))
    item: Type = call.check_items(as_json=True)[1]
    assert item == Map(ANY)


def test_pairs_are_left_to_loops() -> None:
    call, checker = make_call("result.prices | items | f")
    with pytest.raises(TemplateRefused):
        call.check_items()
    assert checker.messages == ["`f` of pairs of keys and values"]


def test_a_property_of_an_item() -> None:
    call, checker = make_call("result.crew | f('name')", ATTRIBUTE)
    with call.bind_item(Ref("Master")) as (local, name):
        assert local == Local("item")
        value = checker.check_value(call.make_attribute_node(name), Facts())
        assert value.type == STRING
        assert call.make_member_node(name, None) is name
    assert "\0item" not in checker.scope.variables


def test_numbers_in_a_path_are_indices() -> None:
    call, _ = make_call("result.crew | f")
    node = call.make_member_node(nodes.Name("x", "load"), "a.0")
    assert isinstance(node, nodes.Getitem)
    assert isinstance(node.arg, nodes.Const)
    assert node.arg.value == 0
