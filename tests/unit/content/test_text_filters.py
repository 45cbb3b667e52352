"""Filters that make text."""

from __future__ import annotations

import pytest
from mcpgen.content.text_filters import TEXT_FILTERS
from mcpgen.content.value_types import INTEGER, NUMBER
from mcpgen.ir.template import Call, Constant, Expr, Markup, Method, ToJson, ToString
from support.templates import field, refusal_of, value_of

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
                (
                    ("length", Constant(9)),
                    ("cut", Constant(False)),
                    ("end", Constant("…")),
                    ("leeway", Constant(5)),
                ),
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
