"""Names, `loop` and properties."""

from __future__ import annotations

import pytest
from jinja2 import nodes
from mcpgen.content.attributes import check_loop_member, check_member, check_name
from mcpgen.content.problems import TemplateRefused
from mcpgen.content.scope import LoopState, TemplateVariable
from mcpgen.content.value_types import INTEGER, NULL, NUMBER, STRING
from mcpgen.content.values import Value
from mcpgen.ir.template import (
    Call,
    Compare,
    Constant,
    Expr,
    IsInstance,
    IsNone,
    IsSet,
    Local,
    Not,
    Operation,
    Subscript,
)
from mcpgen.ir.types import ANY, Ref, Type, Union
from support.templates import RESULT, Checker, field, parse_expression, refusal_of, value_of

INDEX, TAGS = Local("index"), field("tags")
LENGTH = Call("len", (TAGS,))


def test_a_variable_is_its_value() -> None:
    checker = Checker()
    assert check_name(checker, nodes.Name("result", "load")) == Value(RESULT, Ref("Harbour"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("resutl", "there is no `resutl` in the result"),
        ("partial", "`partial` is not set in every branch"),
        ("wrong", None),
    ],
)
def test_variables_without_a_value(name: str, message: str | None) -> None:
    checker = Checker()
    checker.scope.define("partial", TemplateVariable(Value(RESULT, STRING), True))
    checker.scope.define("wrong", TemplateVariable(None))  # its problem is recorded already
    with pytest.raises(TemplateRefused):
        check_name(checker, nodes.Name(name, "load", lineno=1))
    assert checker.messages == ([] if message is None else [message])


def test_a_similar_name_is_suggested() -> None:
    checker = Checker()
    with pytest.raises(TemplateRefused):
        check_name(checker, nodes.Name("reslt", "load", lineno=1))
    assert checker.log.problems[0].help == "did you mean `result`?"


@pytest.mark.parametrize(
    ("name", "expr"),
    [
        ("index", Operation("+", INDEX, Constant(1))),
        ("index0", INDEX),
        ("first", Compare(INDEX, (("==", Constant(0)),))),
        ("last", Compare(INDEX, (("==", Operation("-", LENGTH, Constant(1))),))),
        ("length", LENGTH),
        ("revindex", Operation("-", LENGTH, INDEX)),
        ("revindex0", Operation("-", Operation("-", LENGTH, Constant(1)), INDEX)),
    ],
)
def test_members_of_loop(name: str, expr: Expr) -> None:
    checker, node = Checker(), nodes.Getattr(nodes.Name("loop", "load"), name, "load")
    with checker.scope.enter_loop({}):
        checker.scope.start_body(LoopState(INDEX, TAGS))
        assert check_loop_member(checker, node, name).expr == expr


@pytest.mark.parametrize(
    ("text", "expr", "type", "present"),
    [
        ("result.name", field("name"), STRING, None),
        ("result.note", field("note"), Union((STRING, NULL)), None),
        ("result.gusts", field("gusts"), NUMBER, Not(IsNone(field("gusts")))),
        ("result.rank", field("rank"), Union((STRING, NULL)), IsSet(RESULT, "rank")),
        (
            "result.prices.a",
            Subscript(field("prices"), Constant("a")),
            NUMBER,
            Compare(Constant("a"), (("in", field("prices")),)),
        ),
        (
            "result.extra.a",
            Call("json_item", (field("extra"), Constant("a"))),
            ANY,
            Call("has_item", (field("extra"), Constant("a"))),
        ),
    ],
)
def test_properties(text: str, expr: Expr, type: Type, present: Expr | None) -> None:
    value = value_of(text)
    assert (value.expr, value.type) == (expr, type)
    assert (None if value.absent is None else value.absent.present) == present


def test_a_property_of_a_nullable_object() -> None:
    value = value_of("result.deputy.name")
    assert value.absent is not None
    assert value.absent.present == Not(IsNone(field("deputy")))
    assert value.absent.narrowed == ((field("deputy"), Ref("Master")),)
    assert value.absent.why == "`result.deputy` may be null, so `result.deputy.name` may be absent"


def test_a_property_of_some_members_of_a_union() -> None:
    value = value_of("result.event.berth")
    assert value.type == INTEGER
    assert value.absent is not None
    assert value.absent.present == IsInstance(field("event"), (Ref("Arrival"),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.master.nam", "there is no `nam` in `result.master`"),
        ("result.name.upper", "`result.name` is a string and has no `upper`"),
        ("result.prices.items", "`.items`, which is a method in Python, cannot be compiled"),
        ("range(3).x", "a generator has no properties"),
        ("loop.index", "there is no `loop` outside of a loop"),
    ],
)
def test_properties_that_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_members_are_found_by_their_wire_names() -> None:
    checker, result = Checker(), Value(RESULT, Ref("Harbour"))
    assert check_member(checker, result, "name", parse_expression("result['name']")).expr == field("name")
