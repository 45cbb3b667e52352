"""Types of the protocol, made from the MCP schemas of all versions by scripts/protocol_types.py."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from ...core_schemas import ABSENT
from ...json_types import JsonValue
from ...models import OpenObject, RenamedOpenObject, to_json_value


class Icon(OpenObject):
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    sizes: list[str] | None = None
    src: str
    theme: Literal["dark", "light"] | None = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["mime_type"] is not None:
            out["mimeType"] = values["mime_type"]
        if values["sizes"] is not None:
            out["sizes"] = [*values["sizes"]]
        out["src"] = values["src"]
        if values["theme"] is not None:
            out["theme"] = values["theme"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class Implementation(OpenObject):
    description: str | None = None
    icons: list[Icon] | None = None
    name: str
    title: str | None = None
    version: str
    website_url: Annotated[str | None, Field(alias="websiteUrl")] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["description"] is not None:
            out["description"] = values["description"]
        if values["icons"] is not None:
            out["icons"] = [item.to_structured_content() for item in values["icons"]]
        out["name"] = values["name"]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["version"] = values["version"]
        if values["website_url"] is not None:
            out["websiteUrl"] = values["website_url"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class ResultMetaObject(OpenObject):
    io_modelcontextprotocol_server_info: Annotated[
        Implementation | None, Field(alias="io.modelcontextprotocol/serverInfo")
    ] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["io_modelcontextprotocol_server_info"] is not None:
            out["io.modelcontextprotocol/serverInfo"] = values[
                "io_modelcontextprotocol_server_info"
            ].to_structured_content()
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class Annotations(OpenObject):
    audience: list[Literal["assistant", "user"]] | None = None
    last_modified: Annotated[str | None, Field(alias="lastModified")] = None
    priority: Annotated[float | None, Field(ge=0, le=1)] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["audience"] is not None:
            out["audience"] = [*values["audience"]]
        if values["last_modified"] is not None:
            out["lastModified"] = values["last_modified"]
        if values["priority"] is not None:
            out["priority"] = values["priority"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class TextContent(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    text: str
    type: Literal["text"] = "text"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        if values["annotations"] is not None:
            out["annotations"] = values["annotations"].to_structured_content()
        out["text"] = values["text"]
        out["type"] = values["type"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class ImageContent(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    data: str
    mime_type: Annotated[str, Field(alias="mimeType")]
    type: Literal["image"] = "image"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        if values["annotations"] is not None:
            out["annotations"] = values["annotations"].to_structured_content()
        out["data"] = values["data"]
        out["mimeType"] = values["mime_type"]
        out["type"] = values["type"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class AudioContent(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    data: str
    mime_type: Annotated[str, Field(alias="mimeType")]
    type: Literal["audio"] = "audio"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        if values["annotations"] is not None:
            out["annotations"] = values["annotations"].to_structured_content()
        out["data"] = values["data"]
        out["mimeType"] = values["mime_type"]
        out["type"] = values["type"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class ResourceLink(OpenObject):
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

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        if values["annotations"] is not None:
            out["annotations"] = values["annotations"].to_structured_content()
        if values["description"] is not None:
            out["description"] = values["description"]
        if values["icons"] is not None:
            out["icons"] = [item.to_structured_content() for item in values["icons"]]
        if values["mime_type"] is not None:
            out["mimeType"] = values["mime_type"]
        out["name"] = values["name"]
        if values["size"] is not None:
            out["size"] = values["size"]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        out["uri"] = values["uri"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class TextResourceContents(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    text: str
    uri: str

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        if values["mime_type"] is not None:
            out["mimeType"] = values["mime_type"]
        out["text"] = values["text"]
        out["uri"] = values["uri"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class BlobResourceContents(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    blob: str
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    uri: str

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        out["blob"] = values["blob"]
        if values["mime_type"] is not None:
            out["mimeType"] = values["mime_type"]
        out["uri"] = values["uri"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class EmbeddedResource(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    resource: TextResourceContents | BlobResourceContents
    type: Literal["resource"] = "resource"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        if values["annotations"] is not None:
            out["annotations"] = values["annotations"].to_structured_content()
        out["resource"] = values["resource"].to_structured_content()
        out["type"] = values["type"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class CallToolResult(RenamedOpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    content: list[
        Annotated[
            TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource, Field(discriminator="type")
        ]
    ]
    is_error: Annotated[bool | None, Field(alias="isError")] = None
    result_type: Annotated[str | None, Field(alias="resultType")] = None
    structured_content: Annotated[JsonValue, Field(alias="structuredContent")] = ABSENT

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = values["meta"].to_structured_content()
        out["content"] = [item.to_structured_content() for item in values["content"]]
        if values["is_error"] is not None:
            out["isError"] = values["is_error"]
        if values["result_type"] is not None:
            out["resultType"] = values["result_type"]
        if "structured_content" in self.__pydantic_fields_set__:
            out["structuredContent"] = to_json_value(values["structured_content"])
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class ReadResourceResult(OpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    cache_scope: Annotated[Literal["private", "public"], Field(alias="cacheScope")] = "private"
    contents: list[TextResourceContents | BlobResourceContents]
    result_type: Annotated[str | None, Field(alias="resultType")] = None
    ttl_ms: Annotated[int, Field(ge=0, alias="ttlMs")] = 0

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = values["meta"].to_structured_content()
        out["cacheScope"] = values["cache_scope"]
        out["contents"] = [item.to_structured_content() for item in values["contents"]]
        if values["result_type"] is not None:
            out["resultType"] = values["result_type"]
        out["ttlMs"] = values["ttl_ms"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class PromptMessage(OpenObject):
    content: Annotated[
        TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource, Field(discriminator="type")
    ]
    role: Literal["assistant", "user"]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {"content": values["content"].to_structured_content(), "role": values["role"]}
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


class GetPromptResult(OpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    description: str | None = None
    messages: list[PromptMessage]
    result_type: Annotated[str | None, Field(alias="resultType")] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = values["meta"].to_structured_content()
        if values["description"] is not None:
            out["description"] = values["description"]
        out["messages"] = [item.to_structured_content() for item in values["messages"]]
        if values["result_type"] is not None:
            out["resultType"] = values["result_type"]
        return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out


ContentBlock: TypeAlias = Annotated[
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource, Field(discriminator="type")
]
