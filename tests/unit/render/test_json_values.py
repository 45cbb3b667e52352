"""Expressions for JSON values."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import Array, FixedArray, Map, Ref, Type, Union
from mcpgen.render.json_values import render_json_value
from mcpgen.render.line_shapes import blank_lines, find_shape, get_indent, restore_blanks
from mcpgen.render.unions import NULL
from support.scopes import DATE, SCOPE, STRING


@pytest.mark.parametrize(
    ("type", "expression"),
    [
        (STRING, "value"),
        (DATE, "to_json_value(value)"),
        (Array(STRING), "[*value]"),
        (Array(Array(DATE)), "[[to_json_value(item1) for item1 in item] for item in value]"),
        (FixedArray((STRING, DATE)), "[value[0], to_json_value(value[1])]"),
        (Map(STRING), "{**value}"),
        (Map(DATE), "{key0: to_json_value(item) for key0, item in value.items()}"),
        (Ref("wind"), "value.to_structured_content()"),
        (Ref("tree"), "to_json_value(value)"),
        (Union((Ref("wind"), NULL)), "None if value is None else value.to_structured_content()"),
        (Union((Ref("wind"), STRING)), "value.to_structured_content() if isinstance(value, JsonObject) else value"),
        (Union((Array(STRING), NULL)), "None if value is None else [*value]"),
        (Union((DATE, Array(STRING))), "to_json_value(value)"),
    ],
)
def test_json_values(type: Type, expression: str) -> None:
    assert render_json_value(type, "value", SCOPE) == expression


# --- shapes of lines of Python ----------------------------------------------------------------------------------------
def test_statements_that_differ_in_names_and_strings_have_one_shape() -> None:
    assert find_shape(['x = f("one", two)']) == find_shape(['        long_name = g("", h)']) == 'a = a("0", a)\n'


def test_keywords_and_operators_are_part_of_the_shape() -> None:
    assert find_shape(["return x if y is None else 10"]) == "return a if a is None else 0\n"
    assert find_shape(["x=1"]) != find_shape(["x = 1"])


def test_plain_numbers_are_alike() -> None:
    assert find_shape(["x = f(1, 99, 0.25)"]) == find_shape(["y = g(0, 0, 0)"])
    assert find_shape(["x = 007"]) != find_shape(["x = 7"]) != find_shape(["x = 7."])


def test_strings_with_single_quotes_are_simple_if_black_keeps_these() -> None:
    assert find_shape(["x = 'L[\"a\"]'"]) == find_shape(['x = "L"'])
    for line in ("x = 'L'", "x = f'L[\"a\"]'", "x = 'a' \"b\" 'c'", "x = '''a\"b\"'''"):
        assert find_shape([line]) is None, line


def test_like_lines_count_once() -> None:
    assert find_shape(["x = {", '    "a": b,', '    "c": d,', "}"]) == 'a = {\n    "0": a,\n}\n'


@pytest.mark.parametrize("line", ["x = 1  # why", "x = 'a'", 'x = f"{a}"', 'x = "\\n"', 'x = r"a"', "x = 0XFF"])
def test_tokens_that_are_not_simple(line: str) -> None:
    assert (find_shape([line]) is None) == (blank_lines([line]) is None) == ("0X" not in line)


def test_blanked_text_keeps_lengths_and_can_be_restored() -> None:
    blanked = blank_lines(['    def get(self, x: "String") -> int:', "        return self.x"])
    assert blanked is not None
    assert blanked.text == '    def nnn(nnnn, n: "ssssss") -> nnn:\n        return nnnn.n'
    assert blanked.tokens == ("get", "self", "x", '"String"', "int", "self", "x")
    reformatted = blanked.text.replace("(", "(\n")
    assert restore_blanks(reformatted, blanked.tokens) == (
        '    def get(\nself, x: "String") -> int:\n        return self.x'
    )


def test_a_changed_number_of_tokens_cannot_be_restored() -> None:
    assert restore_blanks("n = n", ("x",)) is None


def test_indentation() -> None:
    assert (get_indent("    x"), get_indent("x"), get_indent("  ")) == ("    ", "", "  ")
