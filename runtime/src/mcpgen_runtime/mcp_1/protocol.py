"""Types of the protocol, from the official SDK (mcp 1.x)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.types import AudioContent as AudioContent
from mcp.types import BlobResourceContents as BlobResourceContents
from mcp.types import CallToolResult as CallToolResult
from mcp.types import ContentBlock as ContentBlock
from mcp.types import EmbeddedResource as EmbeddedResource
from mcp.types import GetPromptResult as GetPromptResult
from mcp.types import ImageContent as ImageContent
from mcp.types import PromptMessage as PromptMessage
from mcp.types import ReadResourceResult as ReadResourceResult
from mcp.types import Resource as Resource
from mcp.types import ResourceLink as ResourceLink
from mcp.types import ResourceTemplate as ResourceTemplate
from mcp.types import TextContent as TextContent
from mcp.types import TextResourceContents as TextResourceContents
from mcp.types import Tool as Tool
from pydantic import TypeAdapter

from ..errors import UnsupportedProtocol
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
    if version >= "2026-07-28":
        raise _unsupported(version)
    fields: dict[str, Any] = {"content": [_TEXT({"type": "text", "text": text})], "structuredContent": structured}
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
    """Make a CallToolResult that sets the fields of the protocol version.

    Raises:
        UnsupportedProtocol: mcp 1.x does not support 2026-07-28.
    """
    if version >= "2026-07-28":
        raise _unsupported(version)
    fields: dict[str, Any] = {"content": content}
    if has_structured:
        fields["structuredContent"] = structured
    if is_error:
        fields["isError"] = True
    if meta is not None:
        fields["_meta"] = dict(meta)
    result: CallToolResult = _RESULT(fields)
    return result


def _unsupported(version: str) -> UnsupportedProtocol:
    return UnsupportedProtocol(f"the CallToolResult of mcp 1.x cannot carry protocol version {version}")
