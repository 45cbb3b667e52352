"""What a handler returned of a resource, as the contents that a read of it gives."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from enum import Enum
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel, ValidationError

from .jsonable import BEYOND_STACK, NoJsonForm, NoJsonType, attributes, to_json_form
from .protocol import BlobResourceContents, TextResourceContents
from .runtime import PROTOCOLS

Contents: TypeAlias = TextResourceContents | BlobResourceContents
CacheScope = Literal["public", "private"]

_CACHEABLE = PROTOCOLS[4:]
_MEMBERS = frozenset({"uri", "mimeType", "text", "blob", "_meta"})


@dataclass(frozen=True)
class ResourceInfo:
    """What a class knows of its resource: its exact name, its URI or RFC 6570 template, its MIME type."""

    name: str
    uri: str | None = None
    uri_template: str | None = None
    mime_type: str | None = None
    ttl_ms: int = 0
    cache_scope: CacheScope = "private"
    text_is_json: bool = False
    """Whether a text from the handler is JSON text: the schema has no strings at its root."""
    contents_in_mappings: bool = True
    """Whether a mapping with `text` or `blob` is the resource's contents."""

    def place(self, uri: str | None) -> str:
        """The URI of a read: the one that was asked for, or the declared one."""
        if uri is not None:
            return str(uri)
        if self.uri is None:
            raise ValueError(
                f'resource "{self.name}" is a template, {self.uri_template}: pass the uri that was read'
            )
        return self.uri


def around(
    info: ResourceInfo,
    version: str,
    ttl_ms: int | None,
    cache_scope: CacheScope | None,
    meta: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The members of a result beside its contents, as a protocol version has them."""
    out: dict[str, Any] = {}
    if version in _CACHEABLE:
        out["resultType"] = "complete"
        out["ttlMs"] = info.ttl_ms if ttl_ms is None else ttl_ms
        out["cacheScope"] = info.cache_scope if cache_scope is None else cache_scope
    if meta is not None:
        out["_meta"] = dict(meta)
    return out


def named(value: BaseModel, name: str) -> bool:
    """Whether an object is of this protocol type, of whichever SDK."""
    return any(cls.__name__ == name for cls in type(value).__mro__)


def wire_of(value: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    """A protocol object as on the wire, with what was set; a wire dict as it is."""
    if isinstance(value, Mapping):
        return dict(value)
    return _without_none(value.model_dump(mode="json", by_alias=True, exclude_unset=True))


def _without_none(held: dict[str, Any]) -> dict[str, Any]:
    """Members without those that an SDK has as None, also in `contents`; null inside `_meta` means null."""
    out = {key: item for key, item in held.items() if item is not None}
    if "contents" in out:
        out["contents"] = [_without_none(item) for item in out["contents"]]
    return out


def _contents(value: object) -> Contents | None:
    """Text or blob contents as the package's own type, None for anything else."""
    if isinstance(value, TextResourceContents | BlobResourceContents):
        return value
    if isinstance(value, BaseModel):
        for kind in (TextResourceContents, BlobResourceContents):
            if named(value, kind.__name__):
                return kind.model_validate(wire_of(value))
    return None


def given_contents(info: ResourceInfo, value: object, uri: str | None) -> list[Contents] | None:
    """The contents that a value is: one of them, a list of them, or a mapping of their members."""
    if (one := _contents(value)) is not None:
        return [one]
    if isinstance(value, list | tuple):
        items = [_contents(item) for item in cast(Sequence[object], value)]
        found = [item for item in items if item is not None]
        if found and len(found) < len(items):
            raise TypeError(
                f'resource "{info.name}": a list of contents that holds other values, too'
            )
        return found or None
    if isinstance(value, Mapping) and info.contents_in_mappings:
        return _contents_of_members(info, cast(Any, value), uri)
    return None


def _contents_of_members(
    info: ResourceInfo, value: Mapping[Any, Any], uri: str | None
) -> list[Contents] | None:
    kinds = value.keys() & {"text", "blob"}
    if len(kinds) != 1 or not value.keys() <= _MEMBERS:
        return None
    (kind,) = kinds
    if not isinstance(value[kind], str if kind == "text" else str | bytes | bytearray | memoryview):
        return None
    members = cast(dict[str, Any], formed(info, value))
    if members.get("uri") is None:
        members["uri"] = info.place(uri)
    if members.get("mimeType") is None:
        members["mimeType"] = _mime(info, kind == "blob")
    try:
        kept = TextResourceContents if kind == "text" else BlobResourceContents
        return [kept.model_validate(members)]
    except ValidationError:
        return None


def _mime(info: ResourceInfo, binary: bool, text: str = "text/plain") -> str:
    """The MIME type: the declared one, then that of binary data, then that of text."""
    return info.mime_type or ("application/octet-stream" if binary else text)


def text_contents(
    info: ResourceInfo, text: str, uri: str | None, mime: str = "text/plain"
) -> Contents:
    """A text of the declared MIME type, else of `mime`."""
    members = {"uri": info.place(uri), "mimeType": _mime(info, False, mime), "text": text}
    return TextResourceContents.model_validate(members)


def made_contents(info: ResourceInfo, value: object, uri: str | None) -> Contents:
    """The contents that stand for a value."""
    if isinstance(value, bytes | bytearray | memoryview):
        blob = formed(info, cast(object, value))
        members = {"uri": info.place(uri), "mimeType": _mime(info, True), "blob": blob}
        return BlobResourceContents.model_validate(members)
    if _is_no_answer(value):
        kind = type(value).__name__
        raise TypeError(f'resource "{info.name}": a handler returned a {kind}, which is no data')
    if _says_itself(value):
        return text_contents(info, cast(str, formed(info, str(value))), uri)
    try:
        form = formed(info, value)
    except NoJsonType as error:
        if error.pointer:
            raise
        form = formed(info, str(value))
    return text_contents(info, form if isinstance(form, str) else json_text(info, form), uri)


def _is_no_answer(value: object) -> bool:
    """Whether a value must be a mistake: a coroutine that was not awaited, a function, a class."""
    return isinstance(value, Awaitable | AsyncIterable | type) or callable(value)


def _says_itself(value: object) -> bool:
    """Whether an object that is no data, but has attributes, has a `__str__` of its own."""
    kind = type(value)
    if issubclass(kind, BaseModel | Mapping | Iterable | Enum) or is_dataclass(kind):
        return False
    return type(value).__str__ is not object.__str__ and bool(attributes(value))


def formed(info: ResourceInfo, value: object) -> Any:
    """The JSON value of a Python value.

    Raises:
        NoJsonForm: a ValueError that names the resource and the JSON pointer.
    """
    try:
        return to_json_form(value)
    except NoJsonForm as error:
        error.subject = f'resource "{info.name}"'
        raise


def json_text(info: ResourceInfo, value: object) -> str:
    """The compact JSON text of a JSON value.

    Raises:
        NoJsonForm: a ValueError that names the resource; an integer too long to write, say.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK, f'resource "{info.name}"') from None
    except ValueError as error:
        raise NoJsonForm(str(error), f'resource "{info.name}"') from None


__all__ = [
    "CacheScope",
    "Contents",
    "ResourceInfo",
    "around",
    "formed",
    "given_contents",
    "json_text",
    "made_contents",
    "named",
    "text_contents",
    "wire_of",
]
