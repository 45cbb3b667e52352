"""Results for Azure Functions: every form of an McpToolResult."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from support.packages import built, mcpgen, package, tool

READING = {
    "type": "object",
    "properties": {"level": {"type": "number"}, "note": {"type": "string"}},
    "required": ["level"],
}
PNG = "iVBORw0KGgo="


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    folder = tmp_path_factory.mktemp("azure")
    image = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
    tools = [
        tool("reading", READING),
        tool("silent", READING, **{"x-mcpgen": {"content": "none"}}),
        tool("names", {"type": "array", "items": {"type": "string"}}, **{"x-mcpgen": {"content": "items"}}),
        tool("picture", image),
        tool("archive", {**image, "contentMediaType": "application/zip"}, **{"x-mcpgen": {"content": "binary"}}),
        tool("say"),
    ]
    (folder / "schemas").mkdir()
    (folder / "schemas" / "tools.json").write_text(json.dumps(tools), "utf-8")
    (folder / "mcpgen.toml").write_text("azure = true\n", "utf-8")
    return built(folder, "--sdk", str(request.param))


def _azure(generated: Any, result: Any, **options: Any) -> dict[str, Any]:
    """Return the McpToolResult, with its JSON texts read."""
    created = importlib.import_module(f"{generated.__name__}.azure").to_mcp_tool_result(result, **options)
    assert all(isinstance(value, str) for value in created.values())
    return {key: value if key == "type" else json.loads(value) for key, value in created.items()}


def _content(generated: Any, *blocks: dict[str, Any]) -> Any:
    return generated.SayResult(content=list(blocks))


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": "It is raining."},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "audio", "data": PNG, "mimeType": "audio/wav"},
        {"type": "resource_link", "name": "chart", "uri": "chart://1"},
        {"type": "resource", "resource": {"uri": "note://1", "text": "A note.", "mimeType": "text/plain"}},
    ],
)
def test_one_block(generated: Any, block: dict[str, Any]) -> None:
    assert _azure(generated, _content(generated, block)) == {"type": block["type"], "content": block}


def test_several_blocks(generated: Any) -> None:
    blocks = [{"type": "text", "text": "Here:"}, {"type": "image", "data": PNG, "mimeType": "image/png"}]
    assert _azure(generated, _content(generated, *blocks)) == {"type": "multi_content_result", "content": blocks}
    assert _azure(generated, _content(generated)) == {"type": "multi_content_result", "content": []}


def test_structured_content_has_a_text_beside_it(generated: Any) -> None:
    value = {"level": 2.5}
    text = {"type": "text", "text": '{"level":2.5}'}
    for cls in (generated.ReadingResult, generated.SilentResult):
        assert _azure(generated, cls(level=2.5)) == {"type": "text", "content": text, "structuredContent": value}
    names = _azure(generated, generated.NamesResult(["Ada", "Bob"]))
    assert names["type"] == "multi_content_result"
    assert names["structuredContent"] == {"result": ["Ada", "Bob"]}


def test_binary_data_is_not_in_the_text(generated: Any) -> None:
    for cls, kind, mime_type in (
        (generated.PictureResult, "image", "image/png"),
        (generated.ArchiveResult, "resource", "application/zip"),
    ):
        (block,) = cls(PNG).to_wire()["content"]
        beside = {"type": "text", "text": f"Binary data: {mime_type}"}
        for result in (cls(PNG), cls(PNG).to_call_tool_result(protocol="2025-06-18")):
            sent = {"type": "multi_content_result", "content": [block, beside], "structuredContent": {"result": PNG}}
            assert _azure(generated, result) == sent
            assert _azure(generated, result, structured=False) == {"type": kind, "content": block}
    both = generated.ReadingResult(level=1).to_wire([generated.PictureResult(PNG).to_content()[0]])
    assert _azure(generated, both)["content"][1] == {"type": "text", "text": '{"level":1}'}


def test_without_structured_content(generated: Any) -> None:
    """The JSON is sent as text if there is nothing else."""
    text = {"type": "text", "text": '{"level":2.5}'}
    for cls in (generated.ReadingResult, generated.SilentResult):
        assert _azure(generated, cls(level=2.5), structured=False) == {"type": "text", "content": text}
    result = generated.ReadingResult(level=1).to_call_tool_result(meta={"trace": 1}, protocol="2025-06-18")
    assert _azure(generated, result, structured=False)["content"].keys() == {"content", "_meta"}


def test_errors_and_meta_need_the_whole_result(generated: Any) -> None:
    error = _azure(generated, generated.tool_error("No such gauge."))
    assert error["type"] == "call_tool_result"
    assert error["content"] == {"content": [{"type": "text", "text": "No such gauge."}], "isError": True}
    result = generated.ReadingResult(level=1).to_call_tool_result(meta={"trace": 1}, protocol="2025-06-18")
    whole = _azure(generated, result)
    assert whole["type"] == "call_tool_result"
    assert whole["structuredContent"] == whole["content"]["structuredContent"] == {"level": 1}
    assert whole["content"]["_meta"] == {"trace": 1}


def test_wire_dicts(generated: Any) -> None:
    wire: dict[str, Any] = {"content": [{"type": "text", "text": "null"}], "structuredContent": None}
    assert _azure(generated, wire) == {"type": "text", "content": wire["content"][0], "structuredContent": None}
    for value in ({"city": "P"}, {}, generated.ReadingArguments()):
        with pytest.raises(ValidationError, match="should be a CallToolResult"):
            _azure(generated, value)


def test_it_is_made_only_when_asked_for(tmp_path: Path) -> None:
    generated = package(tmp_path, [tool("say")])
    assert not (Path(generated.__file__).parent / "azure.py").exists()
    (tmp_path / "mcpgen.toml").write_text('azure = "yes"\n', "utf-8")
    run = mcpgen("build", cwd=tmp_path)
    assert run.returncode == 2
    assert "mcpgen.toml:1:1: error[MG302]" in run.stderr
