"""Results for Azure Functions: the McpToolResult that a worker hands to the host of the MCP extension.

For tool triggers with `useResultSchema`: then the worker, not the host, decides the type of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_json

from ..content import NEWEST_OBJECT_RESULT, Answer, get_binary_data
from ..tool_result import ToolResultOf

PROTOCOL = NEWEST_OBJECT_RESULT
"""The host expects structured content to be an object, so other values are wrapped."""


def to_mcp_tool_result(
    result: ToolResultOf[Any, Any] | BaseModel | Mapping[str, Any], *, structured: bool = True
) -> dict[str, str]:
    """Return a result as `{"type", "content", "structuredContent"}`: three strings, of which the last two are JSON.

    One content block gives its own `type`, several give `multi_content_result`. A result with `isError` or `_meta`
    gives `call_tool_result`, since the host then needs the whole result. Structured content always comes with a text
    block: its JSON, if the result has no other. If the value is the data of an image, audio or a file, that text only
    names the media type.

    Args:
        result: an instance of a generated result class, a CallToolResult of any SDK, or a wire dict.
        structured: whether to send structured content. Without it, binary data is sent once, in its block. A result
            without blocks then sends its JSON as text.

    Raises:
        pydantic.ValidationError: it is not a CallToolResult.
    """
    is_own = isinstance(result, ToolResultOf)
    answer = Answer.of(cast(Any, result).to_wire(protocol=PROTOCOL) if is_own else result)
    blocks = [*answer.content]
    has_text = any(block["type"] == "text" for block in blocks)
    if answer.has_structured and not has_text and (structured or not blocks):
        blocks.append({"type": "text", "text": _describe_value(answer)})
    value = {"structuredContent": answer.structured} if structured and answer.has_structured else {}
    kind, content = "multi_content_result", cast(Any, blocks)
    if answer.is_error or answer.meta is not None:
        flag = {"isError": True} if answer.is_error else {}
        meta = {} if answer.meta is None else {"_meta": answer.meta}
        kind, content = "call_tool_result", {"content": blocks, **value, **flag, **meta}
    elif len(blocks) == 1:
        kind, content = str(blocks[0]["type"]), blocks[0]
    return {"type": kind, **{name: to_json(member).decode() for name, member in {"content": content, **value}.items()}}


def _describe_value(answer: Answer) -> str:
    """Return the JSON of the structured content, or the media type if a block has its data already."""
    for block in answer.content:
        data = get_binary_data(block)
        if data is not None and answer.structured in (data, {"result": data}):
            return f"Binary data: {block.get('resource', block).get('mimeType', 'application/octet-stream')}"
    return to_json(answer.structured).decode()
