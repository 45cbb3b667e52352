"""Tools that common clients cannot call or read are noted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.read.tools import read_tool
from mcpgen.schema.values import Json
from support.documents import list_messages, make_context, make_site

TUPLE: dict[str, Json] = {"type": "array", "prefixItems": [{"type": "number"}]}


def read_notes(folder: Path, members: dict[str, Any]) -> list[tuple[str, str]]:
    value: dict[str, Json] = {"name": "t", "inputSchema": {"type": "object"}, **members}
    context = make_context(folder)
    assert read_tool(value, make_site(folder, value), context) is not None
    assert not context.findings.failed
    return [(finding.span.pointer if finding.span else "", finding.code) for finding in context.findings]


@pytest.mark.parametrize(("support", "codes"), [("required", 1), ("optional", 0), ("forbidden", 0)])
def test_a_tool_that_needs_tasks_is_noted(tmp_path: Path, support: str, codes: int) -> None:
    notes = read_notes(tmp_path, {"execution": {"taskSupport": support}})
    assert notes == [("/execution/taskSupport", "MG111")] * codes


def test_a_closed_tuple_in_a_result_is_noted_once(tmp_path: Path) -> None:
    closed = {**TUPLE, "items": False}
    output = {"type": "object", "properties": {"a": closed, "b": closed}}
    assert read_notes(tmp_path, {"outputSchema": output}) == [("/outputSchema/properties/a/items", "MG111")]


def test_other_tuples_are_not_noted(tmp_path: Path) -> None:
    for items in (TUPLE, {**TUPLE, "maxItems": 1}, {**TUPLE, "items": True}, {"type": "array", "items": False}):
        assert read_notes(tmp_path, {"outputSchema": {"type": "object", "properties": {"a": items}}}) == []
    closed_argument = {"type": "object", "properties": {"a": {**TUPLE, "items": False}}}
    assert read_notes(tmp_path, {"inputSchema": closed_argument}) == []
    draft_07 = {"$schema": "http://json-schema.org/draft-07/schema#", **TUPLE, "items": False}
    assert read_notes(tmp_path, {"outputSchema": draft_07}) == []


def test_the_note_says_what_to_do(tmp_path: Path) -> None:
    value: dict[str, Json] = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {**TUPLE, "items": False}}
    context = make_context(tmp_path)
    read_tool(value, make_site(tmp_path, value), context)
    assert "maxItems" in next(finding.help for finding in context.findings)
    assert len(list_messages(context.findings)) == 1
