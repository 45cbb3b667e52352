"""Content blocks of payloads, items and binary data, and their form in each protocol version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

from . import protocol as _protocol
from .json_conversion import to_text_form
from .json_errors import NoJsonForm
from .json_objects import JsonObject
from .own_iterators import read_items
from .protocol import ContentBlock
from .protocol_versions import AUDIO_SINCE, RESOURCE_LINKS_SINCE

Payload: TypeAlias = object
"""Values that become content blocks: text, a block, another value (as JSON or its `str()`), or an iterable of those."""

_BLOCK_CLASSES = {
    "text": "TextContent",
    "image": "ImageContent",
    "audio": "AudioContent",
    "resource_link": "ResourceLink",
    "resource": "EmbeddedResource",
}


_SINGLE = (Mapping, BaseModel, bytes, bytearray, memoryview)
"""Iterables that become one block."""
_PLAIN_TEXT_FIELDS = {"type", "text"}
_BLOCK_METHODS = ("to_image_content", "to_audio_content", "to_resource_content")
"""Methods with which the SDKs' classes for images, audio and files make a content block."""


def content_blocks(payload: Payload) -> list[ContentBlock]:
    """Convert a payload to content blocks: blocks are kept, iterables are flattened, None gives no block.

    Raises:
        NoJsonForm: a ValueError; it contains what JSON cannot represent, such as NaN.
    """
    if payload is None:
        return []
    if isinstance(payload, str):
        return [text_block(payload)]
    if (block := convert_block(payload)) is not None:
        return [block]
    if isinstance(payload, Iterable) and not isinstance(payload, _SINGLE):
        items = cast(Iterable[object], payload)
        return [block for item in read_items(items) for block in content_blocks(item)]
    return [text_block(_format_payload(to_text_form(cast(Any, payload))))]


def item_blocks(value: Any, member: str | None = None) -> list[ContentBlock]:
    """Return a text block for each item of a JSON array: strings unchanged, other values as JSON.

    Args:
        value: the array, or a JSON object with it.
        member: the member of that object that is the array. A block with the other members comes first.
    """
    items = value
    if member is not None:
        items = value.get(member) or ()
        others = {key: item for key, item in value.items() if key != member or item is None}
        items = [others, *items] if others else items
    return [text_block(_format_payload(item)) for item in items]


def text_block(text: str) -> ContentBlock:
    """Make a text block."""
    return _protocol.text_block(text)


def binary_block(data: str, mime_type: str) -> ContentBlock:
    """Make an image or audio block of base64 data, or an embedded resource for any other MIME type."""
    kind = mime_type.partition("/")[0]
    wire: dict[str, Any] = {"type": kind, "data": data, "mimeType": mime_type}
    if kind not in ("image", "audio"):
        wire = _make_resource(mime_type, "blob", data)
    return _protocol.block(wire)


def json_block(text: str) -> ContentBlock:
    """Make an embedded resource that holds JSON text."""
    return _protocol.block(_make_resource("application/json", "text", text))


def _make_resource(mime_type: str, member: str, data: str) -> dict[str, Any]:
    """Return an embedded resource in wire form; its data is a `text` or a `blob`."""
    resource = {"uri": f"data:{mime_type},", "mimeType": mime_type, member: data}
    return {"type": "resource", "resource": resource}


def _format_payload(form: Any) -> str:
    """Return a string unchanged, any other JSON value as compact JSON text."""
    if isinstance(form, str):
        return form
    try:
        return json.dumps(form, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError as error:  # for example, an integer too long to write
        raise NoJsonForm(str(error)) from None


def convert_block(value: object) -> ContentBlock | None:
    """Convert a content block of any SDK, or what makes one, to the package's type; None for anything else."""
    if not isinstance(value, BaseModel):
        block = _make_block(value)
        return None if block is None else convert_block(block)
    name = _BLOCK_CLASSES.get(str(getattr(value, "type", "")))
    if name is None or all(cls.__name__ != name for cls in type(value).__mro__):
        return None
    if isinstance(value, getattr(_protocol, name)):
        return cast(ContentBlock, value)
    return _protocol.block(value.model_dump(mode="json", by_alias=True, exclude_none=True))


def is_block_class(cls: type[Any]) -> bool:
    """Return whether a class is one of content blocks, of any SDK."""
    return issubclass(cls, BaseModel) and any(
        base.__name__ in _BLOCK_CLASSES.values() for base in cls.__mro__
    )


def _make_block(value: object) -> BaseModel | None:
    """Return the content block that an SDK's object for an image, audio or a file makes; None for anything else."""
    for name in _BLOCK_METHODS:
        if (make := getattr(type(value), name, None)) is not None:
            block = make(value)
            return block if isinstance(block, BaseModel) else None
    return None


def block_to_wire(block: BaseModel) -> dict[str, Any]:
    """Return the wire form of a content block, without absent members."""
    if (
        isinstance(block, _protocol.TextContent)
        and block.__pydantic_fields_set__ <= _PLAIN_TEXT_FIELDS
    ):
        return {"type": "text", "text": block.text}
    if isinstance(block, JsonObject):  # omits absent members itself, and keeps null
        return block.to_structured_content()
    return block.model_dump(mode="json", by_alias=True, exclude_none=True)


def adapt_block(block: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a block in the form of a protocol version; unknown kinds become the nearest known one."""
    if block.get("type") == "resource_link" and version < RESOURCE_LINKS_SINCE:
        text: dict[str, Any] = {"type": "text", "text": block["uri"]}
        return text | {key: block[key] for key in ("annotations",) if key in block}
    if block.get("type") == "audio" and version < AUDIO_SINCE:
        embedded = _make_resource(block["mimeType"], "blob", block["data"])
        return embedded | {key: block[key] for key in ("annotations",) if key in block}
    return block


__all__ = [
    "Payload",
    "adapt_block",
    "binary_block",
    "block_to_wire",
    "content_blocks",
    "convert_block",
    "is_block_class",
    "item_blocks",
    "json_block",
    "text_block",
]
