"""Base classes of resources: from a handler's value to a ReadResourceResult, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    RootModel,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from . import protocol as _protocol
from .contents import (
    CacheScope,
    Contents,
    ResourceInfo,
    build_envelope,
    convert_to_json,
    read_contents,
    format_json,
    make_contents,
    is_named,
    make_text_contents,
    dump_protocol_object,
)
from .copies import Copied
from .deep import LimitExceeded, parse_json, read_value
from .exact import SchemaCheck, hold
from .json_schema import mark, render
from .jsonable import get_json_value
from .protocol import ReadResourceResult, TextResourceContents
from .runtime import version_of

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")
ResourceAnswer: TypeAlias = ReadResourceResult | Contents | Sequence[Contents]
"""Values that a handler may return for any resource: the whole result, or its contents."""

_CHECKED: Any = object()
_MISSING: Any = object()


# --- the resources' definitions --------------------------------------------------------------------------------------
@cache
def _file() -> dict[str, Any]:
    return cast(
        dict[str, Any], json.loads(Path(__file__).with_name("resources.json").read_text("utf-8"))
    )


@cache
def resources() -> dict[str, dict[str, Any]]:
    """Return the Resources and ResourceTemplates as declared, by name."""
    return {
        definition["name"]: definition
        for definition in (*_file()["resources"], *_file()["resourceTemplates"])
    }


def list_resources(protocol: str | None = None) -> list[dict[str, Any]]:
    """Return the Resources to advertise under a protocol version: those with a fixed URI.

    Raises:
        ValueError: unknown protocol version.
    """
    version_of(protocol)
    return [dict(definition) for definition in _file()["resources"]]


def list_resource_templates(protocol: str | None = None) -> list[dict[str, Any]]:
    """Return the ResourceTemplates to advertise under a protocol version.

    Raises:
        ValueError: unknown protocol version.
    """
    version_of(protocol)
    return [dict(definition) for definition in _file()["resourceTemplates"]]


@cache
def _payload_check(resource: str) -> SchemaCheck:
    return SchemaCheck(_file()["schemas"][resource])


# --- resources -------------------------------------------------------------------------------------------------------
class ResourceResult(Copied):
    """Base of all resource classes."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())
    resource: ClassVar[ResourceInfo]

    @classmethod
    def match(cls, uri: str) -> Mapping[str, object] | None:
        """Return the template's parameters in a URI, none for a fixed one; None if it is another resource's."""
        return {} if uri == cls.resource.uri else None

    def to_contents(self, uri: str | None = None) -> list[Contents]:
        """Return the contents of a read.

        Raises:
            ValueError: the resource is a template, and no `uri` is given.
        """
        raise NotImplementedError

    def to_read_resource_result(
        self,
        protocol: str | None = None,
        *,
        uri: str | None = None,
        ttl_ms: int | None = None,
        cache_scope: CacheScope | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> ReadResourceResult:
        """Return the result as the SDK's ReadResourceResult.

        Args:
            protocol: the session's protocol version; None: the package's default.
            uri: the URI that was read; None: the declared one.
            ttl_ms: milliseconds that a client may cache the result, in place of the declared ones; since 2026-07-28.
            cache_scope: whether shared caches may keep it, in place of the declared scope; since 2026-07-28.
            meta: the result's `_meta`.

        Raises:
            ValueError: unknown protocol version, or no `uri` for a template.
        """
        fields = self._build_envelope(version_of(protocol), ttl_ms, cache_scope, meta)
        fields["contents"] = self.to_contents(uri)
        return _protocol.ReadResourceResult(**fields)

    def to_wire(
        self,
        protocol: str | None = None,
        *,
        uri: str | None = None,
        ttl_ms: int | None = None,
        cache_scope: CacheScope | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the result as a JSON-ready dict with wire names; parameters as in `to_read_resource_result`."""
        contents = [dump_protocol_object(item) for item in self.to_contents(uri)]
        return {
            "contents": contents,
            **self._build_envelope(version_of(protocol), ttl_ms, cache_scope, meta),
        }

    def _build_envelope(
        self,
        version: str,
        ttl_ms: int | None,
        cache_scope: CacheScope | None,
        meta: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        return build_envelope(self.resource, version, ttl_ms, cache_scope, meta)


class ContentsResource(ResourceResult):
    """Base for a resource whose text has no schema: the contents, and the other members of the result."""

    _holds_json: ClassVar[bool] = False
    contents: list[Contents]
    ttl_ms: Annotated[int, Field(ge=0)] | None = None
    cache_scope: CacheScope | None = None
    meta: dict[str, Any] | None = None

    @classmethod
    def of(cls, value: object, uri: str | None = None) -> Self:
        """Convert what a handler returned to an instance; parameters as in `normalize`."""
        if isinstance(value, BaseModel) and is_named(value, "ReadResourceResult"):
            return cls.from_read_resource_result(value)
        if isinstance(value, Iterator):
            value = [*cast(Any, value)]
        contents = read_contents(cls.resource, value, uri)
        return cls(
            contents=[make_contents(cls.resource, value, uri)] if contents is None else contents
        )

    @classmethod
    def normalize(
        cls, value: object, uri: str | None = None, protocol: str | None = None
    ) -> ReadResourceResult:
        """Convert whatever a handler returned to a ReadResourceResult.

        - ReadResourceResult: itself, unchanged. Text or blob contents, or a list of them: wrapped.
        - A mapping with only members of contents: those contents, `uri` and `mimeType` filled in.
        - bytes, bytearray, memoryview: a blob. str: a text.
        - Other data: its JSON text. An object without data: its `str()`.

        The MIME type is the declared one, else `application/octet-stream` for a blob and `text/plain` for a text.

        Args:
            value: what the handler returned.
            uri: the URI that was read; None: the declared one.
            protocol: the session's protocol version; None: the package's default.

        Raises:
            ValueError: unknown protocol version, no `uri` for a template, or what JSON cannot hold.
            TypeError: something that cannot be a result, such as a coroutine that was not awaited.
        """
        if isinstance(value, ReadResourceResult):
            version_of(protocol)
            return value
        return cls.of(value, uri).to_read_resource_result(protocol)

    @classmethod
    def from_read_resource_result(cls, result: BaseModel | Mapping[str, Any]) -> Self:
        """Read a result, an SDK's object or a wire dict.

        Raises:
            pydantic.ValidationError: it is not a ReadResourceResult.
        """
        wire = dump_protocol_object(result)
        parsed = _protocol.ReadResourceResult.model_validate(wire)
        return cls(
            contents=parsed.contents,
            ttl_ms=wire.get("ttlMs"),
            cache_scope=wire.get("cacheScope"),
            meta=wire.get("_meta"),
        )

    def to_contents(self, uri: str | None = None) -> list[Contents]:
        """Return the contents unchanged, each with its own URI."""
        return [*self.contents]

    def _build_envelope(
        self,
        version: str,
        ttl_ms: int | None,
        cache_scope: CacheScope | None,
        meta: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        ttl = self.ttl_ms if ttl_ms is None else ttl_ms
        scope = self.cache_scope if cache_scope is None else cache_scope
        return super()._build_envelope(version, ttl, scope, self.meta if meta is None else meta)


class JsonResource(ResourceResult):
    """Base for a resource whose text is JSON of a schema: an instance is that JSON value."""

    def to_structured_content(self) -> Any:
        """Return the JSON value that the text holds."""
        raise NotImplementedError

    def to_contents(self, uri: str | None = None) -> list[Contents]:
        """Return one text: the JSON value, compact.

        Raises:
            ValueError: the resource is a template, and no `uri` is given.
        """
        text = format_json(self.resource, self.to_structured_content())
        return [make_text_contents(self.resource, text, uri, "application/json")]

    def _write_checked(self, uri: str | None) -> list[Contents]:
        """Return the contents of a handler's instance after checking it as it is now."""
        value = get_json_value(self)
        _check(type(self), value, True)
        text = format_json(self.resource, value)
        return [make_text_contents(self.resource, text, uri, "application/json")]

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read the JSON value.

        Raises:
            pydantic.ValidationError: it violates the resource's schema.
        """
        _check(cls, value)
        instance: Self = read_value(cls, value, _CHECKED)
        return instance

    @classmethod
    def from_read_resource_result(cls, result: BaseModel | Mapping[str, Any]) -> Self:
        """Read a result, an SDK's object or a wire dict, which holds one text.

        Raises:
            pydantic.ValidationError: it is not such a result, or its text is not JSON or violates the schema.
        """
        contents = _protocol.ReadResourceResult.model_validate(
            dump_protocol_object(result)
        ).contents
        if len(contents) != 1 or not isinstance(contents[0], TextResourceContents):
            raise _make_error(cls, "the result should hold one text", result)
        return cls.from_structured_content(_parse_text(cls, contents[0].text))

    @classmethod
    def normalize_any(
        cls, value: object, uri: str | None = None, protocol: str | None = None
    ) -> ReadResourceResult:
        """Convert whatever a handler returned to a ReadResourceResult, and check it against the schema.

        A ReadResourceResult, contents and lists of them stay unchanged. If no value of the schema is a string,
        str and bytes are JSON text, which stays as it is written. Everything else is converted to JSON first:
        dataclasses, pydantic models and other objects with attributes, datetime, UUID, Decimal, Enum, ….

        Args:
            value: what the handler returned.
            uri: the URI that was read; None: the declared one.
            protocol: the session's protocol version; None: the package's default.

        Raises:
            pydantic.ValidationError: a ValueError; the value violates the schema.
            ValueError: unknown protocol version, no `uri` for a template, or what JSON cannot hold.
        """
        if isinstance(value, ReadResourceResult):
            version_of(protocol)
            return value
        if isinstance(value, BaseModel) and is_named(value, "ReadResourceResult"):
            return _protocol.ReadResourceResult.model_validate(dump_protocol_object(value))
        info = cls.resource
        contents = read_contents(info, value, uri)
        if contents is None and info.text_is_json and isinstance(value, str | bytes | bytearray):
            text = value if isinstance(value, str) else _decode_text(cls, value)
            cls.from_structured_content(_parse_text(cls, text))
            contents = [make_text_contents(info, text, uri, "application/json")]
        if contents is None:
            if isinstance(value, cls):
                contents = value._write_checked(uri)
            else:
                contents = cls._read(value).to_contents(uri)
        fields = build_envelope(info, version_of(protocol), None, None, None)
        fields["contents"] = contents
        return _protocol.ReadResourceResult(**fields)

    if not TYPE_CHECKING:  # type checkers see the types that each class declares

        @classmethod
        def normalize(cls, value, uri=None, protocol=None):
            """Convert what the schema's types allow; see `normalize_any`."""
            return cls.normalize_any(value, uri, protocol)

    @classmethod
    def _read(cls, value: object) -> Self:
        return cls.from_structured_content(convert_to_json(cls.resource, value))

    # --- pydantic's view ---------------------------------------------------------------------------------------------
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return mark(cls, source, handler)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        if "resource" not in cls.__dict__:
            return handler(schema)
        declared = _file()["schemas"][cls.resource.name]
        if isinstance(declared, bool):
            declared = cast(dict[str, Any], {} if declared else {"not": {}})
        return render(cls, declared, schema, handler)


class CheckedResource(JsonResource):
    """Base for a JSON value whose schema says more than its types do: construction checks the schema, too."""

    @model_validator(mode="wrap")
    @classmethod
    def _hold(
        cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        """Check a new instance, unless it was read from a value that was checked already."""
        instance = handler(value)
        if instance is not value and info.context is not _CHECKED:
            _check(cls, get_json_value(instance))
        return instance


class RootResource(JsonResource, RootModel[T], Generic[T]):
    """Base for a schema whose root is not an object: the value is `root`."""

    if not TYPE_CHECKING:

        def __init__(self, /, root: Any = _MISSING, **data: Any) -> None:
            read_value(type(self), data if root is _MISSING else root, instance=self)

        __init__.__pydantic_base_init__ = True


# --- the text of JSON resources ---------------------------------------------------------------------------------------
def _format_title(cls: type[JsonResource]) -> str:
    return f'resource "{cls.resource.name}"'


def _check(cls: type[JsonResource], value: object, is_own: bool = False) -> None:
    hold(value, lambda: _payload_check(cls.resource.name), _format_title(cls), is_own)


def _make_error(cls: type[JsonResource], message: str, value: object) -> ValidationError:
    kind = PydanticCustomError("resource_text", "{message}", {"message": message})
    return ValidationError.from_exception_data(
        _format_title(cls), [{"type": kind, "loc": (), "input": value}]
    )


def _decode_text(cls: type[JsonResource], value: bytes | bytearray) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise _make_error(cls, "the bytes are no UTF-8", value) from None


def _parse_text(cls: type[JsonResource], text: str) -> Any:
    def refuse_constant(constant: str) -> None:
        raise ValueError(f"JSON has no {constant}")

    try:
        return parse_json(text, refuse_constant)
    except LimitExceeded as error:
        raise _make_error(cls, f"the text {error}", text) from None
    except ValueError as error:
        raise _make_error(cls, f"the text is no JSON: {error}", text) from None


__all__ = [
    "CheckedResource",
    "ContentsResource",
    "JsonResource",
    "ReadResourceResult",
    "ResourceAnswer",
    "ResourceInfo",
    "ResourceResult",
    "RootResource",
    "list_resource_templates",
    "list_resources",
    "resources",
]
