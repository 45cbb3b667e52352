"""Tools are read with their schemas and without their options."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.paths import format_path
from mcpgen.read import tools
from mcpgen.schema.values import Json
from support.documents import (
    list_messages,
    make_context,
    make_site,
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
    tool = read_tool(tmp_path, "a")
    text = (
        json.dumps(declared).replace('"x-mcpgen": {"type": "Query"}, ', "").replace('"x-mcpgen": {"type": "Row"}, ', "")
    )
    assert json.dumps(tool.tool) == text
    assert tool.class_names == {"#input/properties/q": "Query", "#output/properties/r": "Row"}
    assert (tool.choices.content, tool.choices.content_chosen) == ("none", True)
    assert tool.locate("/outputSchema/properties/r").line == 1


def test_a_tool_without_an_input_schema_is_reported_by_the_checker(tmp_path: Path) -> None:
    value: dict[str, Json] = {"name": "a"}
    context = make_context(tmp_path)
    assert tools.read_tool(value, make_site(tmp_path, value), context) is None
    assert [code for code, _ in list_messages(context.findings)] == ["MG004"]


def test_a_wrong_output_schema_leaves_no_tool_and_is_reported_at_its_place(tmp_path: Path) -> None:
    value: dict[str, Json] = {"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "nothing"}}
    context = make_context(tmp_path)
    assert tools.read_tool(value, make_site(tmp_path, value), context) is None
    (finding,) = context.findings
    assert finding.code == "MG101"
    assert "nothing" in finding.message


def test_a_bare_schema_is_the_result_of_a_tool_of_the_files_name(tmp_path: Path) -> None:
    value: dict[str, Json] = {**props(n={"type": "integer"}), "x-mcpgen": {"content": "none"}}
    context = make_context(tmp_path)
    tool = tools.read_bare_schema(value, make_site(tmp_path, value, name="schemas/tide.v2.json"), context)
    assert tool is not None
    assert (tool.name, tool.at, tool.choices.content) == ("tide", None, "none")
    assert tool.tool == {
        "name": "tide",
        "inputSchema": tools.EMPTY_INPUT_SCHEMA,
        "outputSchema": props(n={"type": "integer"}),
    }


def test_the_settings_name_an_output_schema_only_for_tools_that_have_none(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text('{"type": "string"}', "utf-8")
    context = make_context(tmp_path, tools={"a": {"outputSchema": "out.json"}})
    value: dict[str, Json] = {"name": "a", "inputSchema": {"type": "object"}}
    tool = tools.read_tool(value, make_site(tmp_path, value), context)
    assert tool is not None
    assert tool.output is not None
    assert tool.output.value == {"type": "string"}
    assert not [*context.findings]
    value["outputSchema"] = {"type": "integer"}
    site = make_site(tmp_path, value)
    tools.read_tool(value, site, context)
    file = format_path(site.document.path)
    message = f'"tools.a.outputSchema": the tool declares an outputSchema itself, in {file}'
    assert list_messages(context.findings) == [("MG302", message)]
