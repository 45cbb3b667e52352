"""Statements that write a table."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.content.tables import compile_table
from mcpgen.ir.template import Call, Conditional, Constant, For, If, Statement, This, Write
from mcpgen.lower.assemble import lower_schemas
from mcpgen.pipeline.lowering import make_tool_requests
from support.definitions import define_tool, make_settings

CLOSED = {"additionalProperties": False}


def compile_schema(strategy: str, schema: dict[str, Any]) -> tuple[Statement, ...]:
    root = lower_schemas(make_tool_requests(define_tool("list_boats", schema), make_settings()))[1]
    return compile_table(strategy, root, {node.id: node for node in root.nodes})


def make_rows(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": [*required], **CLOSED}}


@pytest.mark.parametrize(
    ("strategy", "head", "start", "separator", "end"),
    [("table", "|a|b|\n|---|---|", "\n|", "|", "|"), ("csv", "a,b", "\r\n", ",", ""), ("tsv", "a\tb", "\n", "\t", "")],
)
def test_closed_rows_are_a_head_and_a_loop(strategy: str, head: str, start: str, separator: str, end: str) -> None:
    schema = make_rows("a", "b", a={"type": "integer"}, b={"enum": ["on", "off"]})
    first, loop = compile_schema(strategy, schema)
    assert first == Write((head,))
    assert isinstance(loop, For)
    assert (loop.targets, loop.source) == (("row",), This(True))
    (write,) = loop.body
    assert isinstance(write, Write)
    assert [piece for piece in write.pieces if isinstance(piece, str)] == [start, separator, *([end] if end else [])]


def test_only_open_rows_look_for_undeclared_properties() -> None:
    schema = make_rows("a", a={"type": "integer"})
    assert "undeclared_row" not in repr(compile_schema("table", schema))
    del schema["items"]["additionalProperties"]
    assert "undeclared_row" in repr(compile_schema("table", schema))


def test_text_is_escaped_unless_it_is_known_to_be_plain() -> None:
    (_, loop) = compile_schema("table", make_rows("a", "b", a={"type": "string"}, b={"enum": ["on", "a|b"]}))
    assert repr(loop).count("markdown_text") == 2
    (_, loop) = compile_schema("table", make_rows("a", a={"enum": ["on", "off"]}))
    assert "markdown_text" not in repr(loop)


def test_an_absent_cell_is_empty_and_a_string_beside_it_is_told_apart() -> None:
    (_, loop) = compile_schema("csv", make_rows("b", a={"type": "string"}, b={"type": "integer"}))
    assert isinstance(loop, For)
    (write,) = loop.body
    assert isinstance(write, Write)
    cell = write.pieces[1]
    assert isinstance(cell, Conditional)
    assert cell.then == Constant("")
    assert isinstance(cell.other, Call)
    assert (cell.other.function, getattr(cell.other.arguments[0], "function", "")) == ("csv_text", "nullable_text")


def test_a_hostile_title_is_escaped_by_the_run_time_function() -> None:
    head = compile_schema("table", make_rows("a|b", **{"a|b": {"type": "integer"}}))[0]
    assert isinstance(head, Write)
    assert head.pieces[1] == Call("markdown_text", (Constant("a|b"),))


def test_a_nested_object_that_may_be_absent_has_branches() -> None:
    nested = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {}}, "required": ["x"], **CLOSED}
    (_, loop) = compile_schema("table", make_rows("b", b={"type": "integer"}, a=nested))
    assert isinstance(loop, For)
    branch = loop.body[1]
    assert isinstance(branch, If)
    assert len(branch.branches) == 1
    assert branch.otherwise == (Write(("||",)),)
