"""Filters of lists and objects."""

from __future__ import annotations

import pytest
from mcpgen.content.sequence_filters import SEQUENCE_FILTERS
from mcpgen.content.value_types import INTEGER, NUMBER, STRING
from mcpgen.ir.template import (
    Attribute,
    Call,
    Compare,
    Comprehension,
    Constant,
    Expr,
    IsNone,
    KeyValuePair,
    Lambda,
    ListLiteral,
    Local,
    Method,
    Not,
    Stream,
    Subscript,
    TemplateType,
    ToString,
)
from mcpgen.ir.types import ANY, Array, Ref
from support.templates import condition_of, field, refusal_of, value_of

TAGS, LEVELS, CREW, PRICES = field("tags"), field("levels"), field("crew"), field("prices")
ITEM = Local("item")
NAME = Attribute(ITEM, "name")
LOWER = Lambda("item", Method(ITEM, "lower"))


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("result.tags | join(', ')", Method(Constant(", "), "join", (TAGS,)), STRING),
        (
            "result.levels | join",
            Method(Constant(""), "join", (Comprehension("item", LEVELS, ToString(ITEM, NUMBER)),)),
            STRING,
        ),
        ("result.levels | sum", Call("sum", (LEVELS,)), NUMBER),
        ("[1, 2] | sum(start=3)", Call("sum", (ListLiteral((Constant(1), Constant(2))), Constant(3))), INTEGER),
        ("result.levels | first", Subscript(LEVELS, Constant(0)), NUMBER),
        ("result.levels | max", Call("max", (LEVELS,)), NUMBER),
        (
            "result.tags | sort",
            Call("sorted", (TAGS,), (("key", Lambda("item", Method(ITEM, "lower"))),)),
            Array(STRING),
        ),
        ("result.tags | sort(case_sensitive=true)", Call("sorted", (TAGS,)), Array(STRING)),
        (
            "result.levels | sort(reverse=true)",
            Call("sorted", (LEVELS,), (("reverse", Constant(True)),)),
            Array(NUMBER, (("min_length", 1),)),
        ),
        ("result.levels | unique", Call("unique", (LEVELS,)), Stream(NUMBER)),
        ("result.tags | reverse", Call("reversed", (TAGS,)), Stream(STRING)),
        ("result.name | reverse", Call("reversed_text", (field("name"),)), STRING),
        ("result.crew | map(attribute='name')", Comprehension("item", CREW, NAME), Stream(STRING)),
        ("result.tags | map('upper')", Comprehension("item", TAGS, Method(ITEM, "upper")), Stream(STRING)),
        (
            "result.crew | selectattr('name', 'eq', 'a')",
            Comprehension("item", CREW, ITEM, Compare(NAME, (("==", Constant("a")),))),
            Stream(Ref("Master")),
        ),
        (
            "result.levels | reject('gt', 2)",
            Comprehension("item", LEVELS, ITEM, Not(Compare(ITEM, ((">", Constant(2)),)))),
            Stream(NUMBER),
        ),
        ("result.prices | items", Method(PRICES, "items"), Stream(KeyValuePair(STRING, NUMBER))),
        (
            "result.master | items",
            Method(Call("members", (field("master"),)), "items"),
            Stream(KeyValuePair(STRING, ANY)),
        ),
        (
            "result.prices | dictsort(by='value')",
            Call("sorted", (Method(PRICES, "items"),), (("key", Lambda("item", Subscript(ITEM, Constant(1)))),)),
            Stream(KeyValuePair(STRING, NUMBER)),
        ),
    ],
)
def test_python_expression(text: str, expr: Expr, type: TemplateType) -> None:
    value = value_of(text)
    assert (value.expr, value.type, value.absent) == (expr, type, None)


def test_several_keys_order_the_items() -> None:
    value = value_of("result.crew | sort(attribute='name,name')")
    key = Lambda("item", ListLiteral((Method(NAME, "lower"), Method(NAME, "lower"))))
    assert value.expr == Call("sorted", (CREW,), (("key", key),))


def test_the_largest_of_no_items_is_absent() -> None:
    value = value_of("result.tags | max")
    assert value.absent is not None
    assert value.absent.present == TAGS
    assert value_of("result.levels | max").absent is None


def test_selected_items_have_a_narrowed_type() -> None:
    value = value_of("[result.note, result.name] | select('string')")
    assert isinstance(value.expr, Comprehension)
    assert value.expr.test == Not(IsNone(ITEM))
    assert value.type == Stream(STRING)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.crew | sort", "`sort` needs strings or numbers, and this has an object"),
        ("result.crew | sum", "`sum` needs numbers, and this is an object"),
        ("range(3) | last", "`last` of a generator"),
        ("range(3) | reverse", "`reverse` of a generator"),
        ("result.tags | map", "`map` without an attribute or a filter cannot be compiled"),
        ("result.tags | map(result.name)", "`map` by anything but the name of a filter cannot be compiled"),
        ("result.crew | map(attribute='a.b', default=1)", "`default` with a path of several names cannot be compiled"),
        ("result.crew | selectattr", "the filter `selectattr` with these arguments cannot be compiled"),
        ("result.crew | selectattr(result.name)", "an attribute that is not written out cannot be compiled"),
        ("result.tags | select(result.name)", "a test that is not written out cannot be compiled"),
        ("result.tags | items", "`items` needs an object, and this is a list"),
        ("result.prices | dictsort(by='x')", '`dictsort` sorts by "key" or "value"'),
        ("result.master | dictsort(by='value')", "`dictsort` by values that are any JSON value"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_entries_are_in_alphabetical_order() -> None:
    names = [entry.name for entry in SEQUENCE_FILTERS]
    assert names == sorted(set(names))


def test_a_list_of_selected_items_is_a_condition() -> None:
    assert condition_of("result.tags | list").expr == Call("list", (TAGS,))
