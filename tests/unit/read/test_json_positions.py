"""Positions of values and names in JSON text."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.diagnostics import Span
from mcpgen.read.document import SourceDocument
from mcpgen.read.json_parser import JsonPositions, LineIndex, skip_whitespace
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer
from support.documents import VALUES, find_position, get_position, parse_document

JSON_TEXT = """\
{
  "plain": 1,
  "a/b": {"til~de": "x"},
  "": [10, [20, 21], {"in ner": null}],
  "\\u0065scaped \\"quote\\"": true,
  "größe ☂": {"名": "天気", "after": -1.5e3},
\t"tab":\t"t",
  "brackets ]}": "]}, {[",
  "last": {}
}
"""


@pytest.mark.parametrize(
    ("where", "marker", "occurrence"),
    [
        ("", "{", 1),
        ("/plain", "1", 1),
        ("/a~1b", '{"til', 1),
        ("/a~1b/til~0de", '"x"', 1),
        ("/", "[10", 1),
        ("//0", "10", 1),
        ("//1", "[20", 1),
        ("//1/1", "21", 1),
        ("//2/in ner", "null", 1),
        ('/escaped "quote"', "true", 1),
        ("/größe ☂", '{"名"', 1),
        ("/größe ☂/名", '"天気"', 1),
        ("/größe ☂/after", "-1.5e3", 1),
        ("/tab", '"t"', 1),
        ("/brackets ]}", '"]}, {["', 1),
        ("/last", "{}", 1),
        ("/last/nothing/there", "{}", 1),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_json_pointer_has_its_place(tmp_path: Path, where: str, marker: str, occurrence: int, newline: str) -> None:
    document = parse_document(tmp_path, JSON_TEXT.replace("\n", newline))
    assert get_position(document.make_span(where)) == find_position(JSON_TEXT, marker, occurrence)


def test_a_member_name_has_its_place_and_a_span_its_line(tmp_path: Path) -> None:
    text = '{\r\n  "outer": {"a/b": 1,\r\n\t"größe": 2, "after": 3}\r\n}\r\n'
    document = parse_document(tmp_path, text)
    for key in ("a/b", "größe", "after"):
        span = document.make_span("/outer", key)
        assert get_position(span) == find_position(text, json.dumps(key, ensure_ascii=False))
        assert span.pointer == "/outer" + format_pointer(key)
        assert span.file == "input.json"
    assert document.make_span("/outer", "after").text == '\t"größe": 2, "after": 3}'


def test_a_byte_order_mark_is_no_column(tmp_path: Path) -> None:
    document = parse_document(tmp_path, b'\xef\xbb\xbf{"a": 1}')
    assert get_position(document.make_span("/a")) == (1, 7)


def paths(value: Json, where: str = "") -> list[str]:
    """Return the pointers of a value and of everything inside it."""
    if isinstance(value, dict):
        children: list[tuple[str, Json]] = [(format_pointer(key), inner) for key, inner in value.items()]
    else:
        children = (
            [(format_pointer(index), inner) for index, inner in enumerate(value)] if isinstance(value, list) else []
        )
    return [where, *(path for step, inner in children for path in paths(inner, where + step))]


def offset_of(text: str, span: Span) -> int:
    """Return the offset of a place in a text, lines ending where Python's universal newlines say (here: only at LF)."""
    return sum(len(line) + 1 for line in text.split("\n")[: span.line - 1]) + span.column - 1


@given(value=VALUES, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans())
@settings(deadline=None, max_examples=150)
def test_at_each_place_stands_the_text_of_the_value(value: Json, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    source_document = SourceDocument(Path("x.json"), "x.json", text, value)
    for where in paths(value):
        stands, _ = json.JSONDecoder().raw_decode(text, offset_of(text, source_document.make_span(where)))
        assert stands == follow_pointer(value, parse_pointer(where))


def test_offsets_are_found_by_path_and_by_name() -> None:
    positions = JsonPositions(' {"a": [1, {"b" : 2}]}')
    assert positions.find([], None) == 1
    assert positions.find(["a", "1", "b"], None) == 18
    assert positions.find(["a", "1"], "b") == 12
    assert positions.find(["a", "7"], None) == 7


@pytest.mark.parametrize("step", ["[{}]", '[1, {{"a": {}}}]', '{{"b": [], "a": {}}}'])
def test_a_deep_value_is_found_in_about_the_time_of_parsing(step: str) -> None:
    text = json.dumps([["]", {"x": 1}]] * 20_000)
    for _ in range(100):
        text = step.format(text)
    path: list[str] = []
    value = json.loads(text)
    while len(value) < 20_000:
        path.append("a" if isinstance(value, dict) else str(len(value) - 1))
        value = value[path[-1]] if isinstance(value, dict) else value[-1]
    start = time.process_time()
    json.loads(text)
    parsed = time.process_time()
    offset = JsonPositions(text).find([*path, "7"], None)
    found = time.process_time()
    assert json.JSONDecoder().raw_decode(text, offset)[0] == value[7]
    assert found - parsed < 30 * (parsed - start)


def test_offsets_are_lines_and_columns() -> None:
    text = "a\n\nbc"
    expected = [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2)]
    assert [LineIndex(text).locate(offset) for offset in range(5)] == expected
    assert skip_whitespace(" \t\r\n\vx", 0) == 4
