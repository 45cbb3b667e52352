"""Content blocks, and the members of results, in each version of the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, NamedTuple, NoReturn, TypeAlias, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from .conversion import to_json_form, to_text_form
from .errors import BEYOND_STACK, NoJsonForm
from .json_values import Link, build_path, read_items
from .models import JsonObject

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The protocol versions, oldest first."""
WITHOUT_STRUCTURED = PROTOCOLS[:2]
"""Versions without structured content."""
NATURAL = PROTOCOLS[4:]
"""Versions whose structured content may be any JSON value, so no value is wrapped."""
ALL_BLOCKS = PROTOCOLS[2:]
"""Versions with every kind of content block."""
AUDIO_SINCE = PROTOCOLS[1]
"""The first version with audio blocks."""
RESOURCE_LINKS_SINCE = PROTOCOLS[2]
"""The first version with resource links."""
STRUCTURED_CONTENT_SINCE = PROTOCOLS[2]
"""The first version whose results have structured content."""
ANY_JSON_RESULT_SINCE = PROTOCOLS[4]
"""The first version whose structured content may be any JSON value."""
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


_JSON_MIME_TYPE = "application/json"


def find_json_resource(blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the text of the only embedded resource that is JSON by its MIME type; None if there are none or several.

    Args:
        blocks: content blocks in wire form.
    """
    texts: list[str] = []
    for block in blocks:
        resource: Any = block.get("resource")
        if block.get("type") != "resource" or not isinstance(resource, dict):
            continue
        members = cast(dict[str, Any], resource)
        mime_type = str(members.get("mimeType")).partition(";")[0].strip().lower()
        text = members.get("text")
        if mime_type == _JSON_MIME_TYPE and isinstance(text, str):
            texts.append(text)
    return texts[0] if len(texts) == 1 else None


def find_text(blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the text of the only block; None if it is another kind of block, or there are several."""
    return blocks[0].get("text") if len(blocks) == 1 and blocks[0].get("type") == "text" else None


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
    members = cast(dict[str, Any], structured) if isinstance(structured, dict) else {}
    if members.keys() == {"result"}:
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
        elif isinstance(left, list) and isinstance(right, list):
            items, others = cast(list[object], left), cast(list[object], right)
            if len(items) != len(others):
                return build_path(link)
            todo += [((link, n), item, others[n]) for n, item in enumerate(items)]
        elif isinstance(left, _CONTAINERS) or isinstance(left, bool) != isinstance(right, bool) or left != right:
            return build_path(link)
    return None


RESULT_MEMBERS = frozenset({"content", "structuredContent", "isError"})
"""Members of which a result has at least one."""
MISSING: Any = object()
"""Marks structured content as absent; null is a value."""


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
                return cls._read_sdk_object(result)
            if isinstance(result, Mapping):
                if not any(member in result for member in RESULT_MEMBERS):
                    raise _InvalidResult("it has neither content nor structuredContent")
                return cls._read_wire(cast(Any, result))
            why = f"got a value of type {_get_type_name(result)}"
        except _InvalidResult as error:
            why = str(error)
        except RecursionError:
            why = f"it is {BEYOND_STACK}"
        except Exception as error:  # foreign objects may raise anything
            why = f"reading it failed with {type(error).__name__}"
        raise make_read_error(title, f"the result should be a CallToolResult: {why}", _get_type_name(result))

    @classmethod
    def _read_wire(cls, wire: Mapping[Any, Any]) -> Answer:
        return cls(
            _read_blocks(wire.get("content", ())),
            wire.get("structuredContent", MISSING),
            _read_flag(wire.get("isError")),
            "resultType" in wire,
            _read_meta(wire.get("_meta")),
        )

    @classmethod
    def _read_sdk_object(cls, result: BaseModel) -> Answer:
        names, attributes = map_attributes(type(result)), result.__dict__
        fields_set = result.__pydantic_fields_set__
        structured = attributes.get(names["structuredContent"])
        if structured is None:
            has_result_type = names["resultType"] in type(result).model_fields
            if names["structuredContent"] not in fields_set or not has_result_type:
                structured = MISSING  # older types use null for absence
        return cls(
            _read_blocks(attributes.get(names["content"])),
            structured,
            _read_flag(attributes.get(names["isError"])),
            names["resultType"] in fields_set,
            _read_meta(attributes.get(names["_meta"])),
        )

    @classmethod
    def read_foreign(cls, value: object) -> Answer | None:
        """Read a handler's value if it is a CallToolResult of another SDK; None for anything else.

        Raises:
            pydantic.ValidationError: it is not a valid one.
        """
        if not isinstance(value, BaseModel) or "content" not in type(value).model_fields:
            return None
        is_result = any(base.__name__ == "CallToolResult" for base in type(value).__mro__)
        return cls.of(value) if is_result else None

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
        return self.structured is not MISSING

    def text(self) -> str:
        """Return the text of all text blocks, separated by line breaks."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    def data(self) -> str | None:
        """Return the data of the only block if it is a binary one."""
        return get_binary_data(self.content[0]) if len(self.content) == 1 else None

    def find_value(self) -> Any:
        """Return the structured content as it is, or without it the text that could be read instead; else `MISSING`."""
        if self.has_structured:
            return self.structured
        text = find_json_resource(self.content) or find_text(self.content)
        return MISSING if text is None else text


class _InvalidResult(Exception):
    """A member does not have the form that CallToolResult requires."""


def make_read_error(title: str, message: str, value: object) -> ValidationError:
    """Make the error for a result that cannot be read."""
    kind = PydanticCustomError("missing_structured_content", "{message}", {"message": message})
    return ValidationError.from_exception_data(title, [{"type": kind, "loc": (), "input": value}])


def get_binary_data(block: Mapping[str, Any]) -> str | None:
    """Return the data of a binary block on the wire; None for other blocks."""
    resource = block.get("resource")
    inner = cast(dict[str, Any], resource) if isinstance(resource, dict) else {}
    data = block.get("data", inner.get("blob"))
    return data if isinstance(data, str) else None


@cache
def map_attributes(cls: type[BaseModel]) -> dict[str, str]:
    """Map the wire names of an SDK's CallToolResult to its attributes."""
    names = {wire: wire for wire in ("content", "structuredContent", "isError", "resultType")}
    names["_meta"] = "meta"
    return names | {field.alias: name for name, field in cls.model_fields.items() if field.alias is not None}


# --- its members -----------------------------------------------------------------------------------------------------
def _reject(place: str, expectation: str) -> NoReturn:
    raise _InvalidResult(f"{place} should be {expectation}")


def _read_blocks(content: Any) -> list[dict[str, Any]]:
    if not isinstance(content, list | tuple):
        _reject("/content", "an array")
    return [_read_block(block, index) for index, block in enumerate(cast(list[object], content))]


def _read_block(block: object, index: int) -> dict[str, Any]:
    place = f"/content/{index}"
    wire = _read_object(block_to_wire(block) if isinstance(block, BaseModel) else block, place)
    if type(wire.get("type")) is not str:
        _reject(f"{place}/type", "a string")
    if wire["type"] == "text" and type(wire.get("text")) is not str:
        _reject(f"{place}/text", "a string")
    return wire


def _get_type_name(value: Any) -> str:
    """Return the name of a value's class."""
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


def _read_flag(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return value is True
    _reject("/isError", "true or false")


def _read_meta(meta: object) -> dict[str, Any] | None:
    """Read `_meta`, which may be an object of the SDK."""
    if meta is None:
        return None
    if isinstance(meta, BaseModel):
        meta = meta.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return _read_object(meta, "/_meta")
