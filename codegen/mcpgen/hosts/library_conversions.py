"""How each library of the table converts a result: tests run the real ones on the same results."""

from __future__ import annotations

import base64
import json
import mimetypes
from collections.abc import Iterator, Mapping
from typing import Any

from mcpgen.hosts.reading import (
    Item,
    Received,
    Source,
    as_media,
    as_text,
    count_bytes,
    get_mime_type,
    write_js,
)
from mcpgen.schema.values import Json, as_object

_SNAKE = {
    **{"mimeType": "mime_type", "_meta": "meta", "structuredContent": "structured_content", "isError": "is_error"},
    "lastModified": "last_modified",
}
"""The attributes of mcp 2.x for members on the wire, as its models write them."""
_MODELS: Mapping[str, tuple[str, ...]] = {
    "resource_link": (
        *("name", "title", "uri", "description", "mimeType", "size", "icons", "annotations", "_meta", "type"),
    ),
    "resource": ("type", "resource", "annotations", "_meta"),
    "audio": ("type", "data", "mimeType", "annotations", "_meta"),
    "image": ("type", "data", "mimeType", "annotations", "_meta"),
    "text": ("type", "text", "annotations", "_meta"),
    "contents": ("uri", "mimeType", "_meta", "text", "blob"),
    "annotations": ("audience", "priority", "lastModified"),
    "icon": ("src", "mimeType", "sizes", "theme"),
    "result": ("_meta", "content", "structuredContent", "isError"),
}
"""The members of mcp 2.x's models, in their order."""


def _dump_model(kind: str, members: Mapping[str, Json], has_nulls: bool) -> dict[str, Any]:
    """Return an object as the model of mcp 2.x dumps itself."""
    out: dict[str, Any] = {}
    for name in _MODELS.get(kind, tuple(members)):
        value: Any = members.get(name)
        if value is not None:
            match name:
                case "resource":
                    value = _dump_model("contents", value, has_nulls)
                case "annotations":
                    value = _dump_model("annotations", value, has_nulls)
                case "icons":
                    value = [_dump_model("icon", icon, has_nulls) for icon in value]
                case "priority":
                    value = float(value)
                case _:
                    pass
        is_other = kind == "contents" and name in ("text", "blob") and name not in members
        if not is_other and (value is not None or has_nulls):
            out[_SNAKE.get(name, name)] = value
    return out


def _write_as_pydantic(value: Any) -> str:
    from pydantic_core import to_json

    return to_json(value, inf_nan_mode="null").decode()


def read_openai_agents(result: Received) -> list[Item]:
    """Convert as `MCPUtil.invoke_mcp_tool`, for the Responses API."""

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        match block.get("type"):
            case "text":
                yield as_text(block["text"], index)
            case "image":
                yield as_media(index, block["data"], block["mimeType"], "image")
            case kind:
                yield as_text(_write_as_pydantic(_dump_model(str(kind), block, has_nulls=True)), index)

    return result.convert(convert) or [Item("[]")]


def read_pydantic_ai(result: Received) -> list[Item]:
    """Convert as `MCPToolset`, for OpenAI's Responses API and a model that does not hear."""

    def convert(index: int, block: dict[str, Json]) -> Iterator[tuple[Any, Item | None]]:
        """Yield a value, or None and the item of a file."""
        resource = as_object(block.get("resource"))
        match block.get("type"):
            case "text":
                yield _parse_object(str(block["text"])), None
            case "resource_link":
                yield block.get("uri"), None
            case "resource" if "text" in resource:
                yield resource["text"], None
            case _:
                yield None, _name_file(index, get_mime_type(resource or block), block.get("data", resource.get("blob")))

    is_text = all(block.get("type") == "text" for block in result.blocks)
    files, sources = list[Item](), frozenset[Source](("structuredContent",))
    if result.has_value and (is_text or result.is_error):
        object = as_object(result.value)
        value = object["result"] if {*object} == {"result"} else result.value
    else:
        converted = [(index, *pair) for index, block in enumerate(result.blocks) for pair in convert(index, block)]
        files = [file for _, _, file in converted if file is not None]
        if not result.is_error and any(_is_refused(file) for file in files):
            return [Item("(the call fails: a type of file is not supported)")]
        if not result.is_error and any(file.is_media for file in files):
            return [file or as_text(_write_value(value), index) for index, value, file in converted]
        if not result.is_error:
            converted = [(index, file.text if file else value, None) for index, value, file in converted]
        values = [value for _, value, file in converted if file is None]
        sources = frozenset(index for index, _, file in converted if file is None)
        value = values[0] if len(values) == 1 and (files or len(result.blocks) == 1) else values
    text = _write_value(value)
    if not result.is_error:
        return [Item(text, sources)]
    message = text or f"Tool '{result.tool}' returned an error"
    return [Item(_write_as_pydantic({"error": message}), sources if text else frozenset())]


def _write_value(value: Any) -> str:
    """Return the text that Pydantic AI makes of a value: nothing of null and of a list without members."""
    if isinstance(value, str):
        return value
    return "" if value is None or value == [] else _write_as_pydantic(value)


def _parse_object(text: str) -> Any:
    """Return the value of a text that is a JSON object or array, and other texts as they are."""
    from pydantic_core import from_json

    if not text.startswith(("{", "[")):
        return text
    try:
        return from_json(text)
    except ValueError:
        return text


_TEXT_FILES = ("text/plain", "text/csv", "text/html", "text/markdown")


def _name_file(index: int, mime_type: str, data: object) -> Item:
    """Return a file as OpenAI's Responses API gets it: images and documents, a note for others."""
    kind = mime_type.partition("/")[0]
    if kind not in ("audio", "video"):
        return as_media(index, data, mime_type, "image" if kind == "image" else "file")
    unread = "video" if kind == "video" else "audio files"
    about = f"File ID ({mime_type}, {count_bytes(data):,} bytes)"
    return Item(f"{about} was not sent: this model cannot read {unread}.")


def _is_refused(file: Item) -> bool:
    """Return whether Pydantic AI refuses a file: one of text, of few types, or of an unknown type."""
    mime_type = file.text.removeprefix("[file ").partition(",")[0]
    if not file.text.startswith("[file ") or mime_type in _TEXT_FILES:
        return False
    is_text = mime_type.startswith("text/") or mime_type.endswith(("/json", "+json", "/xml", "+xml", "yaml"))
    return is_text or mimetypes.guess_extension(mime_type) is None


def read_langchain(result: Received) -> list[Item]:
    """Convert as `load_mcp_tools`, to the blocks of a `ToolMessage`."""
    refused = False

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        nonlocal refused
        resource = as_object(block.get("resource"))
        data, mime_type = block.get("data", resource.get("blob")), str((resource or block).get("mimeType", ""))
        kind = "image" if mime_type.startswith("image/") else "file"
        match block.get("type"):
            case "text":
                yield as_text(block["text"], index)
            case "resource_link":
                yield Item(f"[{kind} {_normalize_url(str(block['uri']))}]", frozenset((index,)), is_media=True)
            case "resource" if "text" in resource:
                yield as_text(resource["text"], index)
            case "image" | "resource" if data and mime_type:
                yield as_media(index, data, mime_type, "image" if "data" in block else kind)
            case _:
                refused = True

    items = result.convert(convert)
    if refused:
        return [Item("(the call fails: audio, or a file without data or a type, is not supported)")]
    empty = [Item("MCP tool returned an error with empty content.")] if result.is_error else []
    return items or empty


def _normalize_url(url: str) -> str:
    """Return a URL as mcp 1.x keeps it."""
    from pydantic import AnyUrl, ValidationError

    try:
        return str(AnyUrl(url))
    except ValidationError:
        return url


def read_anthropic_sdk(result: Received) -> list[Item]:
    """Convert as `mcp_tool`."""
    if not result.blocks and result.has_value and not result.is_error:
        return [result.show_value(json.dumps)]
    refused = False

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        nonlocal refused
        resource = as_object(block.get("resource"))
        mime_type, blob = str((resource or block).get("mimeType", "text/")), resource.get("blob")
        is_image = mime_type in ("image/jpeg", "image/png", "image/gif", "image/webp")
        match block.get("type"):
            case "text":
                yield as_text(block["text"], index)
            case "image" if is_image:
                yield as_media(index, block["data"], mime_type, "image")
            case "resource" if blob is not None and (is_image or mime_type == "application/pdf"):
                yield as_media(index, blob, mime_type, "image" if is_image else "file")
            case "resource" if mime_type.startswith("text/") and (text := _decode_text(resource)) is not None:
                yield as_text(text, index)
            case _:
                refused = True

    items = result.convert(convert)
    return [Item("(the call fails: a block is not supported)")] if refused else items


def _decode_text(resource: Mapping[str, Json]) -> str | None:
    """Return the text of a resource, also from its data; None if that is no text."""
    try:
        return str(resource["text"]) if "text" in resource else base64.b64decode(str(resource.get("blob"))).decode()
    except ValueError:
        return None


def read_google_genai(result: Received) -> list[Item]:
    """Convert as a session among the tools, with mcp 2.x."""
    dumped = _dump_model("result", result.wire, has_nulls=False)
    dumped["content"] = [_dump_model(str(block.get("type")), block, has_nulls=False) for block in result.blocks]
    dumped |= {"is_error": result.is_error, "result_type": "complete"}
    text = json.dumps({"error" if result.is_error else "result": dumped}, ensure_ascii=False)
    return [Item(text, result.sources)]


def read_by_program(result: Received) -> list[Item]:
    """Return all content, and the structured content."""

    def convert(index: int, block: dict[str, Json]) -> Iterator[Item]:
        resource = as_object(block.get("resource"))
        match block.get("type"):
            case "text":
                yield as_text(block["text"], index)
            case "image" | "audio":
                yield as_media(index, block["data"], block["mimeType"], str(block["type"]))
            case "resource_link":
                yield as_text(block.get("uri"), index)
            case _ if "text" in resource:
                yield as_text(resource["text"], index)
            case _:
                yield as_media(index, resource.get("blob"), get_mime_type(resource), "file")

    return result.convert(convert) + ([result.show_value(write_js)] if result.has_value else [])


def read_fastmcp(result: Received) -> list[Item]:
    """Convert as `Client.call_tool`, whose exception has the first text."""
    if not result.is_error:
        return read_by_program(result)
    first = [as_text(text, index) for index, text in result.texts if not index]
    return first or [Item(f"Tool '{result.tool}' returned an error")]
