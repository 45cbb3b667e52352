"""Base classes of resources."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, TypeVar, cast, overload

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from .arguments import read_invalid
from .content import PROTOCOLS, map_attributes, version_of
from .conversion import to_text_form
from .core_schemas import CHECKED, LimitExceeded, parse_json, read_value, reads_formats
from .errors import BEYOND_STACK, NoJsonForm, get_json_value, shorten_error
from .handler_values import wire_form
from .json_values import call_converter, read_items
from .models import Copied, StaticGeneric, render
from .package import find_limits, find_package, load_definition
from .schema_check import SchemaCheck, hold

if TYPE_CHECKING:
    from typing import Self

    from .json_types import JsonValue


ReadT = TypeVar("ReadT", bound=BaseModel)
ContentsT = TypeVar("ContentsT", bound=BaseModel)
CacheScope = Literal["public", "private"]

_CACHEABLE = PROTOCOLS[4:]
_MEMBERS = frozenset({"uri", "mimeType", "text", "blob", "_meta"})


@dataclass(frozen=True)
class ResourceInfo:
    """Description of a resource: its exact name, its URI or RFC 6570 template, its MIME type."""

    file: str
    """The path of the resource's module; the JSON file of its definition is next to it."""
    name: str
    uri: str | None = None
    uri_template: str | None = None
    mime_type: str | None = None
    ttl_ms: int = 0
    cache_scope: CacheScope = "private"
    text_is_json: bool = False
    """Whether a string from the handler is JSON text: the schema has no strings at its root."""
    contents_in_mappings: bool = True
    """Whether a mapping with `text` or `blob` is the resource's contents."""

    @cached_property
    def default_protocol(self) -> str:
        """The protocol version for which a result is made when a call names none."""
        return find_package(self.file).default_protocol

    def choose_uri(self, uri: str | None) -> str:
        """Return the URI of a read: the given one, or else the declared one."""
        if uri is not None:
            return str(uri)
        if self.uri is None:
            raise ValueError(f'resource "{self.name}" is a template, {self.uri_template}: pass the uri that was read')
        return self.uri


def build_envelope(
    info: ResourceInfo, version: str, ttl_ms: int | None, cache_scope: CacheScope | None, meta: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the members of a result other than its contents, for a protocol version."""
    out: dict[str, Any] = {}
    if version in _CACHEABLE:
        out["resultType"] = "complete"
        out["ttlMs"] = info.ttl_ms if ttl_ms is None else ttl_ms
        out["cacheScope"] = info.cache_scope if cache_scope is None else cache_scope
    if meta is not None:
        out["_meta"] = dict(meta)
    return out


def is_named(value: BaseModel, name: str) -> bool:
    """Return whether an object is of this protocol type, from any SDK."""
    return any(cls.__name__ == name for cls in type(value).__mro__)


def dump_protocol_object(value: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    """Dump the set members of a protocol object in wire form; copy a wire dict."""
    if isinstance(value, Mapping):
        return dict(value)
    return _drop_none(value.model_dump(mode="json", by_alias=True, exclude_unset=True))


_LISTED_ERRORS = 100
"""Maximum errors of pydantic that are read, since each takes far more memory than the value."""


def _drop_none(members: dict[str, Any]) -> dict[str, Any]:
    """Drop members that an SDK sets to None, also in `contents`; null inside `_meta` stays."""
    out = {key: item for key, item in members.items() if item is not None}
    if "contents" in out:
        out["contents"] = [_drop_none(item) for item in out["contents"]]
    return out


class ResourceTypes(Generic[ReadT, ContentsT]):
    """The classes of one SDK for reads of resources.

    Args:
        result: its ReadResourceResult.
        text: its TextResourceContents.
        blob: its BlobResourceContents.
    """

    def __init__(self, result: type[ReadT], text: type[ContentsT], blob: type[ContentsT]) -> None:
        self.result, self.text, self.blob = result, text, blob
        self._mime_type = map_attributes(text).get("mimeType", "mimeType")

    def read_result(self, result: object) -> tuple[ReadT, dict[str, Any]]:
        """Read a ReadResourceResult, an SDK's object or a wire dict; return it and its set members in wire form.

        Raises:
            pydantic.ValidationError: it is not a ReadResourceResult.
        """
        try:
            wire = dump_protocol_object(cast(Any, result))
            return self.result.model_validate(wire), wire
        except ValidationError as error:
            if error.error_count() <= _LISTED_ERRORS:
                raise shorten_error(error) from None
            why = f"{error.error_count()} parts of it are wrong"
        except RecursionError:
            why = f"it is {BEYOND_STACK}"
        except Exception as error:  # foreign objects may raise anything
            why = f"reading it failed with {type(error).__name__}"
        message = f"the result should be a ReadResourceResult: {why}"
        kind = PydanticCustomError("resource_result", "{message}", {"message": message})
        place: InitErrorDetails = {"type": kind, "loc": (), "input": type(result).__name__}
        raise ValidationError.from_exception_data("ReadResourceResult", [place])

    def read_contents(self, info: ResourceInfo, value: object, uri: str | None) -> list[ContentsT] | None:
        """Return a value that already is contents: one of them, a list of them, or a mapping with their members."""
        if (single := self._convert_contents(value)) is not None:
            return [self._add_mime_type(info, single, uri)]
        if isinstance(value, list | tuple):
            items = [self._convert_contents(item) for item in cast(Sequence[object], value)]
            converted = [item for item in items if item is not None]
            if converted and len(converted) < len(items):
                raise TypeError(f'resource "{info.name}": a list of contents that holds other values, too')
            return [self._add_mime_type(info, item, uri) for item in converted] or None
        if isinstance(value, Mapping) and info.contents_in_mappings:
            return self._read_contents_members(info, cast(Any, value), uri)
        return None

    def make_text_contents(self, info: ResourceInfo, text: str, uri: str | None, mime: str = "text/plain") -> ContentsT:
        """Make text contents of the declared MIME type, else of `mime`."""
        members = {"uri": info.choose_uri(uri), "mimeType": info.mime_type or mime, "text": text}
        return self.text.model_validate(members)

    def make_contents(self, info: ResourceInfo, value: object, uri: str | None) -> ContentsT:
        """Convert any other value to contents."""
        if isinstance(value, bytes | bytearray | memoryview):
            blob = convert_to_json(info, cast(object, value))
            mime = info.mime_type or "application/octet-stream"
            return self.blob.model_validate({"uri": info.choose_uri(uri), "mimeType": mime, "blob": blob})
        if _is_mistake(value):
            kind = type(value).__name__
            raise TypeError(f'resource "{info.name}": a handler returned a {kind}, which is not data')
        form = convert_to_json(info, value)
        return self.make_text_contents(info, form if isinstance(form, str) else format_json(info, form), uri)

    def _convert_contents(self, value: object) -> ContentsT | None:
        """Convert text or blob contents to the SDK's class; None for anything else."""
        for kind in (self.text, self.blob):
            if isinstance(value, kind):
                return value
            if isinstance(value, BaseModel) and is_named(value, kind.__name__):
                return kind.model_validate(dump_protocol_object(value))
        return None

    def _add_mime_type(self, info: ResourceInfo, contents: ContentsT, uri: str | None) -> ContentsT:
        """Add the declared MIME type to contents that have none, unless they are those of another URI."""
        own, read_uri = info.uri if uri is None else uri, cast(Any, contents).uri
        is_other = own is not None and type(read_uri)(str(own)) != read_uri
        if info.mime_type is None or is_other or getattr(contents, self._mime_type) is not None:
            return contents
        return contents.model_copy(update={self._mime_type: info.mime_type})

    def _read_contents_members(
        self, info: ResourceInfo, value: Mapping[Any, Any], uri: str | None
    ) -> list[ContentsT] | None:
        kinds = value.keys() & {"text", "blob"}
        if len(kinds) != 1 or not value.keys() <= _MEMBERS:
            return None
        (kind,) = kinds
        if not isinstance(value[kind], str if kind == "text" else str | bytes | bytearray | memoryview):
            return None
        members = cast(dict[str, Any], convert_to_json(info, value))
        if members.get("uri") is None:
            members["uri"] = info.choose_uri(uri)
        if members.get("mimeType") is None:
            members["mimeType"] = info.mime_type or ("text/plain" if kind == "text" else "application/octet-stream")
        try:
            return [(self.text if kind == "text" else self.blob).model_validate(members)]
        except ValidationError:
            return None


def _is_mistake(value: object) -> bool:
    """Return whether a value must be a mistake: a coroutine that was not awaited, a function, a class."""
    return isinstance(value, Awaitable | AsyncIterable | type) or callable(value)


def convert_to_json(info: ResourceInfo, value: object) -> Any:
    """Convert a Python value to JSON; an object without a JSON form becomes its `str()`.

    Raises:
        NoJsonForm: a ValueError that names the resource and the JSON pointer.
    """
    try:
        return to_text_form(value)
    except NoJsonForm as error:
        error.subject = f'resource "{info.name}"'
        raise


def format_json(info: ResourceInfo, value: object) -> str:
    """Return the compact JSON text of a JSON value.

    Raises:
        NoJsonForm: a ValueError that names the resource; for example, an integer too long to write.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise NoJsonForm(BEYOND_STACK, f'resource "{info.name}"') from None
    except ValueError as error:
        raise NoJsonForm(str(error), f'resource "{info.name}"') from None


class ResourceResultOf(Copied, StaticGeneric[ReadT, ContentsT]):
    """Base of all resource classes, for the ReadResourceResult and the contents of an SDK."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, protected_namespaces=())
    _types: ClassVar[ResourceTypes[Any, Any]]
    """The classes of the SDK."""
    resource: ClassVar[ResourceInfo]
    normalize: ClassVar[Callable[..., Any]]
    """Converts a handler's value to a ReadResourceResult; each class declares the types."""

    @classmethod
    def _normalize(cls, value: object, uri: str | None, protocol: str | None) -> ReadT:
        """Do the same, but raise an `IteratorFailed` for what an iterator in the value raised."""
        raise NotImplementedError

    from_read_resource_result: ClassVar[Callable[..., Any]]
    """Reads a result."""

    @classmethod
    def match(cls, uri: str) -> Mapping[str, object] | None:
        """Return the template's parameters in a URI (empty for a fixed URI); None if it belongs to another resource."""
        return {} if uri == cls.resource.uri else None

    def to_contents(self, uri: str | None = None) -> list[ContentsT]:
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
    ) -> ReadT:
        """Return the result as the SDK's ReadResourceResult.

        Args:
            protocol: the session's protocol version; None: the package's default.
            uri: the URI that was read; None: the declared one.
            ttl_ms: milliseconds that a client may cache the result, instead of the declared ones; since 2026-07-28.
            cache_scope: whether shared caches may keep it, instead of the declared scope; since 2026-07-28.
            meta: the result's `_meta`.

        Raises:
            ValueError: unknown protocol version, or no `uri` for a template.
        """
        fields = self._build_envelope(version_of(protocol, self.resource.default_protocol), ttl_ms, cache_scope, meta)
        fields["contents"] = self.to_contents(uri)
        result: ReadT = self._types.result(**fields)
        return result

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
            **self._build_envelope(version_of(protocol, self.resource.default_protocol), ttl_ms, cache_scope, meta),
        }

    def _build_envelope(
        self, version: str, ttl_ms: int | None, cache_scope: CacheScope | None, meta: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        return build_envelope(self.resource, version, ttl_ms, cache_scope, meta)


class ContentsResourceOf(ResourceResultOf[ReadT, ContentsT]):
    """Base for a resource whose text has no schema: the contents, and the other members of the result."""

    _holds_json: ClassVar[bool] = False
    contents: list[ContentsT]
    ttl_ms: Annotated[int, Field(ge=0)] | None = None
    cache_scope: CacheScope | None = None
    meta: dict[str, Any] | None = None

    @classmethod
    def of(cls, value: object, uri: str | None = None) -> Self:
        """Convert what a handler returned to an instance; parameters as in `normalize`."""
        if isinstance(value, BaseModel) and is_named(value, "ReadResourceResult"):
            return cls.from_read_resource_result(value)
        if isinstance(value, Iterator):
            value = [*read_items(cast(Iterator[object], value))]
        contents = cls._types.read_contents(cls.resource, value, uri)
        return cls(contents=[cls._types.make_contents(cls.resource, value, uri)] if contents is None else contents)

    @classmethod
    def normalize(cls, value: object, uri: str | None = None, protocol: str | None = None) -> ReadT:
        """Convert any value that a handler returned to a ReadResourceResult.

        - ReadResourceResult: unchanged. Text or blob contents, or a list of them: wrapped in one; those of the URI that
          was read get the declared MIME type if they have none. `[]` is a value, so its text is `[]`.
        - A mapping with only members of contents: these contents, with `uri` and `mimeType` filled in.
        - bytes, bytearray, memoryview: a blob. str: text.
        - Other data: its JSON text. An object without data: its `str()`.

        The MIME type is the declared one, or else `application/octet-stream` for a blob and `text/plain` for text.

        Args:
            value: what the handler returned.
            uri: the URI that was read; None: the declared one.
            protocol: the session's protocol version; None: the package's default.

        Raises:
            ValueError: unknown protocol version, no `uri` for a template, or what JSON cannot hold.
            TypeError: the value cannot be a result, such as a coroutine that was not awaited.
            Exception: what an iterator in the value raised.
        """
        return call_converter(cls._normalize, value, uri, protocol)

    @classmethod
    def _normalize(cls, value: object, uri: str | None, protocol: str | None) -> ReadT:
        if isinstance(value, cls._types.result):
            version_of(protocol, "")
            return cast(ReadT, value)
        return cls.of(value, uri).to_read_resource_result(protocol)

    @classmethod
    def from_read_resource_result(
        cls, result: BaseModel | Mapping[str, Any], *, on_invalid: Literal["raise", "warn", "raw"] = "raise"
    ) -> Self:
        """Read a result, an SDK's object or a wire dict. There is no schema that its contents could violate.

        Raises:
            pydantic.ValidationError: it is not a ReadResourceResult.
        """
        parsed, wire = cls._types.read_result(result)
        return cls(
            contents=parsed.contents,
            ttl_ms=wire.get("ttlMs"),
            cache_scope=wire.get("cacheScope"),
            meta=wire.get("_meta"),
        )

    def to_contents(self, uri: str | None = None) -> list[ContentsT]:
        """Return the contents unchanged, each with its own URI."""
        return [*self.contents]

    def _build_envelope(
        self, version: str, ttl_ms: int | None, cache_scope: CacheScope | None, meta: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        ttl = self.ttl_ms if ttl_ms is None else ttl_ms
        scope = self.cache_scope if cache_scope is None else cache_scope
        return super()._build_envelope(version, ttl, scope, self.meta if meta is None else meta)


class JsonResourceOf(ResourceResultOf[ReadT, ContentsT]):
    """Base for a resource whose text is JSON with a schema: an instance is that JSON value."""

    def to_structured_content(self) -> Any:
        """Return the JSON value of the text."""
        raise NotImplementedError

    def to_contents(self, uri: str | None = None) -> list[ContentsT]:
        """Return one text block with the compact JSON value.

        Raises:
            ValueError: the resource is a template, and no `uri` is given.
        """
        text = format_json(self.resource, self.to_structured_content())
        return [self._types.make_text_contents(self.resource, text, uri, "application/json")]

    def _write_checked(self, uri: str | None) -> list[ContentsT]:
        """Return the contents of a handler's instance, after checking its current state."""
        value = get_json_value(self)
        _check(type(self), value, True)
        text = format_json(self.resource, value)
        return [self._types.make_text_contents(self.resource, text, uri, "application/json")]

    @classmethod
    def from_structured_content(cls, value: object) -> Self:
        """Read the JSON value.

        Raises:
            pydantic.ValidationError: it violates the resource's schema.
        """
        try:
            _check(cls, value)
            instance: Self = read_value(cls, value, CHECKED)
        except Exception:  # foreign objects may raise anything
            if reads_formats(cls):
                _check(cls, value, refused_by=cls)  # its errors say more
            raise
        return instance

    @overload
    @classmethod
    def from_read_resource_result(
        cls, result: BaseModel | Mapping[str, Any], *, on_invalid: Literal["raise", "warn"] = "raise"
    ) -> Self: ...

    @overload
    @classmethod
    def from_read_resource_result(
        cls, result: BaseModel | Mapping[str, Any], *, on_invalid: Literal["raw"]
    ) -> Self | JsonValue: ...

    @classmethod
    def from_read_resource_result(
        cls, result: BaseModel | Mapping[str, Any], *, on_invalid: Literal["raise", "warn", "raw"] = "raise"
    ) -> Any:
        """Read a result with one text: an SDK's object or a wire dict.

        Args:
            result: the result.
            on_invalid: what to do with a text that is not JSON or violates the schema: `raise`; `warn` and return an
                instance with JSON values wherever the types do not fit; or return the `raw` value. The raw value of a
                text that is not JSON is the text.

        Raises:
            pydantic.ValidationError: it is not such a result, or its text is not JSON or violates the schema.
        """
        contents = cls._types.read_result(result)[0].contents
        if len(contents) != 1 or not isinstance(contents[0], cls._types.text):
            raise _make_error(cls, "the result should hold one text", result)
        value: Any = contents[0].text
        try:
            value = _parse_text(cls, value)
            return cls.from_structured_content(value)
        except ValidationError as error:
            return read_invalid(cls, value, error, on_invalid, cls.resource.name)

    @classmethod
    def normalize_any(cls, value: object, uri: str | None = None, protocol: str | None = None) -> ReadT:
        """Convert any value that a handler returned to a ReadResourceResult, and check it against the schema.

        A ReadResourceResult, contents and lists of them stay unchanged. If no value of the schema is a string, str and
        bytes are JSON text, which stays unchanged. Everything else is first converted to JSON: dataclasses, pydantic
        models and other objects with attributes, datetime, UUID, Decimal, Enum, ….

        Args:
            value: what the handler returned.
            uri: the URI that was read; None: the declared one.
            protocol: the session's protocol version; None: the package's default.

        Raises:
            pydantic.ValidationError: a ValueError; the value violates the schema.
            ValueError: unknown protocol version, no `uri` for a template, or a value that JSON cannot represent.
            Exception: what an iterator in the value raised.
        """
        return call_converter(cls._normalize, value, uri, protocol)

    @classmethod
    def _normalize(cls, value: object, uri: str | None, protocol: str | None) -> ReadT:
        info, types = cls.resource, cls._types
        version, result = version_of(protocol, info.default_protocol), cast(ReadT, value)
        if isinstance(value, types.result):
            return result
        if isinstance(value, BaseModel) and is_named(value, "ReadResourceResult"):
            result = types.result.model_validate(dump_protocol_object(value))
            return result
        contents = types.read_contents(info, value, uri)
        if contents is None and info.text_is_json and isinstance(value, str | bytes | bytearray):
            text = value if isinstance(value, str) else _decode_text(cls, value)
            cls.from_structured_content(_parse_text(cls, text))
            contents = [types.make_text_contents(info, text, uri, "application/json")]
        if contents is None:
            own = value._write_checked(uri) if isinstance(value, cls) else None
            contents = cls._read(value).to_contents(uri) if own is None else own
        fields = build_envelope(info, version, None, None, None)
        fields["contents"] = contents
        result = types.result(**fields)
        return result

    if not TYPE_CHECKING:  # type checkers see the types that each class declares

        @classmethod
        def normalize(cls, value, uri=None, protocol=None):
            """Convert a value of the schema's types; see `normalize_any`."""
            return cls.normalize_any(value, uri, protocol)

    @classmethod
    def _read(cls, value: object) -> Self:
        try:
            form = wire_form(value, cls)
        except NoJsonForm as error:
            error.subject = _format_title(cls)
            raise
        return cls.from_structured_content(form)

    # --- pydantic's view ---------------------------------------------------------------------------------------------
    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        if "resource" not in cls.__dict__:
            return handler(schema)
        declared = load_definition(cls.resource.file)["schema"]
        if isinstance(declared, bool):
            declared = cast(dict[str, Any], {} if declared else {"not": {}})
        return render(cls, declared, schema, handler)


class CheckedJson(JsonResourceOf[Any, Any]):
    """Base for a JSON value whose schema is stricter than its types: construction also checks the schema."""

    @model_validator(mode="wrap")
    @classmethod
    def _hold(cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Check a new instance, unless it was read from a value that was already checked."""
        instance = handler(value)
        if instance is not value and info.context is not CHECKED:
            _check(cls, get_json_value(instance))
        return instance


@cache
def get_payload_check(file: str) -> SchemaCheck:
    """Return a check against the schema of the resource whose module has this path."""
    return SchemaCheck(load_definition(file)["schema"], find_package(file).limits)


def _format_title(cls: type[JsonResourceOf[Any, Any]]) -> str:
    return f'resource "{cls.resource.name}"'


def _check(
    cls: type[JsonResourceOf[Any, Any]],
    value: object,
    is_own: bool = False,
    refused_by: type[JsonResourceOf[Any, Any]] | None = None,
) -> None:
    hold(value, lambda: get_payload_check(cls.resource.file), _format_title(cls), is_own, refused_by)


def _make_error(cls: type[JsonResourceOf[Any, Any]], message: str, value: object) -> ValidationError:
    kind = PydanticCustomError("resource_text", "{message}", {"message": message})
    return ValidationError.from_exception_data(_format_title(cls), [{"type": kind, "loc": (), "input": value}])


def _decode_text(cls: type[JsonResourceOf[Any, Any]], value: bytes | bytearray) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise _make_error(cls, "the bytes are not UTF-8", value) from None


def _parse_text(cls: type[JsonResourceOf[Any, Any]], text: str) -> Any:
    def refuse_constant(constant: str) -> None:
        raise ValueError(f"JSON has no {constant}")

    try:
        return parse_json(text, refuse_constant)
    except LimitExceeded:
        raise _make_error(cls, f"the text {find_limits(cls.__module__).depth_message}", text) from None
    except ValueError as error:
        raise _make_error(cls, f"the text is not JSON: {error}", text) from None
