"""Types of the protocol, generated from the MCP JSON schemas: the union of all versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from typing_extensions import TypeAliasType

from ...exact_types import ABSENT
from ...models import OpenObject, RenamedOpenObject, to_json_value
from ...json_types import JsonValue


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class CallToolResult(RenamedOpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    content: list[
        Annotated[
            TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource,
            Field(discriminator="type"),
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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ToolAnnotations(OpenObject):
    destructive_hint: Annotated[bool | None, Field(alias="destructiveHint")] = None
    idempotent_hint: Annotated[bool | None, Field(alias="idempotentHint")] = None
    open_world_hint: Annotated[bool | None, Field(alias="openWorldHint")] = None
    read_only_hint: Annotated[bool | None, Field(alias="readOnlyHint")] = None
    title: str | None = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["destructive_hint"] is not None:
            out["destructiveHint"] = values["destructive_hint"]
        if values["idempotent_hint"] is not None:
            out["idempotentHint"] = values["idempotent_hint"]
        if values["open_world_hint"] is not None:
            out["openWorldHint"] = values["open_world_hint"]
        if values["read_only_hint"] is not None:
            out["readOnlyHint"] = values["read_only_hint"]
        if values["title"] is not None:
            out["title"] = values["title"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ToolInputSchema(OpenObject):
    schema_: Annotated[str | None, Field(alias="$schema")] = None
    type: Literal["object"] = "object"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["schema_"] is not None:
            out["$schema"] = values["schema_"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ToolOutputSchema(OpenObject):
    schema_: Annotated[str | None, Field(alias="$schema")] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["schema_"] is not None:
            out["$schema"] = values["schema_"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ToolExecution(OpenObject):
    task_support: Annotated[Literal["forbidden", "optional", "required"] | None, Field(alias="taskSupport")] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["task_support"] is not None:
            out["taskSupport"] = values["task_support"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class Tool(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: ToolAnnotations | None = None
    description: str | None = None
    icons: list[Icon] | None = None
    input_schema: Annotated[ToolInputSchema, Field(alias="inputSchema")]
    name: str
    output_schema: Annotated[ToolOutputSchema | None, Field(alias="outputSchema")] = None
    title: str | None = None
    execution: ToolExecution | None = None

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
        out["inputSchema"] = values["input_schema"].to_structured_content()
        out["name"] = values["name"]
        if values["output_schema"] is not None:
            out["outputSchema"] = values["output_schema"].to_structured_content()
        if values["title"] is not None:
            out["title"] = values["title"]
        if values["execution"] is not None:
            out["execution"] = values["execution"].to_structured_content()
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class Resource(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    description: str | None = None
    icons: list[Icon] | None = None
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    name: str
    size: int | None = None
    title: str | None = None
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
        out["uri"] = values["uri"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ResourceTemplate(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    annotations: Annotations | None = None
    description: str | None = None
    icons: list[Icon] | None = None
    mime_type: Annotated[str | None, Field(alias="mimeType")] = None
    name: str
    title: str | None = None
    uri_template: Annotated[str, Field(alias="uriTemplate")]

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
        if values["title"] is not None:
            out["title"] = values["title"]
        out["uriTemplate"] = values["uri_template"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ToolUseContent(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    id: str
    input: dict[str, JsonValue]
    name: str
    type: Literal["tool_use"] = "tool_use"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        out["id"] = values["id"]
        out["input"] = {key0: to_json_value(item) for key0, item in values["input"].items()}
        out["name"] = values["name"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ToolResultContent(RenamedOpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    content: list[
        Annotated[
            TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource,
            Field(discriminator="type"),
        ]
    ]
    is_error: Annotated[bool | None, Field(alias="isError")] = None
    structured_content: Annotated[JsonValue, Field(alias="structuredContent")] = ABSENT
    tool_use_id: Annotated[str, Field(alias="toolUseId")]
    type: Literal["tool_result"] = "tool_result"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        out["content"] = [item.to_structured_content() for item in values["content"]]
        if values["is_error"] is not None:
            out["isError"] = values["is_error"]
        if "structured_content" in self.__pydantic_fields_set__:
            out["structuredContent"] = to_json_value(values["structured_content"])
        out["toolUseId"] = values["tool_use_id"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class SamplingMessage(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None
    content: (
        TextContent
        | ImageContent
        | AudioContent
        | ToolUseContent
        | ToolResultContent
        | list[
            Annotated[
                TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent,
                Field(discriminator="type"),
            ]
        ]
    )
    role: Literal["assistant", "user"]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        out["content"] = to_json_value(values["content"])
        out["role"] = values["role"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


if TYPE_CHECKING:
    JSONValue: TypeAlias = "JSONObject | list[JSONValue] | str | int | bool"
else:
    JSONValue = TypeAliasType("JSONValue", "JSONObject | list[JSONValue] | str | int | bool")


if TYPE_CHECKING:
    JSONObject: TypeAlias = "dict[str, JSONValue]"
else:
    JSONObject = TypeAliasType("JSONObject", "dict[str, JSONValue]")


class ModelHint(OpenObject):
    name: str | None = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["name"] is not None:
            out["name"] = values["name"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ModelPreferences(OpenObject):
    cost_priority: Annotated[float | None, Field(ge=0, le=1, alias="costPriority")] = None
    hints: list[ModelHint] | None = None
    intelligence_priority: Annotated[float | None, Field(ge=0, le=1, alias="intelligencePriority")] = None
    speed_priority: Annotated[float | None, Field(ge=0, le=1, alias="speedPriority")] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["cost_priority"] is not None:
            out["costPriority"] = values["cost_priority"]
        if values["hints"] is not None:
            out["hints"] = [item.to_structured_content() for item in values["hints"]]
        if values["intelligence_priority"] is not None:
            out["intelligencePriority"] = values["intelligence_priority"]
        if values["speed_priority"] is not None:
            out["speedPriority"] = values["speed_priority"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ToolChoice(OpenObject):
    mode: Literal["auto", "none", "required"] | None = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["mode"] is not None:
            out["mode"] = values["mode"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class CreateMessageRequestParams(OpenObject):
    include_context: Annotated[Literal["allServers", "none", "thisServer"] | None, Field(alias="includeContext")] = None
    max_tokens: Annotated[int, Field(alias="maxTokens")]
    messages: list[SamplingMessage]
    metadata: JSONObject | None = None
    model_preferences_: Annotated[ModelPreferences | None, Field(alias="modelPreferences")] = None
    stop_sequences: Annotated[list[str] | None, Field(alias="stopSequences")] = None
    system_prompt: Annotated[str | None, Field(alias="systemPrompt")] = None
    temperature: float | None = None
    tool_choice: Annotated[ToolChoice | None, Field(alias="toolChoice")] = None
    tools: list[Tool] | None = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["include_context"] is not None:
            out["includeContext"] = values["include_context"]
        out["maxTokens"] = values["max_tokens"]
        out["messages"] = [item.to_structured_content() for item in values["messages"]]
        if values["metadata"] is not None:
            out["metadata"] = to_json_value(values["metadata"])
        if values["model_preferences_"] is not None:
            out["modelPreferences"] = values["model_preferences_"].to_structured_content()
        if values["stop_sequences"] is not None:
            out["stopSequences"] = [*values["stop_sequences"]]
        if values["system_prompt"] is not None:
            out["systemPrompt"] = values["system_prompt"]
        if values["temperature"] is not None:
            out["temperature"] = values["temperature"]
        if values["tool_choice"] is not None:
            out["toolChoice"] = values["tool_choice"].to_structured_content()
        if values["tools"] is not None:
            out["tools"] = [item.to_structured_content() for item in values["tools"]]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class CreateMessageRequest(OpenObject):
    method: Literal["sampling/createMessage"] = "sampling/createMessage"
    params: CreateMessageRequestParams

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "method": values["method"],
            "params": values["params"].to_structured_content(),
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ListRootsRequestParams(OpenObject):
    meta: Annotated[dict[str, JsonValue] | None, Field(alias="_meta")] = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = {key0: to_json_value(item) for key0, item in values["meta"].items()}
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ListRootsRequest(OpenObject):
    method: Literal["roots/list"] = "roots/list"
    params: ListRootsRequestParams | None = None

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "method": values["method"],
        }
        if values["params"] is not None:
            out["params"] = values["params"].to_structured_content()
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class StringSchema(OpenObject):
    default: str | None = None
    description: str | None = None
    format: Literal["date", "date-time", "email", "uri"] | None = None
    max_length: Annotated[int | None, Field(alias="maxLength")] = None
    min_length: Annotated[int | None, Field(alias="minLength")] = None
    title: str | None = None
    type: Literal["string"] = "string"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = values["default"]
        if values["description"] is not None:
            out["description"] = values["description"]
        if values["format"] is not None:
            out["format"] = values["format"]
        if values["max_length"] is not None:
            out["maxLength"] = values["max_length"]
        if values["min_length"] is not None:
            out["minLength"] = values["min_length"]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class NumberSchema(OpenObject):
    default: float | None = None
    description: str | None = None
    maximum: float | None = None
    minimum: float | None = None
    title: str | None = None
    type: Literal["integer", "number"]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = values["default"]
        if values["description"] is not None:
            out["description"] = values["description"]
        if values["maximum"] is not None:
            out["maximum"] = values["maximum"]
        if values["minimum"] is not None:
            out["minimum"] = values["minimum"]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class BooleanSchema(OpenObject):
    default: bool | None = None
    description: str | None = None
    title: str | None = None
    type: Literal["boolean"] = "boolean"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = values["default"]
        if values["description"] is not None:
            out["description"] = values["description"]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class UntitledSingleSelectEnumSchema(OpenObject):
    default: str | None = None
    description: str | None = None
    enum: list[str]
    title: str | None = None
    type: Literal["string"] = "string"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = values["default"]
        if values["description"] is not None:
            out["description"] = values["description"]
        out["enum"] = [*values["enum"]]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class TitledSingleSelectEnumSchemaOneOfItem(OpenObject):
    const: str
    title: str

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "const": values["const"],
            "title": values["title"],
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class TitledSingleSelectEnumSchema(OpenObject):
    default: str | None = None
    description: str | None = None
    one_of: Annotated[list[TitledSingleSelectEnumSchemaOneOfItem], Field(alias="oneOf")]
    title: str | None = None
    type: Literal["string"] = "string"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = values["default"]
        if values["description"] is not None:
            out["description"] = values["description"]
        out["oneOf"] = [item.to_structured_content() for item in values["one_of"]]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class UntitledMultiSelectEnumSchemaItems(OpenObject):
    enum: list[str]
    type: Literal["string"] = "string"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "enum": [*values["enum"]],
            "type": values["type"],
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class UntitledMultiSelectEnumSchema(OpenObject):
    default: list[str] | None = None
    description: str | None = None
    items: UntitledMultiSelectEnumSchemaItems
    max_items: Annotated[int | None, Field(alias="maxItems")] = None
    min_items: Annotated[int | None, Field(alias="minItems")] = None
    title: str | None = None
    type: Literal["array"] = "array"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = [*values["default"]]
        if values["description"] is not None:
            out["description"] = values["description"]
        out["items"] = values["items"].to_structured_content()
        if values["max_items"] is not None:
            out["maxItems"] = values["max_items"]
        if values["min_items"] is not None:
            out["minItems"] = values["min_items"]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class TitledMultiSelectEnumSchemaAnyOfItem(OpenObject):
    const: str
    title: str

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "const": values["const"],
            "title": values["title"],
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class TitledMultiSelectEnumSchemaItems(OpenObject):
    any_of: Annotated[list[TitledMultiSelectEnumSchemaAnyOfItem], Field(alias="anyOf")]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "anyOf": [item.to_structured_content() for item in values["any_of"]],
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class TitledMultiSelectEnumSchema(OpenObject):
    default: list[str] | None = None
    description: str | None = None
    items: TitledMultiSelectEnumSchemaItems
    max_items: Annotated[int | None, Field(alias="maxItems")] = None
    min_items: Annotated[int | None, Field(alias="minItems")] = None
    title: str | None = None
    type: Literal["array"] = "array"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = [*values["default"]]
        if values["description"] is not None:
            out["description"] = values["description"]
        out["items"] = values["items"].to_structured_content()
        if values["max_items"] is not None:
            out["maxItems"] = values["max_items"]
        if values["min_items"] is not None:
            out["minItems"] = values["min_items"]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class LegacyTitledEnumSchema(OpenObject):
    default: str | None = None
    description: str | None = None
    enum: list[str]
    enum_names: Annotated[list[str] | None, Field(alias="enumNames")] = None
    title: str | None = None
    type: Literal["string"] = "string"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["default"] is not None:
            out["default"] = values["default"]
        if values["description"] is not None:
            out["description"] = values["description"]
        out["enum"] = [*values["enum"]]
        if values["enum_names"] is not None:
            out["enumNames"] = [*values["enum_names"]]
        if values["title"] is not None:
            out["title"] = values["title"]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ElicitRequestFormParamsRequestedSchema(OpenObject):
    schema_: Annotated[str | None, Field(alias="$schema")] = None
    properties: dict[
        str,
        StringSchema
        | NumberSchema
        | BooleanSchema
        | UntitledSingleSelectEnumSchema
        | TitledSingleSelectEnumSchema
        | UntitledMultiSelectEnumSchema
        | TitledMultiSelectEnumSchema
        | LegacyTitledEnumSchema,
    ]
    required: list[str] | None = None
    type: Literal["object"] = "object"

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["schema_"] is not None:
            out["$schema"] = values["schema_"]
        out["properties"] = {key0: item.to_structured_content() for key0, item in values["properties"].items()}
        if values["required"] is not None:
            out["required"] = [*values["required"]]
        out["type"] = values["type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ElicitRequestFormParams(OpenObject):
    message: str
    mode: Literal["form"] | None = None
    requested_schema: Annotated[ElicitRequestFormParamsRequestedSchema, Field(alias="requestedSchema")]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "message": values["message"],
        }
        if values["mode"] is not None:
            out["mode"] = values["mode"]
        out["requestedSchema"] = values["requested_schema"].to_structured_content()
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ElicitRequestURLParams(OpenObject):
    message: str
    mode: Literal["url"] = "url"
    url: str

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "message": values["message"],
            "mode": values["mode"],
            "url": values["url"],
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class ElicitRequest(OpenObject):
    method: Literal["elicitation/create"] = "elicitation/create"
    params: ElicitRequestFormParams | ElicitRequestURLParams

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "method": values["method"],
            "params": values["params"].to_structured_content(),
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class InputRequiredResult(OpenObject):
    meta: Annotated[ResultMetaObject | None, Field(alias="_meta")] = None
    input_requests: Annotated[
        dict[
            str,
            Annotated[
                CreateMessageRequest | ListRootsRequest | ElicitRequest,
                Field(discriminator="method"),
            ],
        ]
        | None,
        Field(alias="inputRequests"),
    ] = None
    request_state: Annotated[str | None, Field(alias="requestState")] = None
    result_type: Annotated[str, Field(alias="resultType")]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {}
        if values["meta"] is not None:
            out["_meta"] = values["meta"].to_structured_content()
        if values["input_requests"] is not None:
            out["inputRequests"] = {
                key0: item.to_structured_content() for key0, item in values["input_requests"].items()
            }
        if values["request_state"] is not None:
            out["requestState"] = values["request_state"]
        out["resultType"] = values["result_type"]
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


class PromptMessage(OpenObject):
    content: Annotated[
        TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource,
        Field(discriminator="type"),
    ]
    role: Literal["assistant", "user"]

    def to_structured_content(self) -> dict[str, Any]:
        values = self.__dict__
        out: dict[str, Any] = {
            "content": values["content"].to_structured_content(),
            "role": values["role"],
        }
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


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
        if self.__pydantic_extra__:
            out.update(to_json_value(self.__pydantic_extra__))
        return out


InputRequiredResult.model_rebuild()
CreateMessageRequest.model_rebuild()
CreateMessageRequestParams.model_rebuild()
ContentBlock: TypeAlias = Annotated[
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource,
    Field(discriminator="type"),
]

DEFAULT = "2026-07-28"
"""Default protocol version of calls."""

_BLOCK: TypeAdapter[ContentBlock] = TypeAdapter(ContentBlock)
_TEXT = TextContent.__pydantic_validator__.validate_python
_RESULT = CallToolResult.__pydantic_validator__.validate_python


def block(wire: Mapping[str, Any]) -> ContentBlock:
    """Read a content block from its wire form."""
    return _BLOCK.validate_python(wire)


def text_block(text: str) -> TextContent:
    """Make a text block without annotations."""
    block: TextContent = _TEXT({"type": "text", "text": text}, by_alias=True, by_name=False)
    return block


def text_result(text: str, structured: Any, version: str) -> CallToolResult:
    """Make a CallToolResult with one text block; see `call_tool_result`."""
    blocks: list[ContentBlock] = [text_block(text)]
    return call_tool_result(blocks, structured, True, None, version)


def call_tool_result(
    content: list[ContentBlock],
    structured: Any,
    has_structured: bool,
    meta: Mapping[str, Any] | None,
    version: str,
    is_error: bool = False,
) -> CallToolResult:
    """Make a CallToolResult that sets the fields of the protocol version.

    `structured` is JSON already; validation would only copy it.
    """
    fields: dict[str, Any] = {"content": content}
    if has_structured:
        fields["structuredContent"] = None
    if is_error:
        fields["isError"] = True
    if meta is not None:
        fields["_meta"] = dict(meta)
    if version >= "2026-07-28":
        fields["resultType"] = "complete"
    result: CallToolResult = _RESULT(fields, by_alias=True, by_name=False)
    if has_structured:
        vars(result)["structured_content"] = structured
    return result
