"""Read a CallToolResult from anywhere, as an SDK's object or a wire dict, into one form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, NoReturn, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from .content_blocks import block_to_wire
from .content_json import find_json_resource, find_text
from .json_conversion import to_json_form
from .json_errors import BEYOND_STACK, NoJsonForm

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


__all__ = [
    "MISSING",
    "RESULT_MEMBERS",
    "Answer",
    "get_binary_data",
    "make_read_error",
    "map_attributes",
]
