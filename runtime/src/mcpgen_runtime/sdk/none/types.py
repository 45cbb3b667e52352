"""Classes for tools, resources and prompts without an SDK: the types are those of the MCP schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from ...descriptors import *
from ...models import RootArray, RootValue
from ...prompts import PromptOf
from ...resources import ContentsResourceOf, JsonResourceOf, ResourceResultOf, ResourceTypes
from ...tool_result import ContentResultOf, ToolResultOf
from ...wire_forms import CheckedValue, ProtocolTypes
from .protocol import AudioContent as AudioContent
from .protocol import BlobResourceContents as BlobResourceContents
from .protocol import CallToolResult as CallToolResult
from .protocol import ContentBlock as ContentBlock
from .protocol import EmbeddedResource as EmbeddedResource
from .protocol import GetPromptResult as GetPromptResult
from .protocol import ImageContent as ImageContent
from .protocol import PromptMessage as PromptMessage
from .protocol import ReadResourceResult as ReadResourceResult
from .protocol import ResourceLink as ResourceLink
from .protocol import TextContent as TextContent
from .protocol import TextResourceContents as TextResourceContents

Contents: TypeAlias = TextResourceContents | BlobResourceContents
T = TypeVar("T")


class _Types(ProtocolTypes[CallToolResult, ContentBlock]):
    """Makes results without a copy of the structured content, which is JSON already."""

    def _make_result(self, fields: dict[str, Any], version: str) -> CallToolResult:
        if "structuredContent" not in fields:
            return super()._make_result(fields, version)
        structured, fields["structuredContent"] = fields["structuredContent"], None
        result = super()._make_result(fields, version)
        result.__dict__["structured_content"] = structured  # pyright: ignore[reportIndexIssue] # it is a dict
        return result


TYPES = _Types("mcpgen-runtime", CallToolResult, ContentBlock, TextContent, "2026-07-28")
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


ToolResultT_co = TypeVar("ToolResultT_co", bound=ToolResult, covariant=True)


class McpTool(Generic[ArgumentsT_co, ToolResultT_co]):
    """A tool of the package: the classes of its arguments and of its result."""

    def __init__(self, arguments: type[ArgumentsT_co], result: type[ToolResultT_co]) -> None:
        self.arguments, self.result = arguments, result
        complete_classes(result.__module__)

    @property
    def name(self) -> str:
        """The tool's exact name."""
        return self.result._tool.name  # pyright: ignore[reportPrivateUsage]


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


PromptAnswer: TypeAlias = GetPromptResult | PromptMessage | str | Sequence[PromptMessage | str]
"""Values that a handler may return for a prompt: the whole result, its messages, or the text of a user's message."""


class PromptBase(PromptOf[GetPromptResult, PromptMessage]):
    """Base of the classes of prompts."""

    _result = GetPromptResult


def user_message(content: str | ContentBlock) -> PromptMessage:
    """Make a message of the user: a string or a content block."""
    return PromptMessage(role="user", content=text_block(content) if isinstance(content, str) else content)


def assistant_message(content: str | ContentBlock) -> PromptMessage:
    """Make a message of the assistant: a string or a content block."""
    return PromptMessage(role="assistant", content=text_block(content) if isinstance(content, str) else content)
