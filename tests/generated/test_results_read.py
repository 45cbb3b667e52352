"""Results of others as clients read them, what goes into a model's context, and blocks other than JSON text."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from support.handled_tools import TOOLS
from support.packages import get_types, mcpgen, package, tool
from support.wire_forms import wire

OLD, NEW = "2025-06-18", "2026-07-28"
PLAIN = {"windSpeed": 1.5}


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    generated = package(tmp_path_factory.mktemp("normalize"), TOOLS, "--sdk", str(request.param))
    return generated


# --- reading ---------------------------------------------------------------------------------------------------------
BROKEN: dict[str, Any] = {"first": {"windSpeed": "gale", "note": "a"}, "place": {"kind": "quay"}, "many": [PLAIN]}


def test_invalid_results_of_others(generated: Any) -> None:
    cls = generated.NestedResult
    result = {"content": [], "structuredContent": BROKEN}
    with pytest.raises(ValidationError):
        cls.from_call_tool_result(result)
    assert cls.from_call_tool_result(result, on_invalid="raw") == BROKEN
    with pytest.warns(UserWarning, match="nested: .*/first/windSpeed"):
        read = cls.from_call_tool_result(result, on_invalid="warn")
    assert isinstance(read, cls)
    assert (read.first.wind_speed, read.first.note) == ("gale", "a")
    assert read.place == {"kind": "quay"} or read.place.kind == "quay"
    assert read.many[0].wind_speed == 1.5
    assert read.either is None
    valid = {"content": [], "structuredContent": {"first": PLAIN}}
    for how in ("raise", "warn", "raw"):
        assert cls.from_call_tool_result(valid, on_invalid=how).first.wind_speed == 1.5


def test_a_text_that_is_no_json(generated: Any) -> None:
    result = {"content": [{"type": "text", "text": "it is windy"}]}
    for cls in (generated.NestedResult, generated.GridResult, generated.BareResult):
        with pytest.raises(ValidationError, match="the text is not JSON"):
            cls.from_call_tool_result(result)
        assert cls.from_call_tool_result(result, on_invalid="raw") == "it is windy"
    with pytest.warns(UserWarning, match="grid: .*the text is not JSON"):
        read = generated.GridResult.from_call_tool_result(result, on_invalid="warn")
    assert read.root == "it is windy"
    with pytest.raises(ValidationError, match="the text is not JSON"):
        generated.NestedResult.from_call_tool_result(result, on_invalid="warn")  # a text has no attributes


def test_a_value_without_its_wrapper(generated: Any) -> None:
    result = {"content": [], "structuredContent": {"rows": 1}}
    with pytest.raises(ValidationError, match="an object with a result"):
        generated.GridResult.from_call_tool_result(result, "2025-06-18")
    assert generated.GridResult.from_call_tool_result(result, "2025-06-18", on_invalid="raw") == {"rows": 1}


def test_invalid_maps_and_extras_of_others(generated: Any) -> None:
    by = {"content": [], "structuredContent": {"by": {"sea": PLAIN, "air": {"windSpeed": "x"}}}}
    with pytest.warns(UserWarning, match="/by/air/windSpeed"):
        read = generated.MappedResult.from_call_tool_result(by, on_invalid="warn")
    assert (read.by["sea"].wind_speed, read.by["air"].wind_speed) == (1.5, "x")
    more = {"content": [], "structuredContent": {"first": {"windSpeed": "x"}, "second": PLAIN}}
    with pytest.warns(UserWarning, match="/first/windSpeed"):
        read = generated.ExtrasResult.from_call_tool_result(more, on_invalid="warn")
    assert read.model_extra["second"].wind_speed == 1.5


TREE = {
    "type": ["object", "boolean"],
    "properties": {
        "items": {"anyOf": [{"$ref": "#"}, {"type": "array", "minItems": 1, "items": {"$ref": "#"}}]},
        "name": {"type": "string"},
    },
}


def test_a_deep_invalid_result_is_read_in_linear_time(tmp_path: Path) -> None:
    """Check that what does not fit makes everything around it invalid; that is not found out again on each level."""
    generated = package(tmp_path, [tool("tree", TREE)])

    def read(levels: int) -> tuple[float, Any]:
        value: Any = 7
        for level in range(levels):
            value = {"items": value, "name": f"level {level}"}
        start = time.process_time()
        with pytest.warns(UserWarning, match="tree"):
            result = generated.TreeResult.from_call_tool_result(
                {"content": [], "structuredContent": {"result": value}}, on_invalid="warn"
            )
        return time.process_time() - start, result

    read(3)
    (few, _), (many, result) = (min((read(levels) for _ in range(5)), key=itemgetter(0)) for levels in (50, 200))
    assert many < 12 * few, "quadratic: 16 times"
    part, names = result.root, list[str]()
    while part != 7:
        names.append(part.name)
        part = part.items
    assert names == [f"level {level}" for level in reversed(range(200))]


def test_what_cannot_be_read_at_all(generated: Any) -> None:
    for how in ("raise", "warn", "raw"):
        with pytest.raises(generated.ToolCallError, match="broken"):
            generated.ReadingResult.from_call_tool_result(generated.tool_error("broken"), on_invalid=how)
        with pytest.raises(ValidationError):
            generated.TreeResult.from_call_tool_result({"content": []}, on_invalid=how)
    wrong = {"content": [], "structuredContent": 5}
    with pytest.raises(ValidationError):
        generated.TreeResult.from_call_tool_result(wrong, on_invalid="warn")
    assert generated.TreeResult.from_call_tool_result(wrong, on_invalid="raw") == 5


def test_text_that_is_not_json_is_shown(generated: Any) -> None:
    def read(*texts: str) -> str:
        content = [{"type": "text", "text": text} for text in texts]
        with pytest.raises(ValidationError) as caught:
            generated.TreeResult.from_call_tool_result({"content": content})
        (error,) = caught.value.errors()
        return str(error["msg"])

    assert read("no such loan") == 'the text is not JSON: "no such loan"'
    long = read("å" * 10_000)
    assert long.endswith("…")
    assert len(long.encode()) <= 1_100
    assert read("a", "b") == read() == "the result has no structuredContent"


def test_what_belongs_into_a_context(generated: Any) -> None:
    text = [{"type": "text", "text": "a"}]

    def shown(result: Mapping[str, Any]) -> Any:
        out = wire(generated.model_content(result))
        assert out == wire(generated.model_content(get_types(generated).CallToolResult.model_validate(result)))
        assert out.pop("resultType") == "complete"
        return out

    assert shown({"content": text, "structuredContent": {"b": 1}}) == {"content": text}
    assert shown({"content": [], "structuredContent": {"b": None}})["content"][0]["text"] == '{"b":null}'
    assert shown({"content": [], "structuredContent": None}) == {"content": [{"type": "text", "text": "null"}]}
    assert shown({"content": []}) == {"content": []}
    error = {"content": text, "isError": True, "_meta": {"k": 1}}
    assert shown(error) == error
    assert shown({"content": [], "structuredContent": [1], "isError": True})["content"][0]["text"] == "[1]"
    for value in ({"city": "P"}, {"_meta": {"k": 1}}, generated.TreeResult.from_structured_content({"fullName": "a"})):
        with pytest.raises(ValidationError, match="should be a CallToolResult"):
            generated.model_content(value)


# --- content strategies ----------------------------------------------------------------------------------------------
def test_a_block_for_each_item(generated: Any) -> None:
    result = wire(generated.ListedResult.normalize_any(["a", 1.5, None, {"b": "é"}, ""], protocol=OLD))
    assert [item["text"] for item in result["content"]] == ["a", "1.5", "null", '{"b":"é"}', ""]
    assert result["structuredContent"] == {"result": ["a", 1.5, None, {"b": "é"}, ""]}
    wrapped = wire(generated.RESULT_TYPES["wrapped-items"].normalize_any(["a", "b"], protocol=NEW))
    assert [item["text"] for item in wrapped["content"]] == ["a", "b"]
    assert wrapped["structuredContent"] == {"result": ["a", "b"]}
    assert wire(generated.ListedResult.normalize_any([], protocol=NEW))["content"] == []


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ({"page": 2, "rows": ["a", {"b": 1}]}, ['{"page":2}', "a", '{"b":1}']),
        ({"rows": [["a", ["b"]], None]}, ['["a",["b"]]', "null"]),
        ({"rows": ["a"]}, ["a"]),
        ({"rows": []}, []),
        ({"page": 2}, ['{"page":2}']),
        ({"rows": None}, ['{"rows":null}']),
    ],
)
def test_the_items_of_the_only_array_of_an_object(generated: Any, value: Any, texts: list[str]) -> None:
    assert [item.text for item in generated.PagedResult.from_structured_content(value).to_content()] == texts


def test_binary_blocks(generated: Any) -> None:
    for value in (b"\x89PNG", bytearray(b"\x89PNG"), "iVBORw=="):
        result = wire(generated.PictureResult.normalize_any(value, protocol=OLD))
        annotated = {"annotations": {"audience": ["user"]}}
        assert result["content"] == [{"type": "image", "data": "iVBORw==", "mimeType": "image/png", **annotated}]
        assert result["structuredContent"] == {"result": "iVBORw=="}
    sound = wire(generated.SoundResult.normalize_any(b"a", protocol=NEW))
    assert sound["content"] == [{"type": "audio", "data": "YQ==", "mimeType": "audio/wav"}]
    old = generated.SoundResult(b"a").to_wire(protocol="2024-11-05")
    assert old["content"][0]["resource"]["blob"] == "YQ=="
    archive = wire(generated.ArchiveResult.normalize_any(b"a", protocol=OLD))
    (block,) = archive["content"]
    assert (block["type"], block["resource"]["blob"], block["resource"]["mimeType"]) == (
        "resource",
        "YQ==",
        "application/zip",
    )


def test_json_in_an_embedded_resource(generated: Any) -> None:
    word, tree = generated.EmbeddedWordResult("5"), {"fullName": "å", "subParts": [{"fullName": "b"}]}
    (block,) = word.to_wire(protocol=OLD)["content"]
    assert block["resource"].pop("uri").startswith("data:application/json,")
    expected = {"mimeType": "application/json", "text": '"5"'}
    assert block == {"type": "resource", "resource": expected, "annotations": {"priority": 0.5}}
    assert generated.EmbeddedWordResult.from_call_tool_result({"content": word.to_wire()["content"]}) == word

    def embed(value: Any, mime_type: str | None = "application/json") -> dict[str, Any]:
        resource = {"uri": "file:///example/data.json", "mimeType": mime_type, "text": json.dumps(value)}
        return {"type": "resource", "resource": {key: item for key, item in resource.items() if item is not None}}

    text = {"type": "text", "text": "A tree."}
    read = generated.TreeResult.from_call_tool_result
    for blocks in ([embed(tree)], [text, embed(tree, "Application/JSON; charset=utf-8")], [embed(tree), embed(1, "a")]):
        assert read({"content": blocks}).to_structured_content() == tree
        whole = {"content": blocks, "structuredContent": {"fullName": "c"}}
        assert read(whole).to_structured_content() == {"fullName": "c"}
    for blocks in ([embed(tree), embed(tree)], [text, embed(tree, "text/plain")], [embed(tree, None)]):
        with pytest.raises(ValidationError, match="the result has no structuredContent"):
            read({"content": blocks})
    with pytest.raises(ValidationError, match="subParts"):
        read({"content": [embed({"fullName": "a", "subParts": 5})]})
    assert read({"content": [text, embed([5])]}, on_invalid="raw") == [5]


UNFIT: list[tuple[str, Any]] = [
    ("resource", None),
    ("items", {"type": "object"}),
    ("items", {"type": "object", "properties": {"a": {"type": "array"}, "b": {"type": "array"}}}),
    ("none", None),
    ("items", {"type": "string"}),
    ("items", None),
    ("items", {"type": ["array", "null"]}),
    ("binary", {"type": "string"}),
    ("binary", {"type": "string", "contentEncoding": "base64"}),
    ("binary", {"type": "object", "properties": {"a": {"type": "string", "contentEncoding": "base64"}}}),
    ("binary", None),
]


@pytest.mark.parametrize(("content", "schema"), UNFIT, ids=range(len(UNFIT)))
def test_strategies_that_do_not_fit_are_findings(tmp_path: Path, content: str, schema: Any) -> None:
    (tmp_path / "schemas").mkdir()
    declared = tool("a", schema, **{"x-mcpgen": {"content": content}})
    (tmp_path / "schemas" / "a.json").write_text(json.dumps(declared, indent=1), "utf-8")
    run = mcpgen("build", "schemas", cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert "error[MG509]" in run.stderr
    assert "a.json:" in run.stderr
