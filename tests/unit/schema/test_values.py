"""JSON values and JSON pointers."""

from __future__ import annotations

import hashlib

import pytest
from mcpgen.schema.values import (
    Json,
    are_equal,
    canonicalize,
    find_property,
    follow_pointer,
    format_pointer,
    get_json_type,
    hash_json,
    make_identity_key,
    make_identity_keys,
    parse_array_index,
    parse_pointer,
)


@pytest.mark.parametrize(
    ("tokens", "pointer"),
    [([], ""), ([""], "/"), (["a", "0"], "/a/0"), (["a/b", "m~n"], "/a~1b/m~0n"), (["~1"], "/~01")],
)
def test_pointers_are_written_and_read(tokens: list[str], pointer: str) -> None:
    assert format_pointer(*tokens) == pointer
    assert parse_pointer(pointer) == tokens


@pytest.mark.parametrize(
    ("pointer", "name"),
    [
        ("", None),
        ("/items/anyOf/0", None),
        ("/properties", None),
        ("/properties/a", "a"),
        ("/properties/a~1b/items", "a/b"),
        ("/$defs/A/properties/a/properties/b/type", "b"),
    ],
)
def test_the_innermost_property_of_a_pointer(pointer: str, name: str | None) -> None:
    assert find_property(pointer) == name


def test_an_index_may_be_a_number() -> None:
    assert format_pointer("items", 3) == "/items/3"


@pytest.mark.parametrize(
    ("token", "index"), [("0", 0), ("12", 12), ("01", None), ("-1", None), ("", None), ("a", None)]
)
def test_array_indices_have_no_leading_zeros(token: str, index: int | None) -> None:
    assert parse_array_index(token) == index


def test_pointers_are_followed() -> None:
    value: Json = {"a": [{"": 1}], "0": 2}
    assert follow_pointer(value, []) is value
    assert follow_pointer(value, ["a", "0", ""]) == 1
    assert follow_pointer(value, ["0"]) == 2
    for path in (["b"], ["a", "1"], ["a", "00"], ["0", "x"]):
        with pytest.raises(KeyError):
            follow_pointer(value, path)


def test_canonical_texts_are_equal_for_equal_values() -> None:
    assert canonicalize({"b": 1.0, "a": [True, "é"]}) == '{"a":[true,"\\u00e9"],"b":1}'
    assert hash_json([1.0]) == hashlib.sha256(b"[1]").hexdigest()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        ("", "string"),
        (1, "integer"),
        (1.0, "integer"),
        (1.5, "number"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_each_value_has_a_type(value: Json, kind: str) -> None:
    assert get_json_type(value) == kind


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1, {"a": 2}], [1.0, {"a": 2.0}], True),
        ([1], [1, 1], False),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"b": 1}, False),
        (None, None, True),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ([], {}, False),
        ("1", 1, False),
        (["a", 1], [1, "a"], False),
        (2**53 + 1, float(2**53), False),
    ],
)
def test_numbers_are_equal_by_value_and_no_booleans(first: Json, second: Json, equal: bool) -> None:
    assert are_equal(first, second) is equal
    assert (make_identity_key(first) == make_identity_key(second)) is equal


def test_values_are_found_among_others() -> None:
    others: list[Json] = [1, "a", [True], {"b": [0]}]
    keys = make_identity_keys(others)
    equal: list[Json] = [*others, 1.0, {"b": [0.0]}]
    different: list[Json] = [True, [1], {"b": [False]}, "1", None]
    assert all(make_identity_key(value) in keys for value in equal)
    assert not any(make_identity_key(value) in keys for value in different)
