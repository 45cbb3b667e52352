"""Options of a tool: its own x-mcpgen, then the settings, which win."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.read.definitions import ToolOptions
from mcpgen.read.tool_options import check_python_name, make_locator, resolve_tool_options
from mcpgen.schema.formats import NATIVE_FORMATS
from mcpgen.schema.values import Json
from support.documents import list_messages, make_context, make_site


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
    locate = make_locator(make_site(tmp_path, {"a": {"b": [1]}}, "/a"))
    assert (locate(("b", 0), False).pointer, locate(("b", 0), False).column) == ("/a/b/0", 14)
    assert (locate(("b",), True).pointer, locate(("b",), True).column) == ("/a/b", 8)


def test_python_names_are_ascii_identifiers() -> None:
    findings = Findings()
    names = ["get_a", "größe", "a b", ""]
    assert [check_python_name(name, lambda key: None, findings) for name in names] == [True, False, False, False]


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
