"""Classes for tools, resources and prompts with the types of the official SDK, mcp 1.x or 2.x, for every SDK."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from .descriptors import *
from .models import RootArray, RootValue
from .prompts import PromptOf
from .resources import ContentsResourceOf, JsonResourceOf, ResourceResultOf, ResourceTypes
from .tool_result import ContentResultOf, ToolResultOf
from .wire_forms import CheckedValue, ProtocolTypes

_IS_MCP_1 = version("mcp").startswith("1.")
if TYPE_CHECKING or _IS_MCP_1:
    from mcp import types
else:
    import mcp_types as types  # the same, without the rest of mcp 2.x, whose import is slow

AudioContent: TypeAlias = types.AudioContent
BlobResourceContents: TypeAlias = types.BlobResourceContents
CallToolResult: TypeAlias = types.CallToolResult
ContentBlock: TypeAlias = types.ContentBlock
EmbeddedResource: TypeAlias = types.EmbeddedResource
GetPromptResult: TypeAlias = types.GetPromptResult
ImageContent: TypeAlias = types.ImageContent
PromptMessage: TypeAlias = types.PromptMessage
ReadResourceResult: TypeAlias = types.ReadResourceResult
ResourceLink: TypeAlias = types.ResourceLink
TextContent: TypeAlias = types.TextContent
TextResourceContents: TypeAlias = types.TextResourceContents
Contents: TypeAlias = TextResourceContents | BlobResourceContents
T = TypeVar("T")

_NAME, _NEWEST = ("mcp 1.x", "2025-11-25") if _IS_MCP_1 else ("mcp 2.x", "2026-07-28")
TYPES = ProtocolTypes[CallToolResult, ContentBlock](_NAME, CallToolResult, ContentBlock, TextContent, _NEWEST)
"""The classes of the SDK for tool results."""
RESOURCE_TYPES: ResourceTypes[ReadResourceResult, Contents] = ResourceTypes(
    ReadResourceResult, TextResourceContents, BlobResourceContents
)
"""The classes of the SDK for reads of resources."""
text_block = TYPES.text_block
binary_block = TYPES.binary_block
json_block = TYPES.json_block
item_blocks = TYPES.item_blocks
content_blocks = TYPES.content_blocks
tool_error = TYPES.tool_error
model_content = TYPES.model_content
Returned: TypeAlias = T | tuple[Payload, T] | CallToolResult
"""What a handler may return for a value: the value, the value with its content blocks, or the whole result."""
ReturnedArray: TypeAlias = T | CallToolResult
"""The same for a value that may be an array, since a tuple may then be the array itself."""
Normalize: TypeAlias = NormalizeTo[ValueT_contra, CallToolResult]
"""Type of a result class's `normalize`, by the values that a handler may return."""


class ToolResult(ToolResultOf[CallToolResult, ContentBlock]):
    """Base of the classes of results."""

    _types: ClassVar[ProtocolTypes[Any, Any]] = TYPES


class Checked(CheckedValue, ToolResult):
    """Base of results whose schema is stricter than their types: construction also checks the schema."""


class RootResult(ToolResult, RootValue):
    """Base for an outputSchema whose root is not an object: the value is `root`."""


class RootArrayResult(RootArray, RootResult):
    """Base for an outputSchema whose root is an array: a sequence of its items."""


class ContentResult(ContentResultOf[CallToolResult, ContentBlock], ToolResult):
    """Base for a tool without an outputSchema: content, and untyped structured content if a server sent some."""

    content: list[ContentBlock]


class McpTool(McpToolOf[ParametersT, ArgumentsT, ResultT, DecoratorT, CallToolResult]):
    """A tool of the package."""


ResourceAnswer: TypeAlias = ReadResourceResult | Contents | Sequence[Contents]
"""Values that a handler may return for any resource: the whole result, or its contents."""


class ResourceResult(ResourceResultOf[ReadResourceResult, Contents]):
    """Base of the classes of resources."""

    _types: ClassVar[ResourceTypes[Any, Any]] = RESOURCE_TYPES


class ContentsResource(ContentsResourceOf[ReadResourceResult, Contents], ResourceResult):
    """Base for a resource whose text has no schema: the contents, and the other members of the result."""

    contents: list[Contents]


class JsonResource(JsonResourceOf[ReadResourceResult, Contents], ResourceResult):
    """Base for a resource whose text is JSON with a schema: an instance is that JSON value."""


class CheckedResource(CheckedValue, JsonResource):
    """Base for a JSON value whose schema is stricter than its types: construction also checks the schema."""


class RootResource(JsonResource, RootValue):
    """Base for a schema whose root is not an object: the value is `root`."""


class RootArrayResource(RootArray, RootResource):
    """Base for a schema whose root is an array: a sequence of its items."""


class McpResource(McpResourceOf[ParametersT, ResourceT, DecoratorT, ReadResourceResult]):
    """A resource of the package."""


PromptAnswer: TypeAlias = GetPromptResult | PromptMessage | str | Sequence[PromptMessage | str]
"""Values that a handler may return for a prompt: the whole result, its messages, or the text of a user's message."""


class PromptBase(PromptOf[GetPromptResult, PromptMessage]):
    """Base of the classes of prompts."""

    _result = GetPromptResult


class McpPrompt(McpPromptOf[ParametersT, DecoratorT, GetPromptResult]):
    """A prompt of the package."""


def user_message(content: str | ContentBlock) -> PromptMessage:
    """Make a message of the user: a string or a content block."""
    return PromptMessage(role="user", content=text_block(content) if isinstance(content, str) else content)


def assistant_message(content: str | ContentBlock) -> PromptMessage:
    """Make a message of the assistant: a string or a content block."""
    return PromptMessage(role="assistant", content=text_block(content) if isinstance(content, str) else content)
