"""Spans of a document: with their line where that may be quoted, shortened where it is long."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.read.document import MAX_LINE_LENGTH, SourceDocument


def make_document(text: str, quotable: bool = True) -> SourceDocument:
    return SourceDocument(Path("a.json"), "a.json", text, json.loads(text), quotable)


def test_a_span_quotes_its_line() -> None:
    span = make_document('{\n "a": [1, 22]\n}').make_span("/a/1")
    assert (span.line, span.column, span.pointer, span.text) == (2, 11, "/a/1", ' "a": [1, 22]')


def test_a_file_that_may_be_any_file_is_not_quoted() -> None:
    span = make_document('{"a": 1}', False).make_span("/a")
    assert (span.line, span.column, span.pointer, span.text) == (1, 7, "", "")


def test_a_long_line_is_cut_around_the_column() -> None:
    text = json.dumps({"a": "x" * 1_000, "b": 12345})
    span = make_document(text).make_span("/b")
    assert len(span.text) == MAX_LINE_LENGTH
    assert span.text[span.column - span.start :].startswith("12345")


def test_lines_are_counted_from_1() -> None:
    document = make_document("[\r\n1]")
    assert [document.get_line(number) for number in (0, 1, 2, 3)] == ["", "[", "1]", ""]
    assert document.locate(3) == (2, 1)
