"""Tools are read with their schemas and without their options."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.schema.values import Json
from support.documents import (
    props,
    read_tool,
    write_files,
)


def test_a_tool_is_advertised_without_its_choices(tmp_path: Path) -> None:
    declared: dict[str, Json] = {
        "name": "a",
        "title": "A",
        "inputSchema": {**props(q={"x-mcpgen": {"type": "Query"}, **props(x={})})},
        "outputSchema": {**props(r={"x-mcpgen": {"type": "Row"}, **props(y={})}), "const": {"x-mcpgen": "data"}},
        "_meta": {"example.com/key": {"x-mcpgen": "kept"}},
        "x-vendor": True,
    }
    write_files(tmp_path, {"schemas/a.json": {**declared, "x-mcpgen": {"content": "none"}}})
    found = read_tool(tmp_path, "a")
    text = (
        json.dumps(declared).replace('"x-mcpgen": {"type": "Query"}, ', "").replace('"x-mcpgen": {"type": "Row"}, ', "")
    )
    assert json.dumps(found.tool) == text
    assert found.class_names == {"#input/properties/q": "Query", "#output/properties/r": "Row"}
    assert (found.choices.content, found.choices.content_chosen) == ("none", True)
    assert found.locate("outputSchema", "/properties/r").line == 1
