"""A CallToolResult as it came, from a stranger: any SDK's object or a wire dict, in the one form that is read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, NoReturn, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from .blocks import block_to_wire
from .jsonable import BEYOND_STACK, NoJsonForm, to_json_form

MISSING: Any = object()
"""Stands for structured content that there is none of; null is a value."""


class Answer(NamedTuple):
    """A result as read: a wire dict or an SDK's object, present null and absent told apart."""

    content: list[dict[str, Any]]
    """The content blocks as on the wire: JSON objects, those of type `text` with a text."""
    structured: Any
    """As it came, so that it may be anything."""
    is_error: bool
    has_result_type: bool
    meta: dict[str, Any] | None

    @classmethod
    def of(cls, result: object, title: str = "CallToolResult") -> Answer:
        """Read a result; `title` says what for, should that fail.

        Raises:
            pydantic.ValidationError: it is no CallToolResult.
        """
        try:
            if isinstance(result, BaseModel):
                return cls._of_object(result)
            if isinstance(result, Mapping):
                return cls._of_wire(cast(Any, result))
            why = f"got a value of type {_type_name(result)}"
        except _NoAnswer as error:
            why = str(error)
        except RecursionError:
            why = f"it is {BEYOND_STACK}"
        except Exception as error:  # what the code of a stranger's object raises can be anything
            why = f"reading it failed with {type(error).__name__}"
        raise problem(title, f"the result should be a CallToolResult: {why}", _type_name(result))

    @classmethod
    def _of_wire(cls, wire: Mapping[Any, Any]) -> Answer:
        return cls(
            _blocks(wire.get("content", ())),
            wire.get("structuredContent", MISSING),
            _truth(wire.get("isError")),
            "resultType" in wire,
            _meta(wire.get("_meta")),
        )

    @classmethod
    def _of_object(cls, result: BaseModel) -> Answer:
        names, own = attributes_of(type(result)), result.__dict__
        given = result.__pydantic_fields_set__
        structured = own.get(names["structuredContent"])
        if structured is None:
            known = names["resultType"] in type(result).model_fields
            if names["structuredContent"] not in given or not known:
                structured = MISSING  # of older types null is absence, too
        return cls(
            _blocks(own.get(names["content"])),
            structured,
            _truth(own.get(names["isError"])),
            names["resultType"] in given,
            _meta(own.get(names["_meta"])),
        )

    @classmethod
    def given(cls, value: object) -> Answer | None:
        """A handler's value that is the CallToolResult of another SDK; None for anything else.

        Raises:
            pydantic.ValidationError: it is none after all.
        """
        if not isinstance(value, BaseModel) or "content" not in type(value).model_fields:
            return None
        named = any(one.__name__ == "CallToolResult" for one in type(value).__mro__)
        return cls.of(value) if named else None

    def wire(self) -> dict[str, Any]:
        """The result as on the wire, whose version is yet to be said.

        Raises:
            NoJsonForm: the structured content is no JSON.
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
        """Whether there is structured content, null included."""
        return self.structured is not MISSING

    def text(self) -> str:
        """What the text blocks say, a line break between them."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    def data(self) -> str | None:
        """The data of the only block, where that is a binary one."""
        return carried(self.content[0]) if len(self.content) == 1 else None


class _NoAnswer(Exception):
    """Something is not as CallToolResult has it."""


def problem(title: str, message: str, value: object) -> ValidationError:
    """The error of a result that cannot be read."""
    kind = PydanticCustomError("missing_structured_content", "{message}", {"message": message})
    return ValidationError.from_exception_data(title, [{"type": kind, "loc": (), "input": value}])


def carried(block: Mapping[str, Any]) -> str | None:
    """The data of a binary block on the wire, None where it is none."""
    resource = block.get("resource")
    inner = cast(dict[str, Any], resource) if isinstance(resource, dict) else {}
    data = block.get("data", inner.get("blob"))
    return data if isinstance(data, str) else None


@cache
def attributes_of(cls: type[BaseModel]) -> dict[str, str]:
    """Wire name → attribute of an SDK's CallToolResult."""
    names = {wire: wire for wire in ("content", "structuredContent", "isError", "resultType")}
    names["_meta"] = "meta"
    return names | {
        field.alias: name for name, field in cls.model_fields.items() if field.alias is not None
    }


# --- its members -----------------------------------------------------------------------------------------------------
def _wrong(place: str, expectation: str) -> NoReturn:
    raise _NoAnswer(f"{place} should be {expectation}")


def _blocks(content: Any) -> list[dict[str, Any]]:
    if not isinstance(content, list | tuple):
        _wrong("/content", "an array")
    return [_block(one, index) for index, one in enumerate(cast(list[object], content))]


def _block(block: object, index: int) -> dict[str, Any]:
    place = f"/content/{index}"
    held = _json_object(block_to_wire(block) if isinstance(block, BaseModel) else block, place)
    if type(held.get("type")) is not str:
        _wrong(f"{place}/type", "a string")
    if held["type"] == "text" and type(held.get("text")) is not str:
        _wrong(f"{place}/text", "a string")
    return held


def _type_name(value: Any) -> str:
    """Return the name of a value's class."""
    return type(value).__name__


def _json_object(value: object, place: str) -> dict[str, Any]:
    """A mapping as a JSON object of its own."""
    if not isinstance(value, Mapping):
        _wrong(place, "an object")
    held = cast(Any, value)
    if _type_name(held) == "dict" and all(
        type(key) is type(one) is str for key, one in held.items()
    ):
        return {**held}  # as most are
    try:
        return cast(dict[str, Any], to_json_form(held))
    except NoJsonForm as error:
        _wrong(place + error.place(), f"JSON: {error.reason}")


def _truth(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return value is True
    _wrong("/isError", "true or false")


def _meta(meta: object) -> dict[str, Any] | None:
    """A `_meta` that may be an object of the SDK's."""
    if meta is None:
        return None
    if isinstance(meta, BaseModel):
        meta = meta.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return _json_object(meta, "/_meta")


__all__ = ["MISSING", "Answer", "attributes_of", "carried", "problem"]
