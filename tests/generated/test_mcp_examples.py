"""The specification's own examples of tools, results and content: read and written back equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import corpus
from support.packages import get_types, package, tool
from support.repository import needs_shared
from support.wire_forms import wire

EXAMPLES = corpus.CORPUS / "mcp-examples"
pytestmark = needs_shared("corpus/mcp-examples/2026-07-28/CallToolResult")
NEW = "2026-07-28"
BLOCKS = ("AudioContent", "EmbeddedResource", "ImageContent", "ResourceLink", "TextContent")
PROTOCOL_TYPES = (
    "BlobResourceContents",
    "CallToolResult",
    "ReadResourceResult",
    "TextResourceContents",
    *BLOCKS,
)
ELSEWHERE = {
    "ToolResultContent": "a block of sampling messages, which no tool result and no resource holds",
    "InputRequiredResult": "asks the client for input in place of a result; handlers make it by themselves",
}
"""Content and result types of the examples that no generated class reads."""

USERS: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("id", "name", "email")},
        "required": ["id", "name", "email"],
        "additionalProperties": False,
    },
}


def _paths(kind: str) -> list[Path]:
    return sorted(EXAMPLES.glob(f"*/{kind}/*.json"))


def _named(kinds: tuple[str, ...]) -> list[Any]:
    examples = [(kind, path) for kind in kinds for path in _paths(kind)]
    return [pytest.param(kind, path, id=f"{path.parent.parent.name} {kind} {path.stem}") for kind, path in examples]


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the tools of the examples, one for the array that an example result carries, one without a schema."""
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    declared = {value["name"]: value for value in map(_read, _paths("Tool"))}
    tools = [*declared.values(), tool("find_users", USERS), tool("plain")]
    generated = package(tmp_path_factory.mktemp("examples"), tools, "--sdk", str(request.param))
    return generated


@pytest.mark.parametrize(("kind", "path"), _named(PROTOCOL_TYPES))
def test_the_protocols_types(generated: Any, kind: str, path: Path) -> None:
    value = _read(path)
    read = getattr(get_types(generated), kind).model_validate(value)
    assert corpus.equal(wire(read), value)
    assert corpus.equal(json.loads(read.model_dump_json(by_alias=True, exclude_unset=True)), value)


@pytest.mark.parametrize(("kind", "path"), _named(BLOCKS))
def test_blocks_in_results(generated: Any, kind: str, path: Path) -> None:
    value = _read(path)
    block = get_types(generated).TYPES.read_block(value)
    assert type(block) is getattr(get_types(generated), kind)
    for payload in (block, [block], (block for _ in range(1))):
        assert corpus.equal(wire(generated.PlainResult.normalize(payload))["content"], [value])
    sent = generated.PlainResult(content=[block]).to_wire()
    assert corpus.equal(sent, {"content": [value], "resultType": "complete"})
    assert corpus.equal(generated.PlainResult.from_call_tool_result(sent).to_wire(), sent)
    beside = generated.FindUsersResult([]).to_wire(content=[block])
    assert corpus.equal(beside, {"content": [value], "structuredContent": [], "resultType": "complete"})


@pytest.mark.parametrize(("kind", "path"), _named(("Tool",)))
def test_tools_are_advertised_as_they_are(generated: Any, kind: str, path: Path) -> None:
    value = _read(path)
    assert corpus.equal(generated.TOOLS[value["name"]], value)
    assert value in generated.list_tools(NEW)


def _class_for(generated: Any, value: dict[str, Any]) -> Any:
    match value.get("structuredContent"):
        case list():
            return generated.FindUsersResult
        case dict():
            return generated.RESULT_TYPES["get_weather_data"]
        case _:
            return generated.PlainResult


@pytest.mark.parametrize(("kind", "path"), _named(("CallToolResult",)))
def test_results_through_generated_classes(generated: Any, kind: str, path: Path) -> None:
    value = _read(path)
    cls = _class_for(generated, value)
    parsed = get_types(generated).CallToolResult.model_validate(value)
    assert cls.normalize(parsed) is parsed
    assert corpus.equal(wire(cls.normalize(value)), value)
    assert corpus.equal(wire(cls.normalize_any(value)), value)
    if value.get("isError"):
        for result in (value, parsed):
            with pytest.raises(generated.ToolCallError) as caught:
                cls.from_call_tool_result(result)
            assert caught.value.text == value["content"][0]["text"]
        again = generated.tool_error(caught.value.text)
        assert corpus.equal(wire(again), value)
        return
    expected = {key: item for key, item in value.items() if key != "isError"}  # false is what its absence means
    for result in (value, parsed):
        read = cls.from_call_tool_result(result)
        written = read.to_call_tool_result(content=parsed.content, protocol=NEW)
        assert corpus.equal(wire(written), expected)
        assert corpus.equal(read.to_wire(content=parsed.content, protocol=NEW), expected)
        assert corpus.equal(json.loads(read.to_wire_json(content=parsed.content, protocol=NEW)), expected)
        if "structuredContent" in value:
            assert corpus.equal(read.to_structured_content(), value["structuredContent"])


def test_every_example_of_these_kinds_is_covered() -> None:
    kinds = {path.name for path in EXAMPLES.glob("*/*") if path.is_dir()}
    relevant = {kind for kind in kinds if kind.endswith(("Content", "Contents", "Result")) or kind in PROTOCOL_TYPES}
    others = {
        "CompleteResult",
        "CreateMessageResult",
        "ElicitResult",
        "ListResourceTemplatesResult",
        "ListResourcesResult",
    }
    assert relevant - others - {*ELSEWHERE} <= {*PROTOCOL_TYPES}
    assert {
        "CallToolResult",
        "ReadResourceResult",
        "ImageContent",
        "AudioContent",
        "EmbeddedResource",
    } <= relevant
    for kind in ("CallToolResult", "Tool"):
        assert len(_paths(kind)) >= 6
