"""Filters of templates."""

from __future__ import annotations

import inspect
import re

import jinja2
import pytest
from jinja2 import nodes
from mcpgen.content.context import TemplateRefused
from mcpgen.content.filters import FILTERS, SEQUENCE_FILTERS, TEXT_FILTERS, VALUE_FILTERS, check_filter
from mcpgen.content.type_lookup import INTEGER, NUMBER, STRING
from mcpgen.content.values import Facts
from mcpgen.ir.template import (
    Attribute,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Constant,
    Expr,
    IsNone,
    KeyValuePair,
    Lambda,
    ListLiteral,
    Local,
    Logic,
    Markup,
    Method,
    Not,
    Stream,
    Subscript,
    TemplateType,
    ToJson,
    ToString,
)
from mcpgen.ir.types import ANY, Array, Choice, Ref, Type, Union
from support.template_cases import TEMPLATES
from support.templates import TYPES, Checker, condition_of, field, parse_expression, refusal_of, value_of

# --- entries of filters -----------------------------------------------------------------------------------------------
SAMPLES = {
    "a scalar": "result.wind",
    "a string": "result.name",
    "a literal string": "'%d and %s'",
    "any JSON value": "result.extra",
    "a number": "result.wind",
    "a list": "result.crew",
    "a list of scalars": "result.tags",
    "a list of numbers": "result.levels",
    "an object": "result.prices",
    "an absent value": "result.gusts",
}
ARGUMENTS = {
    "datetime": "'%d'",
    "default": "0",
    "d": "0",
    "format": "result.count, result.name",
    "map": "attribute='name'",
    "rejectattr": "'phone'",
    "replace": "'a', 'b'",
    "selectattr": "'phone'",
    "join": "attribute='name'",
}
GIVES = {"an item": {"a string", "an object"}, "either value": {"an integer or a number"}, "a number": {"a number"}}


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_a_filter_takes_and_gives_what_its_entry_names(name: str) -> None:
    entry = FILTERS[name]
    assert entry.name == name
    value = value_of(f"{SAMPLES[entry.takes]} | {name}({ARGUMENTS.get(name, '')})")
    assert TYPES.describe_type(value.type) in GIVES.get(entry.gives, {entry.gives})


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_each_has_a_template_that_is_compared_with_jinja(name: str) -> None:
    texts = [text for _, texts in TEMPLATES.values() for text in texts]
    uses = [text for text in texts if re.search(rf"\| {name}\b", text)]
    assert uses, f"add a template with the filter {name} to tests/support/template_cases.py"


def test_jinja_knows_all_of_them_but_one() -> None:
    assert set(FILTERS) - set(jinja2.Environment().filters) == {"datetime"}


@pytest.mark.parametrize("name", sorted(set(FILTERS) - {"datetime"}))
def test_parameters_are_those_of_jinja_in_order(name: str) -> None:
    if FILTERS[name].parameters is not None:
        names = list(inspect.signature(jinja2.Environment().filters[name]).parameters)
        names = [name for name in names if name not in ("context", "env", "environment", "eval_ctx")]
        assert FILTERS[name].parameters == tuple(names[1:])  # the first is the value


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("result.name | uper", "did you mean `upper`?"),
        ("result.name | xyzzy", f"there is {', '.join(sorted(FILTERS))}"),
    ],
)
def test_unknown_filters(text: str, help: str) -> None:
    checker, node = Checker(), parse_expression(text)
    assert isinstance(node, nodes.Filter)
    with pytest.raises(TemplateRefused):
        check_filter(checker, node, Facts())
    assert checker.problems[0].help == help


# --- filters that make text -------------------------------------------------------------------------------------------
NAME = field("name")
COUNT_JSON = ToJson(field("count"), INTEGER)


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        ("result.name | upper", Method(NAME, "upper")),
        ("result.count | lower", Method(ToString(field("count"), INTEGER), "lower")),
        ("result.name | title", Call("titled", (NAME,))),
        ("result.name | wordcount", Call("word_count", (NAME,))),
        ("result.name | trim", Method(NAME, "strip")),
        ("result.name | trim('x')", Method(NAME, "strip", (Constant("x"),))),
        ("result.name | replace('a', 'b', 2)", Method(NAME, "replace", (Constant("a"), Constant("b"), Constant(2)))),
        (
            "'%.1f of %s%%' | format(result.wind, result.name)",
            Call("%", (Constant("%.1f of %s%%"), field("wind"), NAME)),
        ),
        ("'%s' | format(result.wind)", Call("%", (Constant("%s"), ToString(field("wind"), NUMBER)))),
        ("result.name | datetime('%-d.%m.')", Call("date_text", (NAME, Constant("%-d.%m.")))),
        (
            "result.name | truncate(9, end='…')",
            Call(
                "truncated",
                (NAME,),
                (("length", Constant(9)), ("cut", Constant(False)), ("end", Constant("…")), ("leeway", Constant(5))),
            ),
        ),
        (
            "result.count | tojson(2)",
            Call("to_html_json", (ToJson(field("count"), INTEGER),), (("indent", Constant(2)),)),
        ),
    ],
)
def test_python_expression(text: str, expr: Expr) -> None:
    assert value_of(text).expr == expr


def test_json_is_markup() -> None:
    assert value_of("result.crew | tojson").type == Markup()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.tags | upper", "`upper` needs text, and this is a list"),
        ("result.name | replace('a')", "`replace` without `new` cannot be compiled"),
        ("result.count | truncate", "`truncate` needs a string, and this is an integer"),
        ("result.name | truncate(2)", "`truncate` to 2 characters, with 3 for the end"),
        ("result.name | format(1)", "`format` of anything but a string written out cannot be compiled"),
        ("'%d' | format", "the format asks for 1 values, and 0 are given"),
        ("'50%' | format", "the format has a `%` that starts no directive"),
        ("'%x' | format(result.wind)", "`%x` needs integers, and this is a number"),
        ("'%c' | format(result.count)", "the directive `%c` cannot be compiled"),
        ("'%(a)s' | format(a=1)", "the filter `format` with named values cannot be compiled"),
        ("result.name | datetime", "`datetime` without a format cannot be compiled"),
        ("result.name | datetime('%Q')", "`%Q` in a date format cannot be compiled"),
        ("result.name | datetime('%-Y')", "`%-Y` in a date format cannot be compiled"),
        ("result.count | datetime('%d')", "`datetime` needs a string, and this is an integer"),
        ("result.stamp | datetime('%d')", "`datetime` needs a date or a time"),
        ("range(2) | tojson", "`tojson` of a generator"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_entries_are_in_alphabetical_order() -> None:
    names = [entry.name for entry in TEXT_FILTERS]
    assert names == sorted(set(names))


# --- filters of numbers and of any value ------------------------------------------------------------------------------
GUSTS = field("gusts")
TAGS = field("tags")


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("result.count | abs", Call("abs", (field("count"),)), INTEGER),
        ("result.wind | round(1)", Call("round", (field("wind"), Constant(1))), NUMBER),
        ("result.count | round(0, 'ceil')", Call("rounded", (field("count"), Constant(0), Constant("ceil"))), NUMBER),
        ("result.name | int(7)", Call("to_int", (field("name"),), (("default", Constant(7)),)), INTEGER),
        ("result.name | int(base=16)", Call("to_int", (field("name"),), (("base", Constant(16)),)), INTEGER),
        ("result.name | float", Call("to_float", (field("name"),)), NUMBER),
        ("result.tags | length", Call("len", (TAGS,)), INTEGER),
        ("result.master | count", Call("len", (Call("members", (field("master"),)),)), INTEGER),
        ("result.name | default('x')", field("name"), STRING),
        (
            "result.gusts | default(0)",
            Conditional(Not(IsNone(GUSTS)), GUSTS, Constant(0)),
            Union((Choice((0,)), NUMBER)),
        ),
        (
            "result.prices.a | default(0)",
            Method(field("prices"), "get", (Constant("a"), Constant(0))),
            Union((Choice((0,)), NUMBER)),
        ),
        ("result.name | d('x', true)", Logic("or", (field("name"), Constant("x"))), STRING),
    ],
)
def test_python_expression_of_a_value_filter(text: str, expr: Expr, type: Type) -> None:
    value = value_of(text)
    assert (value.expr, value.type, value.absent) == (expr, type, None)


def test_the_first_item_with_a_default() -> None:
    first = value_of("result.tags | list | first | default('-')")
    assert first.expr == Call("next", (Call("iter", (Call("list", (TAGS,)),)), Constant("-")))
    smallest = value_of("result.tags | min | default('-')")
    assert isinstance(smallest.expr, Call)
    assert dict(smallest.expr.keywords)["default"] == Constant("-")


def test_the_length_of_a_native_string_is_that_of_its_text() -> None:
    value = value_of("result.stamp | length")
    assert isinstance(value.expr, Call)
    assert isinstance(value.expr.arguments[0], ToJson)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.name | abs", "`abs` needs numbers, and `result.name` is a string"),
        ("result.wind | round(1, 'up')", '`round` knows "common", "ceil" and "floor"'),
        ("result.tags | int", "`int` needs text, and this is a list"),
        ("result.count | length", "`length` of an integer"),
        ("range(2) | length", "`length` of a generator"),
        ("result.prices.a | default([])", None),
        ("result.tags[0] | default([])", "`default([])` here cannot be compiled"),
    ],
)
def test_value_filters_that_are_refused(text: str, message: str | None) -> None:
    if message is None:
        assert value_of(text).expr == Method(field("prices"), "get", (Constant("a"), ListLiteral(())))
    else:
        assert refusal_of(text) == message


def test_value_filters_are_in_alphabetical_order() -> None:
    names = [entry.name for entry in VALUE_FILTERS]
    assert names == sorted(set(names))
    assert value_of("result.tags | default([])").type == Array(STRING)


# --- filters of lists and objects -------------------------------------------------------------------------------------
LEVELS = field("levels")
CREW = field("crew")
PRICES = field("prices")
ITEM = Local("item")
SEQUENCE_NAME = Attribute(ITEM, "name")
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
        ("result.crew | map(attribute='name')", Comprehension("item", CREW, SEQUENCE_NAME), Stream(STRING)),
        ("result.tags | map('upper')", Comprehension("item", TAGS, Method(ITEM, "upper")), Stream(STRING)),
        (
            "result.crew | selectattr('name', 'eq', 'a')",
            Comprehension("item", CREW, ITEM, Compare(SEQUENCE_NAME, (("==", Constant("a")),))),
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
def test_python_expression_of_a_sequence_filter(text: str, expr: Expr, type: TemplateType) -> None:
    value = value_of(text)
    assert (value.expr, value.type, value.absent) == (expr, type, None)


def test_several_keys_order_the_items() -> None:
    value = value_of("result.crew | sort(attribute='name,name')")
    key = Lambda("item", ListLiteral((Method(SEQUENCE_NAME, "lower"), Method(SEQUENCE_NAME, "lower"))))
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
def test_sequence_filters_that_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_sequence_filters_are_in_alphabetical_order() -> None:
    names = [entry.name for entry in SEQUENCE_FILTERS]
    assert names == sorted(set(names))


def test_a_list_of_selected_items_is_a_condition() -> None:
    assert condition_of("result.tags | list").expr == Call("list", (TAGS,))
