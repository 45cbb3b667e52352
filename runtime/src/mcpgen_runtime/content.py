"""Content blocks, and the members of results, in each version of the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, LiteralString, NamedTuple, NoReturn, TypeAlias, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from .conversion import to_json_form
from .core_schemas import ABSENT, write_json_bytes
from .errors import BEYOND_STACK, NoJsonForm
from .json_values import Link, build_path
from .models import JsonObject

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The protocol versions, oldest first."""
AUDIO_SINCE = PROTOCOLS[1]
"""The first version with audio blocks."""
STRUCTURED_CONTENT_SINCE = RESOURCE_LINKS_SINCE = PROTOCOLS[2]
"""The first version with structured content, and the first one with resource links, so with every kind of block."""
ANY_JSON_RESULT_SINCE = PROTOCOLS[4]
"""The first version whose structured content may be any JSON value, so no value is wrapped."""
RESULT_TYPE_SINCE = PROTOCOLS[4]
"""The first version whose results have a `resultType`, may ask for input and may be cached."""
NEWEST_OBJECT_RESULT = PROTOCOLS[3]
"""The newest version whose structured content must be an object; every SDK's types support such a result."""


def version_of(protocol: str | None, default: str) -> str:
    """Return a protocol version, `default` for None.

    Raises:
        ValueError: unknown protocol version.
    """
    if protocol is None:
        return default
    if protocol not in PROTOCOLS:
        raise ValueError(f"unknown MCP protocol version {protocol!r}; known are {', '.join(PROTOCOLS)}")
    return protocol


# --- blocks ----------------------------------------------------------------------------------------------------------
Payload: TypeAlias = object
"""Values that become content blocks: text, a block, another value (as JSON or its `str()`), or an iterable of those."""
_BLOCK_CLASSES = {
    "text": "TextContent",
    "image": "ImageContent",
    "audio": "AudioContent",
    "resource_link": "ResourceLink",
    "resource": "EmbeddedResource",
}
_PLAIN_TEXT_FIELDS = {"type", "text"}
_BLOCK_METHODS = ("to_image_content", "to_audio_content", "to_resource_content")
"""Methods with which the SDKs' classes for images, audio and files make a content block."""
JSON_MIME_TYPE = "application/json"


def is_named(value: object, name: str) -> bool:
    """Return whether an object is of this protocol type, from any SDK."""
    return isinstance(value, BaseModel) and any(cls.__name__ == name for cls in type(value).__mro__)


def find_block(value: object) -> BaseModel | None:
    """Return a content block of any SDK: the value itself, or the one that it makes; None for anything else."""
    if isinstance(value, BaseModel):
        name = _BLOCK_CLASSES.get(str(getattr(value, "type", "")))
        return value if name is not None and is_named(value, name) else None
    for name in _BLOCK_METHODS:
        if (make := getattr(type(value), name, None)) is not None:
            block = make(value)
            return find_block(block) if isinstance(block, BaseModel) else None
    return None


def is_block_class(cls: type[Any]) -> bool:
    """Return whether a class is one of content blocks, of any SDK."""
    return issubclass(cls, BaseModel) and any(base.__name__ in _BLOCK_CLASSES.values() for base in cls.__mro__)


def make_resource(mime_type: str, member: str, data: str) -> dict[str, Any]:
    """Return an embedded resource in wire form; its data is a `text` or a `blob`."""
    resource = {"uri": f"data:{mime_type},", "mimeType": mime_type, member: data}
    return {"type": "resource", "resource": resource}


def block_to_wire(block: BaseModel) -> dict[str, Any]:
    """Return the wire form of a content block, without absent members."""
    if type(block).__name__ == "TextContent" and block.__pydantic_fields_set__ <= _PLAIN_TEXT_FIELDS:
        return {"type": "text", "text": cast(Any, block).text}
    if isinstance(block, JsonObject):  # omits absent members itself, and keeps null
        return block.to_structured_content()
    return block.model_dump(mode="json", by_alias=True, exclude_none=True)


def adapt_block(block: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a block in the form of a protocol version; unknown kinds become the nearest known one."""
    adapted: dict[str, Any]
    if block.get("type") == "resource_link" and version < RESOURCE_LINKS_SINCE:
        adapted = {"type": "text", "text": block["uri"]}
    elif block.get("type") == "audio" and version < AUDIO_SINCE:
        adapted = make_resource(block["mimeType"], "blob", block["data"])
    else:
        return block
    return adapted | {key: block[key] for key in ("annotations",) if key in block}


def get_binary_data(block: Mapping[str, Any]) -> str | None:
    """Return the data of a binary block on the wire; None for other blocks."""
    resource = block.get("resource")
    inner = cast(dict[str, Any], resource) if isinstance(resource, dict) else {}
    data = block.get("data", inner.get("blob"))
    return data if isinstance(data, str) else None


def find_json_resource(blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the text of the only embedded resource that is JSON by its MIME type; None if there are none or several.

    Args:
        blocks: content blocks in wire form.
    """
    texts: list[str] = []
    for block in blocks:
        resource: Any = block.get("resource") if block.get("type") == "resource" else None
        members = cast(dict[str, Any], resource if isinstance(resource, dict) else {})
        if _is_json(members) and isinstance(text := members.get("text"), str):
            texts.append(text)
    return texts[0] if len(texts) == 1 else None


def _is_json(members: Mapping[str, Any]) -> bool:
    """Return whether a resource is JSON by its MIME type."""
    return str(members.get("mimeType")).partition(";")[0].strip().lower() == JSON_MIME_TYPE


def drop_json_text(blocks: list[dict[str, Any]], value: Any) -> None:
    """Take away the last block if it is the JSON of a value, which the protocol asks for after other content.

    Args:
        blocks: content blocks in wire form.
        value: the structured content, which is left out, too.
    """
    if len(blocks) > 1 and blocks[-1].get("text") == write_json_bytes(value).decode():
        blocks.pop()


def find_json_link(blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the URI of the only link to a resource that is JSON by its MIME type; None if there are none or several.

    Args:
        blocks: content blocks in wire form.
    """
    links = [block.get("uri") for block in blocks if block.get("type") == "resource_link" and _is_json(block)]
    return links[0] if len(links) == 1 and isinstance(links[0], str) else None


def find_text(blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the text of the only block; None if it is another kind of block, or there are several."""
    return blocks[0].get("text") if len(blocks) == 1 and blocks[0].get("type") == "text" else None


# --- the JSON in content and in structured content -------------------------------------------------------------------
def find_mismatch(blocks: Sequence[Mapping[str, Any]], structured: Any) -> tuple[str | int, ...] | None:
    """Return a place in structured content where the JSON in the content has another value.

    Args:
        blocks: content blocks in wire form.
        structured: the structured content.

    Returns:
        None if both are the same, or the content is not this JSON but a text about it. An object and a number that
        stands alone are not compared.
    """
    text = find_json_resource(blocks) or find_text(blocks)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    places: list[tuple[str | int, ...]] = []
    for link, part in _list_wholes(structured):
        if isinstance(part, _CONTAINERS) != isinstance(value, _CONTAINERS):
            continue
        place = None if part == text else _find_difference(link, part, value)
        if place is None:
            return None
        places.append(place)
    return max(places, key=len, default=None)


_CONTAINERS = (dict, list)


def _list_wholes(structured: Any) -> Iterator[tuple[Link, Any]]:
    """Yield the parts that are the whole value: without a wrapper, and the item of an array, which may be a block."""
    link: Link = None
    part: Any = structured
    yield link, part
    if isinstance(part, dict) and len(members := cast(dict[str, Any], part)) == 1 and "result" in members:
        link, part = (link, "result"), members["result"]
        yield link, part
    while isinstance(part, list) and len(items := cast(list[object], part)) == 1:
        link, part = (link, 0), items[0]
        yield link, part


def _find_difference(link: Link, value: Any, other: Any) -> tuple[str | int, ...] | None:
    """Return the place of a part of `value` that `other` has not; `link` is the place of `value`."""
    todo: list[tuple[Link, Any, Any]] = [(link, value, other)]
    while todo:
        link, left, right = todo.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            todo += [((link, key), left[key], right[key]) for key in cast(dict[str, Any], left)]
        elif isinstance(left, list) and isinstance(right, list) and len(cast(Any, left)) == len(cast(Any, right)):
            todo += [((link, n), item, right[n]) for n, item in enumerate(cast(list[object], left))]
        elif isinstance(left, _CONTAINERS) or isinstance(left, bool) != isinstance(right, bool) or left != right:
            return build_path(link)
    return None


# --- results ---------------------------------------------------------------------------------------------------------
RESULT_MEMBERS = frozenset({"content", "structuredContent", "isError"})
"""Members of which a result has at least one."""


class Answer(NamedTuple):
    """A result as read, which distinguishes null from absent."""

    content: list[dict[str, Any]]
    """Content blocks in wire form: JSON objects; those of type `text` have a text."""
    structured: Any
    """Unchecked: it may be anything."""
    is_error: bool
    has_result_type: bool
    meta: dict[str, Any] | None

    @classmethod
    def of(cls, result: object, title: str = "CallToolResult") -> Answer:
        """Read a result; errors carry `title`.

        Raises:
            pydantic.ValidationError: it is not a CallToolResult.
        """
        try:
            if isinstance(result, BaseModel):
                return cls._read_members(_list_members(result))
            if not isinstance(result, Mapping):
                raise _InvalidResult(f"got a value of type {_get_type_name(result)}")
            if not any(member in result for member in RESULT_MEMBERS):
                raise _InvalidResult("it has neither content nor structuredContent")
            return cls._read_members(cast(Any, result))
        except _InvalidResult as error:
            why = str(error)
        except RecursionError:
            why = f"it is {BEYOND_STACK}"
        except Exception as error:  # foreign objects may raise anything
            why = f"reading it failed with {type(error).__name__}"
        raise make_read_error(title, f"the result should be a CallToolResult: {why}", _get_type_name(result))

    @classmethod
    def _read_members(cls, wire: Mapping[Any, Any]) -> Answer:
        blocks, is_error, meta = wire.get("content", ()), wire.get("isError"), wire.get("_meta")
        if not isinstance(blocks, list | tuple):
            _reject("/content", "an array")
        content = [_read_block(block, index) for index, block in enumerate(cast(list[object], blocks))]
        structured = wire.get("structuredContent", ABSENT)
        if is_error is not None and not isinstance(is_error, bool):
            _reject("/isError", "true or false")
        if isinstance(meta, BaseModel):  # an object of the SDK
            meta = meta.model_dump(mode="json", by_alias=True, exclude_unset=True)
        members = None if meta is None else _read_object(meta, "/_meta")
        return cls(content, structured, is_error is True, "resultType" in wire, members)

    def to_wire_dict(self) -> dict[str, Any]:
        """Return the result in its wire form, not yet adapted to a protocol version.

        Raises:
            NoJsonForm: the structured content is not JSON.
        """
        out: dict[str, Any] = {"content": self.content}
        if self.has_structured:
            out["structuredContent"] = to_json_form(self.structured)
        if self.is_error:
            out["isError"] = True
        if self.meta is not None:
            out["_meta"] = self.meta
        return out

    @property
    def has_structured(self) -> bool:
        """Whether there is structured content, including null."""
        return self.structured is not ABSENT

    def text(self) -> str:
        """Return the text of all text blocks, separated by line breaks."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    def find_value(self) -> Any:
        """Return the structured content as it is, or without it the text that could be read instead; else `ABSENT`."""
        if self.has_structured:
            return self.structured
        text = find_json_resource(self.content) or find_text(self.content)
        return ABSENT if text is None else text


class _InvalidResult(Exception):
    """A member does not have the form that CallToolResult requires."""


def make_read_error(
    title: str, message: str, value: object, kind: LiteralString = "missing_structured_content"
) -> ValidationError:
    """Make the error for a result that cannot be read; `kind` is pydantic's name for it."""
    problem = PydanticCustomError(kind, "{message}", {"message": message})
    return ValidationError.from_exception_data(title, [{"type": problem, "loc": (), "input": value}])


def is_result_object(value: object) -> bool:
    """Return whether a value is a CallToolResult of any SDK."""
    return _is_result_class(cast(Any, type(value)))


@lru_cache(512)
def _is_result_class(cls: type[Any]) -> bool:
    is_named_so = any(base.__name__ == "CallToolResult" for base in cls.__mro__)
    return is_named_so and issubclass(cls, BaseModel) and "content" in cls.model_fields


@cache
def map_attributes(cls: type[BaseModel]) -> dict[str, str]:
    """Map the wire names of an SDK's CallToolResult to its attributes."""
    names = {wire: wire for wire in ("content", "structuredContent", "isError", "resultType")}
    names["_meta"] = "meta"
    return names | {field.alias: name for name, field in cls.model_fields.items() if field.alias is not None}


def _list_members(result: BaseModel) -> dict[str, Any]:
    """Return the members of an SDK's CallToolResult, by their wire names."""
    names, attributes, fields_set = map_attributes(type(result)), result.__dict__, result.__pydantic_fields_set__
    members: dict[str, Any] = dict(zip(names, map(attributes.get, names.values()), strict=True))
    if members["structuredContent"] is None:
        has_null = names["structuredContent"] in fields_set and names["resultType"] in type(result).model_fields
        if not has_null:  # older types use null for absence
            del members["structuredContent"]
    if names["resultType"] not in fields_set:
        del members["resultType"]
    return members


def _reject(place: str, expectation: str) -> NoReturn:
    raise _InvalidResult(f"{place} should be {expectation}")


def _read_block(block: object, index: int) -> dict[str, Any]:
    place = f"/content/{index}"
    wire = _read_object(block_to_wire(block) if isinstance(block, BaseModel) else block, place)
    if type(wire.get("type")) is not str:
        _reject(f"{place}/type", "a string")
    if wire["type"] == "text" and type(wire.get("text")) is not str:
        _reject(f"{place}/text", "a string")
    return wire


def _get_type_name(value: Any) -> str:
    return type(value).__name__


def _read_object(value: object, place: str) -> dict[str, Any]:
    """Copy a mapping as a JSON object."""
    if not isinstance(value, Mapping):
        _reject(place, "an object")
    members = cast(Any, value)
    if _get_type_name(members) == "dict" and all(type(key) is type(kind) is str for key, kind in members.items()):
        return {**members}  # the usual case
    try:
        return cast(dict[str, Any], to_json_form(members))
    except NoJsonForm as error:
        _reject(place + error.format_place(), f"JSON: {error.reason}")
