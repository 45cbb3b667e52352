"""Types of the protocol, from the official SDK (mcp 2.x)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import AudioContent as AudioContent
from mcp_types import BlobResourceContents as BlobResourceContents
from mcp_types import CallToolResult as CallToolResult
from mcp_types import ContentBlock as ContentBlock
from mcp_types import EmbeddedResource as EmbeddedResource
from mcp_types import GetPromptResult as GetPromptResult
from mcp_types import ImageContent as ImageContent
from mcp_types import InputRequiredResult as InputRequiredResult
from mcp_types import PromptMessage as PromptMessage
from mcp_types import ReadResourceResult as ReadResourceResult
from mcp_types import Resource as Resource
from mcp_types import ResourceLink as ResourceLink
from mcp_types import ResourceTemplate as ResourceTemplate
from mcp_types import TextContent as TextContent
from mcp_types import TextResourceContents as TextResourceContents
from mcp_types import Tool as Tool
from pydantic import TypeAdapter

from ..sdk_requirement import REQUIREMENT as REQUIREMENT  # says which SDK is needed, before that is imported

DEFAULT = {{default}}
"""Default protocol version of calls."""

_BLOCK: TypeAdapter[ContentBlock] = TypeAdapter(ContentBlock)
_TEXT = TextContent.__pydantic_validator__.validate_python
_RESULT = CallToolResult.__pydantic_validator__.validate_python


def block(wire: Mapping[str, Any]) -> ContentBlock:
    """Read a content block from its wire form."""
    return _BLOCK.validate_python(wire)


def text_block(text: str) -> TextContent:
    """Make a text block without annotations."""
    block: TextContent = _TEXT({"type": "text", "text": text})
    return block


def text_result(text: str, structured: Any, version: str) -> CallToolResult:
    """Make a CallToolResult with one text block; see `call_tool_result`."""
    fields: dict[str, Any] = {"content": [_TEXT({"type": "text", "text": text})], "structuredContent": structured}
    if version >= "2026-07-28":
        fields["resultType"] = "complete"
    result: CallToolResult = _RESULT(fields)
    return result


def call_tool_result(
    content: list[ContentBlock],
    structured: Any,
    has_structured: bool,
    meta: Mapping[str, Any] | None,
    version: str,
    is_error: bool = False,
) -> CallToolResult:
    """Make a CallToolResult that sets the fields of the protocol version."""
    fields: dict[str, Any] = {"content": content}
    if has_structured:
        fields["structuredContent"] = structured
    if is_error:
        fields["isError"] = True
    if meta is not None:
        fields["_meta"] = dict(meta)
    if version >= "2026-07-28":
        fields["resultType"] = "complete"
    result: CallToolResult = _RESULT(fields)
    return result
