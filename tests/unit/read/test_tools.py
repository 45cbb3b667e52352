"""Tools."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import DefinitionChoice
from mcpgen.paths import format_path
from mcpgen.read import tools
from mcpgen.read.choices import read_choices
from mcpgen.read.definitions import (
    ToolOptions,
    find_content_strategy,
    find_media_type,
    has_chosen_text,
    has_default_content,
)
from mcpgen.read.foreign_definitions import UNTYPED_INPUT
from mcpgen.read.tools import resolve_tool_options
from mcpgen.schema.formats import NATIVE_FORMATS
from mcpgen.schema.values import Json
from support.compat import make_tool
from support.definitions import PRICE, define_tool
from support.documents import list_messages, make_context, make_site, props, read_tool, write_files


# --- tools are read with their schemas and without their options ------------------------------------------------------
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
    tool = tools.read_bare_schema(value, make_site(tmp_path, value, name="schemas/tide-1.6.schema.json"), context)
    assert tool is not None
    assert (tool.name, tool.at, tool.choices.content) == ("tide-1.6", None, "none")
    assert tool.tool == {
        "name": "tide-1.6",
        "inputSchema": UNTYPED_INPUT,
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


# --- options of a tool: its own x-mcpgen, then the settings, which win ------------------------------------------------
def resolve(
    folder: Path, definition: dict[str, Any], name: str = "schemas/a.json", **settings: Any
) -> tuple[ToolOptions, list[tuple[str, str]]]:
    context = make_context(folder, **settings)
    options = resolve_tool_options("get_a", definition, make_site(folder, definition, name=name), context)
    return options, list_messages(context.findings)


def test_the_settings_override_the_definition(tmp_path: Path) -> None:
    definition = {"x-mcpgen": {"name": "one", "priority": 0.5, "audience": ["user"]}}
    options, messages = resolve(tmp_path, definition, tools={"get_a": {"name": "two", "content": "none"}})
    assert options == ToolOptions("two", "none", True, audience=("user",), priority=0.5)
    assert messages == []


def test_a_wrong_name_leaves_the_whole_choice_out(tmp_path: Path) -> None:
    options, messages = resolve(tmp_path, {"x-mcpgen": {"name": "no name", "content": "none"}})
    assert options == ToolOptions(wrap="legacy")
    assert messages == [("MG202", '"no name" is not an ASCII identifier')]


def test_a_template_excludes_other_content(tmp_path: Path) -> None:
    options, messages = resolve(tmp_path, {"x-mcpgen": {"template": "a.j2", "content": "items"}})
    assert (options.content, options.content_chosen) == ("template", True)
    assert options.reference is not None
    assert (options.reference.path, options.reference.in_settings) == ("a.j2", False)
    assert messages == [("MG006", 'a template, but the content is "items"')]


@pytest.mark.parametrize(
    ("file", "protocol", "settings", "wrap"),
    [
        ("schemas/a.json", "2025-06-18", {}, "legacy"),
        ("schemas/a.json", "2025-06-18", {"sdk": "mcp"}, "legacy"),
        ("schemas/a.json", "2025-06-18", {"sdk": "fastmcp"}, "always"),
        ("schemas/a.json", "2025-06-18", {"sdk": "fastmcp", "wrap": "legacy"}, "legacy"),
        ("schemas/pulled/a.json", "2026-07-28", {"sdk": "fastmcp"}, "legacy"),
        ("schemas/pulled/a.json", "2025-06-18", {}, "always"),
        ("schemas/pulled/a.json", "2026-07-28", {}, "legacy"),
        ("schemas/pulled/a.json", "2025-06-18", {"wrap": "legacy"}, "legacy"),
        ("schemas/pulled/a.json", "2026-07-28", {"wrap": "always"}, "always"),
    ],
)
def test_the_default_wrapping_is_that_of_the_sdk_or_of_the_pulled_tool(
    tmp_path: Path, file: str, protocol: str, settings: dict[str, Any], wrap: str
) -> None:
    definition = {"outputSchema": {"type": "array"}, "generated": {"protocol": protocol}}
    options, _ = resolve(tmp_path, definition, file, **settings)
    assert options.wrap == wrap


def test_a_pulled_tool_has_the_content_of_the_sdk(tmp_path: Path) -> None:
    assert resolve(tmp_path, {}, "schemas/pulled/a.json", sdk="mcp")[0].content == "sdk"
    assert resolve(tmp_path, {}, "schemas/pulled/a.json")[0].content == "json"
    assert resolve(tmp_path, {}, sdk="mcp")[0].content == "json"


def test_members_are_located_below_a_site(tmp_path: Path) -> None:
    value: dict[str, Json] = {"x-mcpgen": {"audience": ["user"]}}
    site = make_site(tmp_path, value)
    (choice,) = read_choices(DefinitionChoice, value, site, ("tools", {}), (), make_context(tmp_path))
    span = choice.locate("audience", "0")
    assert span is not None
    assert (span.pointer, span.text[span.column - 1 :][:6]) == ("/x-mcpgen/audience/0", '"user"')


def test_python_names_are_ascii_identifiers(tmp_path: Path) -> None:
    names = ["get_a", "größe", "a b", ""]
    chosen = [resolve(tmp_path, {"x-mcpgen": {"name": name}}) for name in names]
    assert [options.name for options, _ in chosen] == ["get_a", None, None, None]
    assert [[code for code, _ in messages] for _, messages in chosen] == [[], ["MG202"], ["MG202"], ["MG202"]]


@pytest.mark.parametrize(
    ("package", "definition", "tool", "expected"),
    [
        (None, None, None, ()),
        ("annotation", None, None, ()),
        ("native", None, None, NATIVE_FORMATS),
        ("native", None, {"date": "string"}, tuple(name for name in NATIVE_FORMATS if name != "date")),
        ({"uuid": "native", "date": "native"}, {"uuid": "string"}, {"time": "native"}, ("date", "time")),
        ("native", None, "annotation", ()),
        ({"uuid": "native"}, "native", {"uuid": "string"}, NATIVE_FORMATS[:3] + NATIVE_FORMATS[4:]),
    ],
)
def test_formats_of_the_tool_override_those_of_the_package(
    package: Any, definition: Any, tool: Any, expected: tuple[str, ...], tmp_path: Path
) -> None:
    own_value = {} if definition is None else {"x-mcpgen": {"formats": definition}}
    settings = {} if package is None else {"formats": package}
    settings |= {} if tool is None else {"tools": {"get_a": {"formats": tool}}}
    options, messages = resolve(tmp_path, own_value, **settings)
    assert (options.formats, messages) == (expected, [])


def test_an_unknown_format_is_reported_at_its_name(tmp_path: Path) -> None:
    definition: dict[str, Json] = {"x-mcpgen": {"formats": {"datetime": "native"}}}
    context = make_context(tmp_path)
    resolve_tool_options("get_a", definition, make_site(tmp_path, definition), context)
    (finding,) = context.findings
    assert (finding.message, finding.help) == ('x-mcpgen: unknown key "formats.datetime"', 'did you mean "date-time"?')
    assert finding.span is not None
    assert finding.span.pointer == "/x-mcpgen/formats/datetime"


# --- the content strategy of a tool -----------------------------------------------------------------------------------
IMAGE: dict[str, Json] = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}


@pytest.mark.parametrize(
    ("schema", "media_type"),
    [
        (IMAGE, "image/png"),
        ({**IMAGE, "contentEncoding": "base32"}, None),
        ({**IMAGE, "type": ["string", "null"]}, None),
        ({"type": "string", "contentEncoding": "base64"}, None),
        (True, None),
    ],
)
def test_only_base64_data_has_a_media_type(schema: Json, media_type: str | None) -> None:
    assert find_media_type(schema) == media_type


def test_the_strategy_follows_the_choice_then_the_media_type() -> None:
    assert find_content_strategy(make_tool(output=IMAGE)) == "binary"
    assert find_content_strategy(make_tool(output={**IMAGE, "contentMediaType": "text/plain"})) == "json"
    assert find_content_strategy(make_tool(output={**IMAGE, "contentEncoding": "base32"})) == "json"
    chosen = ToolOptions(content="items", content_chosen=True)
    assert find_content_strategy(make_tool(output=IMAGE, choices=chosen)) == "items"
    assert find_content_strategy(make_tool()) == "json"


def test_only_tools_whose_result_is_an_object_can_lack_a_chosen_content() -> None:
    definitions = [
        (define_tool("talk"), False),
        (define_tool("buy", PRICE), True),
        (define_tool("sell", PRICE, content_chosen=True), False),
        (define_tool("text", PRICE, content="template"), False),
        (define_tool("pulled", PRICE, content="sdk"), False),
        (define_tool("draw", IMAGE), False),
        (define_tool("list", {"type": "array", "items": PRICE}), False),
        (define_tool("either", {"anyOf": [PRICE, {"type": "null"}]}), False),
        (define_tool("one", {"anyOf": [PRICE, PRICE]}), True),
    ]
    for tool, expected in definitions:
        assert has_default_content(tool) is expected, tool.name


@pytest.mark.parametrize(
    ("content", "expected"),
    [("template", True), ("csv", True), ("items", True), ("json", False), ("link", False), ("none", False)],
)
def test_a_text_other_than_json_is_chosen(content: Any, expected: bool) -> None:
    chosen = define_tool("sell", PRICE, content=content, content_chosen=True)
    assert has_chosen_text(chosen) is expected
    for_apps = replace(chosen, tool={**chosen.tool, "_meta": {"ui": {"visibility": ["app"]}}})
    others = (define_tool("pulled", PRICE, content=content), define_tool("talk", None, content=content), for_apps)
    assert not any(map(has_chosen_text, others))
