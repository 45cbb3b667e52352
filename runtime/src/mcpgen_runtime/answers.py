"""Read a CallToolResult from anywhere, as an SDK's object or a wire dict, into one form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, NoReturn, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from .content_blocks import block_to_wire
from .conversion import to_json_form
from .errors import BEYOND_STACK, NoJsonForm
from .json_values import Link, build_path

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
