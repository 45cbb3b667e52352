"""Results for Azure Functions: the McpToolResult that a worker hands to the host of the MCP extension.

For tool triggers with `useResultSchema`, where the worker, not the host, decides the type of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from .runtime.tool_result import ToolResult
from .runtime.wire_results import Answer

PROTOCOL = "2025-11-25"
"""The host expects structured content to be an object, so other values are wrapped."""


def to_mcp_tool_result(result: ToolResult | BaseModel | Mapping[str, Any]) -> dict[str, str]:
    """Return a result as `{"type", "content", "structuredContent"}`: three strings, of which the last two are JSON.

    One content block gives its own `type`, several give `multi_content_result`. A result with `isError` or `_meta`
    needs the whole result and so gives `call_tool_result`. Structured content always comes with a text block: its
    JSON, if the result has no other.

    Args:
        result: an instance of a generated result class, a CallToolResult of any SDK, or a wire dict.
    """
    answer = Answer.of(
        result.to_wire(protocol=PROTOCOL) if isinstance(result, ToolResult) else result
    )
    blocks = [*answer.content]
    if answer.has_structured and all(block["type"] != "text" for block in blocks):
        blocks.append({"type": "text", "text": _format_json(answer.structured)})
    structured = (
        {"structuredContent": _format_json(answer.structured)} if answer.has_structured else {}
    )
    if answer.is_error or answer.meta is not None:
        return {
            "type": "call_tool_result",
            "content": _format_json(_build_wire_result(answer, blocks)),
            **structured,
        }
    if len(blocks) == 1:
        return {"type": str(blocks[0]["type"]), "content": _format_json(blocks[0]), **structured}
    return {"type": "multi_content_result", "content": _format_json(blocks), **structured}


def _build_wire_result(answer: Answer, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {"content": blocks}
    if answer.has_structured:
        out["structuredContent"] = answer.structured
    if answer.is_error:
        out["isError"] = True
    if answer.meta is not None:
        out["_meta"] = answer.meta
    return out


def _format_json(value: object) -> str:
    return to_json(value).decode()


__all__ = ["to_mcp_tool_result"]
