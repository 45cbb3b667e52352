"""Drawing of numbers and strings."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import re
import uuid
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from mcpgen.samples.context import (
    LONGEST_STRING,
    Bound,
    DrawStyle,
    Unsatisfiable,
    intersect_number_bounds,
    intersect_sizes,
)
from mcpgen.samples.mutator import collect_vocabulary
from mcpgen.samples.patterns import LONGEST_PATTERN, draw_matching
from mcpgen.samples.scalars import (
    ODD_CHARACTERS,
    draw_base64,
    draw_format,
    draw_number,
    draw_string,
    draw_text,
    spell_out_name,
)
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import DRAFT_2020_12
from support.draws import make_context


# --- bounds that hold for several schemas -----------------------------------------------------------------------------
def locate(*schemas: Any) -> list[SchemaLocation]:
    return [SchemaLocation(f"/{index}", (), schema) for index, schema in enumerate(schemas)]


def test_sizes() -> None:
    locations = locate({"minItems": 1, "maxItems": 9}, {"minItems": 3}, {"maxItems": 5.0})
    assert intersect_sizes(locations, "minItems", "maxItems") == (3, 5)
    assert intersect_sizes(locate({}), "minItems", "maxItems") == (0, None)


def test_the_tightest_bound_counts_and_exclusive_ones_are_tighter() -> None:
    locations = locate(
        {"minimum": 1, "exclusiveMaximum": 8}, {"exclusiveMinimum": 1, "maximum": 8}, {"minimum": 0, "maximum": 9}
    )
    assert intersect_number_bounds(locations) == (Bound(Fraction(1), True), Bound(Fraction(8), True))


def test_bounds_are_exact_decimals() -> None:
    assert intersect_number_bounds(locate({"minimum": 0.1})) == (Bound(Fraction(1, 10), False), None)


# --- drawing of numbers -----------------------------------------------------------------------------------------------
def draw(schema: Any, is_integer: bool, seed: int = 0, style: DrawStyle = DrawStyle.VARIED) -> int | float:
    context = make_context(schema, seed, style)
    return draw_number(context, [context.document.root], is_integer)


def test_integers_are_within_exclusive_bounds() -> None:
    assert {draw({"exclusiveMinimum": 3, "exclusiveMaximum": 6}, True, seed) for seed in range(40)} == {4, 5}


def test_multiples_of_several_steps() -> None:
    schema = {"multipleOf": 4, "minimum": 1, "maximum": 13}
    assert {draw(schema, True, seed) for seed in range(40)} == {4, 8, 12}
    assert all(draw({"multipleOf": 0.25}, True, seed) % 1 == 0 for seed in range(20))


def test_real_numbers_are_between_close_bounds() -> None:
    for seed in range(40):
        assert 0.25 <= draw({"minimum": 0.25, "exclusiveMaximum": 0.5}, False, seed) < 0.5


def test_the_first_choice_is_one_or_the_nearest_number() -> None:
    assert draw({}, True, style=DrawStyle.FIRST) == 1
    assert draw({"minimum": 5}, True, style=DrawStyle.FIRST) == 5
    assert draw({"minimum": -9, "maximum": -2}, True, style=DrawStyle.FIRST) == -2


def test_contradicting_bounds_are_unsatisfiable() -> None:
    with pytest.raises(Unsatisfiable):
        draw({"minimum": 4, "maximum": 3}, True)


# --- drawing of strings -----------------------------------------------------------------------------------------------
def draw_string_of(schema: Any, seed: int = 0, style: DrawStyle = DrawStyle.VARIED, name: str = "") -> str:
    context = make_context(schema, seed, style)
    return draw_string(context, [context.document.root], name)


@pytest.mark.parametrize("seed", range(10))
def test_patterns_and_lengths_are_followed(seed: int) -> None:
    assert re.fullmatch("[a-f]{12}", draw_string_of({"pattern": "^[a-f]+$", "minLength": 12, "maxLength": 12}, seed))


def test_formats_and_encodings_are_followed() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", draw_string_of({"format": "date"}, style=DrawStyle.PLAIN))
    base64.b64decode(draw_string_of({"contentEncoding": "base64"}, style=DrawStyle.PLAIN), validate=True)


def test_plain_text_is_the_name_of_the_property() -> None:
    assert draw_string_of({}, style=DrawStyle.PLAIN, name="maxResults") == "max results"
    assert draw_string_of({"minLength": 7}, style=DrawStyle.PLAIN, name="city") == "citycit"
    assert draw_string_of({"maxLength": 2}, style=DrawStyle.PLAIN, name="city") == "ci"


def test_impossible_lengths_are_unsatisfiable() -> None:
    for schema in ({"minLength": 3, "maxLength": 2}, {"minLength": 10**9}):
        with pytest.raises(Unsatisfiable):
            draw_string_of(schema)


# --- text without a pattern or format ---------------------------------------------------------------------------------
def test_lengths_are_within_the_bounds() -> None:
    assert {len(draw_text(Random(seed), 2, 4)) for seed in range(60)} == {2, 3, 4}
    assert len(draw_text(Random(0), 10**9, None)) <= LONGEST_STRING + 6


def test_odd_characters_occur() -> None:
    assert any(set(ODD_CHARACTERS) & set(draw_text(Random(seed), 5, 9)) for seed in range(20))


def test_base64_is_canonical() -> None:
    for seed in range(20):
        text = draw_base64(Random(seed))
        assert base64.b64encode(base64.b64decode(text, validate=True)).decode() == text


def test_names_are_spelt_out() -> None:
    names = ("maxResults", "max_results", "URL", "x-y", "")
    assert [spell_out_name(name) for name in names] == ["max results", "max results", "URL", "x y", "text"]


# --- text that matches regular expressions ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(" * 3000, "[[:alpha:]]", "(?<n>a)\\k<n>", "a{1,99999999999}", "\\p{L}+"]
)
def test_patterns_are_parsed_and_never_run(pattern: str) -> None:
    matching = draw_matching(pattern, Random(0))
    assert matching is None or len(str(matching)) <= LONGEST_STRING


@pytest.mark.parametrize(
    "pattern", [r"^a[b-d]{2,4}e?$", r"^(x|yz)+\1$", r"^[^abc]\d\s\w\D$", r"^(?:ab){3}.*$", r"^[\w.]+@[a-z]+$"]
)
def test_text_matches(pattern: str) -> None:
    for seed in range(10):
        assert re.search(pattern, str(draw_matching(pattern, Random(seed)))), seed


def test_repetitions_are_continued_up_to_a_length() -> None:
    assert len(str(draw_matching("^a*$", Random(0), 50))) == 50
    assert len(str(draw_matching("^a*$", Random(0)))) <= 3


def test_syntax_of_ecma_262() -> None:
    assert draw_matching(r"^\u{1F600}$", Random(0)) == "\U0001f600"
    assert str(draw_matching(r"^\p{Lu}$", Random(0))).isupper()


def test_long_and_broken_patterns_are_not_read() -> None:
    assert draw_matching("a" * (LONGEST_PATTERN + 1), Random(0)) is None
    assert draw_matching("(", Random(0)) is None


# --- strings of formats -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(5))
def test_formats_can_be_read(seed: int) -> None:
    draws = {name: draw_format(name, Random(seed)) for name in ("date", "date-time", "ipv4", "ipv6", "uuid")}
    assert all(draws.values())
    datetime.date.fromisoformat(str(draws["date"]))
    datetime.datetime.fromisoformat(str(draws["date-time"]))
    ipaddress.IPv4Address(draws["ipv4"])
    ipaddress.IPv6Address(draws["ipv6"])
    assert uuid.UUID(draws["uuid"]).version == 4


def test_aliases_and_unknown_formats() -> None:
    assert "@" in str(draw_format("idn-email", Random(0)))
    assert draw_format("unheard-of", Random(0)) is None


# --- the vocabulary of a schema ---------------------------------------------------------------------------------------
def test_numbers_constants_and_names_of_all_subschemas() -> None:
    schema: Any = {
        "minProperties": 2,
        "properties": {"a": {"minimum": 0.5, "enum": ["x", 1]}},
        "items": {"const": {"maximum": 9}},
        "uniqueItems": True,
        "dependentSchemas": {"b": {}},
    }
    vocabulary = collect_vocabulary(schema, DRAFT_2020_12)
    assert sorted(vocabulary.numbers) == [0.5, 2]
    assert sorted(map(str, vocabulary.constants)) == ["1", "x", "{'maximum': 9}"]
    assert {"a", "b", "class"} <= set(vocabulary.names)
