"""Content blocks of payloads, items and binary data, and their form in each protocol version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar, cast

from pydantic import BaseModel, TypeAdapter

from .conversion import to_text_form
from .errors import NoJsonForm
from .json_values import read_items
from .models import JsonObject
from .protocol_versions import AUDIO_SINCE, RESOURCE_LINKS_SINCE

Payload: TypeAlias = object
"""Values that become content blocks: text, a block, another value (as JSON or its `str()`), or an iterable of those."""
BlockT = TypeVar("BlockT", bound=BaseModel)

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


class BlockTypes(Generic[BlockT]):
    """The content blocks of one SDK.

    Args:
        block: the union of its classes for content blocks.
        text: the class of text blocks.
    """

    def __init__(self, block: Any, text: type[BaseModel]) -> None:
        adapter: TypeAdapter[Any] = TypeAdapter(block)
        self._validate_block, self._validate_text = adapter.validate_python, text.__pydantic_validator__.validate_python
        self._classes = tuple(_list_classes(block))

    def read_block(self, wire: Mapping[str, Any]) -> BlockT:
        """Read a content block from its wire form."""
        block: BlockT = self._validate_block(wire)
        return block

    def text_block(self, text: str) -> BlockT:
        """Make a text block without annotations."""
        block: BlockT = self._validate_text({"type": "text", "text": text}, by_alias=True, by_name=False)
        return block

    def binary_block(self, data: str, mime_type: str) -> BlockT:
        """Make an image or audio block of base64 data, or an embedded resource for any other MIME type."""
        kind = mime_type.partition("/")[0]
        wire: dict[str, Any] = {"type": kind, "data": data, "mimeType": mime_type}
        if kind not in ("image", "audio"):
            wire = _make_resource(mime_type, "blob", data)
        return self.read_block(wire)

    def json_block(self, text: str) -> BlockT:
        """Make an embedded resource that holds JSON text."""
        return self.read_block(_make_resource("application/json", "text", text))

    def content_blocks(self, payload: Payload) -> list[BlockT]:
        """Convert a payload to content blocks: blocks are kept, iterables are flattened, None gives no block.

        Raises:
            NoJsonForm: a ValueError; it contains what JSON cannot represent, such as NaN.
        """
        if payload is None:
            return []
        if isinstance(payload, str):
            return [self.text_block(payload)]
        if (block := self.convert_block(payload)) is not None:
            return [block]
        if isinstance(payload, Iterable) and not isinstance(payload, _SINGLE):
            items = cast(Iterable[object], payload)
            return [block for item in read_items(items) for block in self.content_blocks(item)]
        return [self.text_block(_format_payload(to_text_form(cast(Any, payload))))]

    def item_blocks(self, value: Any, member: str | None = None) -> list[BlockT]:
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
        return [self.text_block(_format_payload(item)) for item in items]

    def flat_blocks(self, value: Any, write: Callable[[Any], str]) -> list[BlockT]:
        """Return a text block for each item of a JSON value: no block for null, nested arrays flattened.

        Args:
            value: the value.
            write: returns the text of an item that is not a string.
        """
        if value is None:
            return []
        if isinstance(value, list):
            return [block for item in cast(list[object], value) for block in self.flat_blocks(item, write)]
        return [self.text_block(value if isinstance(value, str) else write(value))]

    def convert_block(self, value: object) -> BlockT | None:
        """Convert a content block of any SDK, or what makes one, to this SDK's class; None for anything else."""
        block = find_block(value)
        if block is None or isinstance(block, self._classes):
            return cast(BlockT | None, block)
        return self.read_block(block.model_dump(mode="json", by_alias=True, exclude_none=True))


def _list_classes(block: Any) -> list[type[Any]]:
    """Return the classes in a union, which may be annotated."""
    inner: tuple[Any, ...] = getattr(block, "__args__", ())
    if isinstance(block, type):
        return [block]
    return [cls for part in inner for cls in _list_classes(part)]


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


def find_block(value: object) -> BaseModel | None:
    """Return a content block of any SDK: the value itself, or the one that it makes; None for anything else."""
    if isinstance(value, BaseModel):
        name = _BLOCK_CLASSES.get(str(getattr(value, "type", "")))
        is_block = name is not None and any(cls.__name__ == name for cls in type(value).__mro__)
        return value if is_block else None
    for name in _BLOCK_METHODS:
        if (make := getattr(type(value), name, None)) is not None:
            block = make(value)
            return find_block(block) if isinstance(block, BaseModel) else None
    return None


def is_block_class(cls: type[Any]) -> bool:
    """Return whether a class is one of content blocks, of any SDK."""
    return issubclass(cls, BaseModel) and any(base.__name__ in _BLOCK_CLASSES.values() for base in cls.__mro__)


def block_to_wire(block: BaseModel) -> dict[str, Any]:
    """Return the wire form of a content block, without absent members."""
    if type(block).__name__ == "TextContent" and block.__pydantic_fields_set__ <= _PLAIN_TEXT_FIELDS:
        return {"type": "text", "text": cast(Any, block).text}
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
