"""Content blocks: of a handler's payload, of items, of binary data, and their form in each protocol version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel

from . import protocol as _protocol
from .base import JsonObject
from .jsonable import NoJsonForm, to_json_form
from .protocol import ContentBlock

Payload: TypeAlias = object
"""What becomes content blocks: text, a block, a mapping or an object (as JSON), or an iterable of those."""

_BLOCKS = {
    "text": "TextContent",
    "image": "ImageContent",
    "audio": "AudioContent",
    "resource_link": "ResourceLink",
    "resource": "EmbeddedResource",
}


_PLAIN_TEXT = {"type", "text"}


def content_blocks(payload: Payload) -> list[ContentBlock]:
    """The content blocks of a payload: blocks stay, iterables give those of their items, None gives none.

    Raises:
        NoJsonForm: a ValueError; there is an object in it that JSON cannot hold.
    """
    if payload is None:
        return []
    if isinstance(payload, str):
        return [text_block(payload)]
    if (block := own_block(payload)) is not None:
        return [block]
    if isinstance(payload, Mapping | BaseModel | bytes | bytearray | memoryview | int | float):
        return [text_block(_written(to_json_form(cast(object, payload))))]
    if isinstance(payload, Iterable):
        items = cast(Iterable[object], payload)
        return [block for item in items for block in (content_blocks(item) or [text_block("null")])]
    return [text_block(_written(to_json_form(payload)))]


def item_blocks(
    items: Iterable[Any],
    audience: list[Literal["user", "assistant"]] | None = None,
    priority: float | None = None,
) -> list[ContentBlock]:
    """A text block for each item of a JSON array: a string as it is, anything else as JSON."""
    return [text_block(_written(item), audience, priority) for item in items]


def text_block(
    text: str,
    audience: list[Literal["user", "assistant"]] | None = None,
    priority: float | None = None,
) -> ContentBlock:
    """A text block, with annotations if any are given."""
    if audience is None and priority is None:
        return _protocol.text_block(text)
    annotations = _protocol.block_annotations(audience, priority)
    return _protocol.TextContent(type="text", text=text, annotations=annotations)


def binary_block(
    data: str,
    mime_type: str,
    audience: list[Literal["user", "assistant"]] | None = None,
    priority: float | None = None,
) -> ContentBlock:
    """Base64 data as an image, an audio or, for any other MIME type, an embedded resource block."""
    kind = mime_type.partition("/")[0]
    wire: dict[str, Any] = {"type": kind, "data": data, "mimeType": mime_type}
    if kind not in ("image", "audio"):
        resource = {"uri": f"data:{mime_type},", "mimeType": mime_type, "blob": data}
        wire = {"type": "resource", "resource": resource}
    given = {"audience": audience, "priority": priority}
    annotations = {key: value for key, value in given.items() if value is not None}
    return _protocol.block({**wire, **({"annotations": annotations} if annotations else {})})


def _written(form: Any) -> str:
    """A string as it is, any other JSON value as compact JSON text."""
    if isinstance(form, str):
        return form
    try:
        return json.dumps(form, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError as error:  # an integer too long to write, say
        raise NoJsonForm(str(error)) from None


def own_block(value: object) -> ContentBlock | None:
    """A content block, of whichever SDK, as the package's own; None for anything else."""
    if not isinstance(value, BaseModel):
        return None
    name = _BLOCKS.get(str(getattr(value, "type", "")))
    if name is None or all(cls.__name__ != name for cls in type(value).__mro__):
        return None
    if isinstance(value, getattr(_protocol, name)):
        return cast(ContentBlock, value)
    return _protocol.block(value.model_dump(mode="json", by_alias=True, exclude_none=True))


def block_to_wire(block: BaseModel) -> dict[str, Any]:
    """A content block as on the wire, without what is absent."""
    if isinstance(block, _protocol.TextContent) and block.__pydantic_fields_set__ <= _PLAIN_TEXT:
        return {"type": "text", "text": block.text}
    if isinstance(block, JsonObject):  # which leaves that out by itself, and knows of null
        return block.to_structured_content()
    return block.model_dump(mode="json", by_alias=True, exclude_none=True)


def for_version(block: dict[str, Any], version: str) -> dict[str, Any]:
    """A block in the form that a protocol version has for it: what it lacks becomes the nearest it knows."""
    if block.get("type") == "resource_link" and version < "2025-06-18":
        text: dict[str, Any] = {"type": "text", "text": block["uri"]}
        return text | {key: block[key] for key in ("annotations",) if key in block}
    if block.get("type") == "audio" and version < "2025-03-26":
        resource = {
            "uri": f"data:{block['mimeType']},",
            "mimeType": block["mimeType"],
            "blob": block["data"],
        }
        embedded: dict[str, Any] = {"type": "resource", "resource": resource}
        return embedded | {key: block[key] for key in ("annotations",) if key in block}
    return block


__all__ = [
    "Payload",
    "binary_block",
    "block_to_wire",
    "content_blocks",
    "for_version",
    "item_blocks",
    "own_block",
    "text_block",
]
