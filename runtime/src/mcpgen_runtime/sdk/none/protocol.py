"""Types of the protocol, made from the MCP schemas of all versions by scripts/protocol_types.py."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from ...core_schemas import ABSENT
from ...json_types import JsonValue
from ...models import JsonObject, OpenObject, RenamedOpenObject, write_members

_TYPED = frozenset({"annotations", "blob", "data", "mime_type", "text", "type", "uri"})
"""Fields without untyped JSON, which pydantic would neither check nor write at any depth."""


class ProtocolObject(JsonObject):
    """An object of the protocol, of whose members only structured content may be null."""

    def to_structured_content(self) -> dict[str, Any]:
        """Return the JSON object of the present properties, under their wire names."""
        values = self.__dict__
        if self.__pydantic_fields_set__ <= _TYPED and not self.__pydantic_extra__:  # the usual case
            annotations = values.get("annotations")
            if annotations is None or not annotations.__pydantic_extra__:
                wire: dict[str, Any] = self.__pydantic_serializer__.to_python(self, by_alias=True, warnings=False)
                return wire
        return write_members(self, type(self).__pydantic_fields__)


class Icon(ProtocolObject, OpenObject):
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    sizes: list[str] | None = None
    src: str
    theme: Literal["dark", "light"] | None = None


class Implementation(ProtocolObject, OpenObject):
    description: str | None = None
    icons: list[Icon] | None = None
    name: str
    title: str | None = None
    version: str
    website_url: Annotated[str | None, Field(alias="websiteUrl")] = None


class ResultMetaObject(ProtocolObject, OpenObject):
    io_modelcontextprotocol_server_info: Annotated[
        Implementation | None, Field(alias="io.modelcontextprotocol/serverInfo")
    ] = None


class Annotations(ProtocolObject, OpenObject):
    audience: list[Literal["assistant", "user"]] | None = None
    last_modified: Annotated[str | None, Field(alias="lastModified")] = None
    priority: Annotated[float | None, Field(ge=0, le=1)] = None


class TextContent(ProtocolObject, OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    text: str
    type: Literal["text"] = "text"


class ImageContent(ProtocolObject, OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    data: str
    mime_type: Annotated[str, Field(alias="mimeType")]
    type: Literal["image"] = "image"


class AudioContent(ProtocolObject, OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    data: str
    mime_type: Annotated[str, Field(alias="mimeType")]
    type: Literal["audio"] = "audio"


class ResourceLink(ProtocolObject, OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    description: str | None = None
    icons: list[Icon] | None = None
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    name: str
    size: int | None = None
    title: str | None = None
    type: Literal["resource_link"] = "resource_link"
    uri: str


class TextResourceContents(ProtocolObject, OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    text: str
    uri: str


class BlobResourceContents(ProtocolObject, OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    blob: str
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    uri: str


class EmbeddedResource(ProtocolObject, OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    resource: TextResourceContents | BlobResourceContents
    type: Literal["resource"] = "resource"


class CallToolResult(ProtocolObject, RenamedOpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    content: list[
        Annotated[
            TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource, Field(discriminator="type")
        ]
    ]
    is_error: Annotated[bool | None, Field(alias="isError")] = None
    result_type: Annotated[str | None, Field(alias="resultType")] = None
    structured_content: Annotated[JsonValue, Field(alias="structuredContent")] = ABSENT


class ReadResourceResult(ProtocolObject, OpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    cache_scope: Annotated[Literal["private", "public"], Field(alias="cacheScope")] = "private"
    contents: list[TextResourceContents | BlobResourceContents]
    result_type: Annotated[str | None, Field(alias="resultType")] = None
    ttl_ms: Annotated[int, Field(ge=0, alias="ttlMs")] = 0


class PromptMessage(ProtocolObject, OpenObject):
    content: Annotated[
        TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource, Field(discriminator="type")
    ]
    role: Literal["assistant", "user"]


class GetPromptResult(ProtocolObject, OpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    description: str | None = None
    messages: list[PromptMessage]
    result_type: Annotated[str | None, Field(alias="resultType")] = None


ContentBlock: TypeAlias = Annotated[
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource, Field(discriminator="type")
]
