"""Texts that are no JSON are refused, at the position of the fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.read.json_parser import InvalidJson, LoneSurrogate, count_values, parse_json
from support.documents import find_position, list_refusals, parse_document


def test_a_repeated_name_is_shown_where_it_is_repeated(tmp_path: Path) -> None:
    text = '{\n  "x": "a",\n  "in": {"a": 1, "b": {"a": 2}, "a": 3}\n}\n'
    assert list_refusals(tmp_path, text) == [
        ('the name "a" stands twice in one object', *find_position(text, '"a": 3'))
    ]


def test_a_repeated_name_is_found_behind_an_escape(tmp_path: Path) -> None:
    text = '{"b": "a", "a": 1,\n "\\u0061": 2}\n'
    assert list_refusals(tmp_path, text) == [
        ('the name "a" stands twice in one object', *find_position(text, '"\\u0061"'))
    ]


@pytest.mark.parametrize(
    ("number", "message"),
    [
        *((name, f"{name} is not a JSON number") for name in ("NaN", "Infinity", "-Infinity")),
        *((number, "… is too large a number") for number in ("1e999", "-1e999")),  # of a file that may not be quoted
    ],
)
def test_a_number_that_json_lacks_is_shown_where_it_stands(tmp_path: Path, number: str, message: str) -> None:
    text = f'{{\n  "{number}": "{number}",\n  "number": {number}\n}}\n'
    assert list_refusals(tmp_path, text) == [(message, 3, 13)]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "-1.5E999", "9" * 4_500])
@pytest.mark.parametrize("tail", ["z", "5z]", "]]]", ', "a": ', "}", "-", ".", "\x00", '"'])
def test_what_comes_after_such_a_number_need_not_be_json(number: str, tail: str) -> None:
    with pytest.raises(InvalidJson) as raised:
        parse_json(f'["x", {number}{tail}')
    assert raised.value.at == 6


def test_the_column_of_a_wrong_byte_counts_characters(tmp_path: Path) -> None:
    [(message, line, column)] = list_refusals(tmp_path, '{\n"größe ☂": "'.encode() + b'\xff"}')
    assert message.startswith("not valid UTF-8")
    assert (line, column) == (2, 13)


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\udfff": 1}', '["\\ude00\\ud83d"]'])
def test_a_lone_surrogate_is_refused(tmp_path: Path, text: str) -> None:
    assert [line for _, line, _ in list_refusals(tmp_path, text)] == [1]


def test_a_pair_of_surrogates_is_a_character(tmp_path: Path) -> None:
    assert parse_document(tmp_path, '"\\ud83d\\ude00"').value == "😀"


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, name: str) -> None:
    assert len(list_refusals(tmp_path, "[" * 100_000 + "]" * 100_000, name)) == 1


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path, name: str) -> None:
    assert len(list_refusals(tmp_path, "[1, " + "9" * 5000 + "]", name)) == 1


def test_an_error_has_its_offset_and_a_help() -> None:
    with pytest.raises(InvalidJson) as raised:
        parse_json('{"a": 1 // b\n}')
    assert raised.value.at == 8
    assert "JSON has no comments" in raised.value.help


def test_a_lone_surrogate_has_its_pointer() -> None:
    with pytest.raises(LoneSurrogate) as raised:
        parse_json('{"a": ["x", "\\ud800"]}')
    assert raised.value.pointer == "/a/1"


def test_values_are_counted() -> None:
    assert count_values('{"a,[{": [], "b": [1, {}]}', 0) == 5
    assert count_values("[1, 2]", 100) >= 3
