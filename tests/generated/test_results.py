"""What a generated result class does: absent and null, construction, protocol versions, reading."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.wire_forms import CheckedValue
from pydantic import BaseModel, ValidationError
from support.packages import get_package, get_types, package, tool

WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "temperature": {"type": "number"},
        "station": {"type": ["string", "null"]},
        "wind-speed": {"type": "number"},
        "gust": {"type": ["number", "null"]},
        "class": {"type": "integer"},
    },
    "required": ["temperature", "station"],
}
CLOSED = {**WEATHER, "additionalProperties": False}
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    tools = [
        tool("weather", WEATHER),
        tool("closed", CLOSED),
        tool("list", {"type": "array", "items": {"$ref": "#/$defs/W"}, "$defs": {"W": WEATHER}}),
        tool("text", {"type": "string"}),
        tool("maybe", {"type": ["integer", "null"]}),
        tool("always", {"type": "boolean"}, **{"x-mcpgen": {"wrap": "always"}}),
        tool("silent", WEATHER, **{"x-mcpgen": {"content": "none"}}),
        tool("plain"),
        tool("addressed", {"type": "string"}, **{"x-mcpgen": {"audience": ["user"], "priority": 0.5}}),
        tool("checked", {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        tool("free", {"type": "array", "items": {"type": "integer"}}),
    ]
    resources = [{"name": "app-config", "uri": "config://app", "mimeType": "application/json"}]
    templates = [{"name": "page", "uriTemplate": "page://{id}"}]
    folder = tmp_path_factory.mktemp("results")
    return package(folder, tools, "--sdk", str(request.param), resources=resources, resourceTemplates=templates)


def test_absent_is_absent_and_null_is_null(generated: Any) -> None:
    result = generated.WeatherResult(temperature=20, station=None, wind_speed=None)
    assert result.to_structured_content() == {"temperature": 20, "station": None}
    assert generated.WeatherResult(temperature=20, station="x", gust=None).to_structured_content() == {
        "temperature": 20,
        "station": "x",
        "gust": None,
    }
    with pytest.raises(ValidationError):
        generated.WeatherResult(temperature=None, station=None)
    with pytest.raises(ValidationError):
        generated.WeatherResult.from_structured_content({"temperature": 1, "station": None, "wind-speed": None})


def test_construction_takes_python_names_and_at_run_time_wire_names(generated: Any) -> None:
    by_python = generated.WeatherResult(temperature=1.5, station="x", wind_speed=2, class_=3)
    by_wire = generated.WeatherResult(**{"temperature": 1.5, "station": "x", "wind-speed": 2, "class": 3})
    assert by_python == by_wire
    assert by_python.to_structured_content() == {"temperature": 1.5, "station": "x", "wind-speed": 2, "class": 3}
    with pytest.raises(TypeError, match="twice"):
        generated.WeatherResult(temperature=1, station="x", wind_speed=2, **{"wind-speed": 3})


def test_extras_of_open_and_closed_objects(generated: Any) -> None:
    result = generated.WeatherResult(temperature=1, station="x", extras={"wind_speed": "mine", "b": [1]})
    assert result.to_structured_content()["wind_speed"] == "mine"
    assert result.wind_speed is None
    with pytest.raises(TypeError, match="no property 'temprature'"):
        generated.WeatherResult(temprature=1, station="x")
    with pytest.raises(TypeError, match="declared"):
        generated.WeatherResult(temperature=1, station="x", extras={"wind-speed": 1})
    with pytest.raises(ValidationError):
        generated.ClosedResult(temperature=1, station="x", extra=1)
    with pytest.raises(ValidationError):
        generated.ClosedResult.from_structured_content({"temperature": 1, "station": "x", "wind_speed": 1})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "1", None])
def test_numbers_are_numbers(generated: Any, value: Any) -> None:
    with pytest.raises(ValidationError):
        generated.WeatherResult(temperature=value, station="x")


def test_lone_surrogates_are_refused(generated: Any) -> None:
    wrongs: tuple[Callable[[], object], ...] = (
        lambda: generated.WeatherResult(temperature=1, station="\ud800"),
        lambda: generated.WeatherResult(temperature=1, station="x", extras={"a": "\ud800"}),
        lambda: generated.WeatherResult.from_structured_content({"temperature": 1, "station": "\ud800"}),
    )
    for wrong in wrongs:
        with pytest.raises(ValidationError):
            wrong()


def test_integers_and_floats_stay_what_they_are(generated: Any) -> None:
    integer = generated.WeatherResult(temperature=20, station="x").to_wire_json()
    floating = generated.WeatherResult(temperature=20.0, station="x").to_wire_json()
    assert b'"temperature":20,' in integer
    assert b'"temperature":20.0,' in floating
    whole = generated.WeatherResult(temperature=1, station="x", class_=7.0)
    assert repr(whole.class_) == "7"
    assert generated.WeatherResult(temperature=1, station="x", class_=10**30).to_structured_content()["class"] == 10**30


def test_instances_are_frozen(generated: Any) -> None:
    result = generated.WeatherResult(temperature=1, station="x")
    with pytest.raises(ValidationError):
        result.temperature = 2


def test_a_class_whose_types_say_it_all_has_no_check(generated: Any) -> None:
    assert CheckedValue in generated.CheckedResult.__mro__
    assert CheckedValue not in generated.FreeResult.__mro__
    with pytest.raises(ValidationError, match="no two equal items"):
        generated.CheckedResult([1, 1])
    assert generated.FreeResult([1, 1]).to_structured_content() == [1, 1]


def test_verify_sees_what_changed_after_construction(generated: Any) -> None:
    result = generated.CheckedResult([1, 2])
    result.root.append(2)
    assert result.to_wire()["structuredContent"] == [1, 2, 2]
    for write in (result.to_wire, result.to_wire_json, result.to_call_tool_result):
        with pytest.raises(ValidationError):
            write(verify=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_protocol_table(generated: Any, version: str) -> None:
    wire = generated.ListResult([]).to_wire(protocol=version)
    natural: dict[str, Any] = {"structuredContent": [], "resultType": "complete"}
    versions: dict[str, dict[str, Any]] = {
        "2024-11-05": {},
        "2025-03-26": {},
        "2025-06-18": {"structuredContent": {"result": []}},
        "2025-11-25": {"structuredContent": {"result": []}},
        "2026-07-28": natural,
    }
    assert wire == {"content": [{"type": "text", "text": "[]"}], **versions[version]}
    advertised = {tool["name"]: tool for tool in generated.list_tools(version)}
    if version < "2025-06-18":
        assert all("outputSchema" not in item for item in advertised.values())
    else:
        roots = {name: item["outputSchema"].get("type") for name, item in advertised.items() if "outputSchema" in item}
        assert roots["list"] == ("array" if version == "2026-07-28" else "object")
        assert roots["always"] == "object"
        assert roots["weather"] == "object"
    always = generated.AlwaysResult(True).to_wire(protocol=version).get("structuredContent", "absent")
    assert always == ("absent" if version < "2025-06-18" else {"result": True})


def test_null_is_sent_and_told_from_absent(generated: Any) -> None:
    wire = generated.MaybeResult(None).to_wire()
    assert wire["structuredContent"] is None
    assert json.loads(generated.MaybeResult(None).to_wire_json())["structuredContent"] is None
    assert generated.MaybeResult.from_call_tool_result(wire).root is None
    result = generated.MaybeResult(None).to_call_tool_result()
    assert generated.MaybeResult.from_call_tool_result(result) == generated.MaybeResult(None)
    with pytest.raises(ValidationError, match="no structuredContent"):
        generated.MaybeResult.from_call_tool_result({"content": []})


def test_content_strategies(generated: Any) -> None:
    assert generated.TextResult("plain").to_wire()["content"] == [{"type": "text", "text": "plain"}]
    assert generated.SilentResult(temperature=1, station="x").to_wire()["content"] == []
    old = generated.SilentResult(temperature=1, station="x").to_wire(protocol="2025-03-26")
    assert json.loads(old["content"][0]["text"]) == {"temperature": 1, "station": "x"}
    assert generated.AddressedResult("x").to_wire()["content"] == [
        {"type": "text", "text": "x", "annotations": {"audience": ["user"], "priority": 0.5}}
    ]
    text = generated.WeatherResult(temperature=1, station="ü").to_wire()["content"][0]["text"]
    assert text == '{"temperature":1,"station":"ü"}'


def test_content_and_meta_can_be_given(generated: Any) -> None:
    protocol = get_types(generated)
    block = protocol.TextContent(text="mine")
    result = generated.WeatherResult(temperature=1, station="x")
    wire = result.to_wire(content=[block], meta={"a": 1})
    assert wire["content"] == [{"type": "text", "text": "mine"}]
    assert wire["_meta"] == {"a": 1}
    native = result.to_call_tool_result(content=[block], meta={"a": 1})
    assert native.content == [block]
    assert native.model_dump(mode="json", by_alias=True)["_meta"] == {"a": 1}


def test_blocks_that_a_version_lacks(generated: Any) -> None:
    protocol = get_types(generated)
    link = protocol.ResourceLink(name="n", uri="https://example.org/a")
    audio = protocol.AudioContent(data="AAAA", mime_type="audio/wav")
    result = generated.TextResult("x")
    new = result.to_wire(content=[link, audio], protocol="2025-06-18")["content"]
    assert [block["type"] for block in new] == ["resource_link", "audio"]
    old = result.to_wire(content=[link, audio], protocol="2024-11-05")["content"]
    assert [block["type"] for block in old] == ["text", "resource"]
    assert old[0]["text"] == "https://example.org/a"
    assert old[1]["resource"]["blob"] == "AAAA"
    assert result.to_call_tool_result(content=[link], protocol="2025-03-26").content[0].type == "text"


def test_a_tool_without_an_output_schema(generated: Any) -> None:
    protocol = get_types(generated)
    result = generated.PlainResult(content=[protocol.TextContent(text="done")])
    for version in VERSIONS:
        wire = result.to_wire(protocol=version)
        assert wire["content"] == [{"type": "text", "text": "done"}]
        assert "structuredContent" not in wire
        assert generated.PlainResult.from_call_tool_result(wire, protocol=version) == result
    assert generated.PlainResult.from_call_tool_result(result.to_call_tool_result()) == result
    with pytest.raises(TypeError):
        result.to_structured_content()


def test_errors_are_raised_on_reading(generated: Any) -> None:
    runtime_error = generated.ToolCallError
    failed = generated.tool_error("no such place")
    for answer in (failed, {"content": [{"type": "text", "text": "no such place"}], "isError": True}):
        with pytest.raises(runtime_error) as raised:
            generated.WeatherResult.from_call_tool_result(answer)
        assert raised.value.text == "no such place"
        assert raised.value.tool == "weather"


def test_unknown_protocol_versions_are_refused(generated: Any) -> None:
    result = generated.TextResult("x")
    calls: tuple[Callable[[], object], ...] = (
        lambda: result.to_wire(protocol="2023-01-01"),
        lambda: result.to_call_tool_result(protocol="draft"),
        lambda: generated.list_tools("x"),
        lambda: generated.TextResult.from_call_tool_result(result.to_wire(), protocol="x"),
    )
    for call in calls:
        with pytest.raises(ValueError, match="unknown MCP protocol version"):
            call()


def test_reading_unwraps_by_what_is_on_the_wire(generated: Any) -> None:
    value = [{"temperature": 1, "station": None}]
    expected = generated.ListResult.from_structured_content(value)
    legacy = {"content": [], "structuredContent": {"result": value}}
    natural = {"content": [], "structuredContent": value, "resultType": "complete"}
    assert generated.ListResult.from_call_tool_result(legacy) == expected
    assert generated.ListResult.from_call_tool_result(natural) == expected
    assert generated.ListResult.from_call_tool_result(legacy, protocol="2025-11-25") == expected
    with pytest.raises(ValidationError):
        generated.ListResult.from_call_tool_result(natural, protocol="2025-11-25")


def test_registries(generated: Any) -> None:
    assert generated.RESULT_TYPES["weather"] is generated.WeatherResult
    assert generated.ARGUMENT_TYPES["weather"] is generated.WeatherArguments
    assert list(generated.TOOLS) == sorted(generated.RESULT_TYPES)
    assert all(issubclass(cls, generated.ToolResult) for cls in generated.RESULT_TYPES.values())
    assert set(dir(generated)) >= {"WeatherResult", "TOOLS", "tool_error"}
    with pytest.raises(AttributeError):
        _ = generated.Nothing


def test_choices_are_not_advertised(generated: Any) -> None:
    assert "x-mcpgen" not in json.dumps(generated.list_tools())
    assert generated.TOOLS["always"] == tool("always", {"type": "boolean"})


def test_resources(generated: Any) -> None:
    config, page = generated.RESOURCE_TYPES["app-config"], generated.RESOURCE_TYPES["page"]
    assert config is generated.AppConfig
    assert (config.resource.uri, config.resource.mime_type) == ("config://app", "application/json")
    assert (page.resource.uri, page.resource.uri_template) == (None, "page://{id}")


def test_results_nest_in_other_models(generated: Any) -> None:
    result_type = generated.ListResult

    class Outer(BaseModel):
        inner: result_type  # type: ignore[valid-type]

    Outer.model_rebuild(_types_namespace={"result_type": result_type})
    schema = Outer.model_json_schema()
    import jsonschema_rs

    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid({"inner": [{"temperature": 1, "station": None}]})
    assert not validator.is_valid({"inner": [{"temperature": 1}]})


def test_the_package_imports_its_facade_and_pydantic(generated: Any) -> None:
    facade = get_package(generated).facade
    allowed = sys.stdlib_module_names | {"pydantic", "typing_extensions"}
    for path in Path(generated.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) and not node.level else []
            others = [name for name in names if name.partition(".")[0] not in allowed]
            folders = {facade, facade.rpartition(".")[0]}
            assert folders.issuperset(name if name in folders else name.rpartition(".")[0] for name in others), path


def test_tuples_in_unions_are_dumped_as_arrays(tmp_path: Path) -> None:
    """pydantic dumps a union by the first member that fits, and to a scalar that may be anything all values fit."""
    triple = {"type": "array", "prefixItems": [{"$ref": "#"}, {"type": "string"}], "items": False, "minItems": 2}
    pair = {"type": "array", "prefixItems": [{"type": "number"}, {"type": "null"}], "items": False, "minItems": 2}
    tools = [
        tool("recursive", {"anyOf": [{"enum": ["x", -1]}, triple]}),
        tool("plain", {"anyOf": [{"type": "number"}, {"type": "array", "items": pair}]}),
    ]
    generated = package(tmp_path, tools)
    for name, value in (("recursive", [[-1, "a"], "b"]), ("plain", [[1, None], [2.5, None]])):
        result = generated.RESULT_TYPES[name].from_structured_content(value)
        assert result.model_dump() == result.model_dump(exclude_unset=True) == value
        assert repr(result.model_dump()) == repr(value)


def test_properties_may_be_called_like_what_templates_need(tmp_path: Path) -> None:
    """Such a property is no use of the helper, which is there only beside a content template."""
    names = ("members", "unique", "rounded", "titled", "text_block", "uris")
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}, "required": [*names]}
    value = dict.fromkeys(names, 1)
    result = package(tmp_path, [tool("odd", schema)]).OddResult.from_structured_content(value)
    assert result.to_structured_content() == value
    assert [json.loads(block["text"]) for block in result.to_wire()["content"]] == [value]
