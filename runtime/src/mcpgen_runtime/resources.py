"""Base classes of resources."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar, cast, overload

from pydantic import BaseModel, Field, ValidationError

from .arguments import read_invalid
from .content import RESULT_TYPE_SINCE, is_named, make_read_error, map_attributes, version_of
from .conversion import to_text_form
from .core_schemas import LimitExceeded, parse_json
from .errors import BEYOND_STACK, NoJsonForm, get_json_value, shorten_error
from .handler_values import wire_form
from .json_values import call_converter, read_items
from .package import find_limits, find_package, load_definition
from .schema_check import SchemaCheck, find_problems, raise_problems
from .wire_forms import WireJson, WireModel, format_json, format_payload

if TYPE_CHECKING:
    from typing import Generic as StaticGeneric

    from .json_types import JsonValue
else:
    from .models import StaticGeneric


ReadT = TypeVar("ReadT", bound=BaseModel)
ContentsT = TypeVar("ContentsT", bound=BaseModel)
CacheScope = Literal["public", "private"]

_MEMBERS = frozenset({"uri", "mimeType", "text", "blob", "_meta"})
"""Members of contents."""
_DATA_TYPES: dict[str, tuple[type[Any], ...]] = {"text": (str,), "blob": (str, bytes, bytearray, memoryview)}
"""The members that hold the data, and what they may be in a handler's mapping."""
_MIME_TYPES = {"text": "text/plain", "blob": "application/octet-stream"}
_LISTED_ERRORS = 100
"""Maximum errors of pydantic that are read, since each takes far more memory than the value."""


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
        if (chosen := self.uri if uri is None else str(uri)) is None:
            raise ValueError(f'resource "{self.name}" is a template, {self.uri_template}: pass the uri that was read')
        return chosen


def build_envelope(
    info: ResourceInfo, version: str, ttl_ms: int | None, scope: CacheScope | None, meta: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the members of a result other than its contents, for a protocol version."""
    out: dict[str, Any] = {} if meta is None else {"_meta": dict(meta)}
    if version < RESULT_TYPE_SINCE:
        return out
    ttl = info.ttl_ms if ttl_ms is None else ttl_ms
    return {"resultType": "complete", "ttlMs": ttl, "cacheScope": scope or info.cache_scope, **out}


def dump_protocol_object(value: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    """Dump the set members of a protocol object in wire form; copy a wire dict."""
    if isinstance(value, Mapping):
        return dict(value)
    return _drop_none(value.model_dump(mode="json", by_alias=True, exclude_unset=True))


def _drop_none(members: dict[str, Any]) -> dict[str, Any]:
    """Drop members that an SDK sets to None, also in `contents`; null inside `_meta` stays."""
    out = {key: item for key, item in members.items() if item is not None}
    if "contents" in out:
        out["contents"] = [_drop_none(item) for item in out["contents"]]
    return out


class ResourceTypes(Generic[ReadT, ContentsT]):
    """The classes of one SDK: its ReadResourceResult, TextResourceContents and BlobResourceContents."""

    def __init__(self, result: type[ReadT], text: type[ContentsT], blob: type[ContentsT]) -> None:
        self.result, self.text, self.blob = result, text, blob
        self.mime_type = map_attributes(text).get("mimeType", "mimeType")
        """The attribute of the contents' MIME type."""

    def read_result(self, result: object) -> tuple[ReadT, dict[str, Any]]:
        """Return a ReadResourceResult, and its set members in wire form, or raise pydantic's ValidationError."""
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
        raise make_read_error("ReadResourceResult", message, type(result).__name__, "resource_result")


class ResourceResultOf(WireModel, StaticGeneric[ReadT, ContentsT]):
    """Base of all resource classes, for the ReadResourceResult and the contents of an SDK."""

    _types: ClassVar[ResourceTypes[Any, Any]]
    """The classes of the SDK."""
    resource: ClassVar[ResourceInfo]
    normalize: ClassVar[Callable[..., Any]]
    """Converts a handler's value to a ReadResourceResult; each class declares the types."""

    _normalize: ClassVar[Callable[..., Any]]
    """Does the same, but raises an `IteratorFailed` for what an iterator in the value raised."""
    from_read_resource_result: ClassVar[Callable[..., Any]]
    """Reads a result."""

    @classmethod
    def match(cls, uri: str) -> Mapping[str, object] | None:
        """Return the template's parameters in a URI (empty for a fixed URI); None if it belongs to another resource."""
        return {} if uri == cls.resource.uri else None

    def to_contents(self, uri: str | None = None) -> list[ContentsT]:
        """Return the contents of a read, or raise ValueError if the resource is a template and there is no `uri`."""
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
        envelope = self._build_envelope(protocol, ttl_ms, cache_scope, meta)
        return cast(ReadT, self._types.result(**envelope, contents=self.to_contents(uri)))

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
        return {"contents": contents, **self._build_envelope(protocol, ttl_ms, cache_scope, meta)}

    def _build_envelope(
        self, protocol: str | None, ttl_ms: int | None, cache_scope: CacheScope | None, meta: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        version = version_of(protocol, self.resource.default_protocol)
        return build_envelope(self.resource, version, ttl_ms, cache_scope, meta)

    @classmethod
    def _find_contents(cls, value: object, uri: str | None) -> list[ContentsT] | None:
        if (single := cls._convert_contents(value)) is not None:
            return [cls._add_mime_type(single, uri)]
        if isinstance(value, list | tuple):
            items = [cls._convert_contents(item) for item in cast(Sequence[object], value)]
            converted = [item for item in items if item is not None]
            if converted and len(converted) < len(items):
                raise TypeError(f"{cls._title()}: a list of contents that holds other values, too")
            return [cls._add_mime_type(item, uri) for item in converted] or None
        if isinstance(value, Mapping) and cls.resource.contents_in_mappings:
            return cls._read_members(cast(Any, value), uri)
        return None

    @classmethod
    def _convert_contents(cls, value: object) -> ContentsT | None:
        for kind in (cls._types.text, cls._types.blob):
            if isinstance(value, kind):
                return cast(ContentsT, value)
            if is_named(value, kind.__name__):
                return cast(ContentsT, kind.model_validate(dump_protocol_object(cast(BaseModel, value))))
        return None

    @classmethod
    def _add_mime_type(cls, contents: ContentsT, uri: str | None) -> ContentsT:
        """Add the declared MIME type to contents that have none, unless they are those of another URI."""
        info, attribute = cls.resource, cls._types.mime_type
        own, read_uri = info.uri if uri is None else uri, cast(Any, contents).uri
        is_other = own is not None and type(read_uri)(str(own)) != read_uri
        if info.mime_type is None or is_other or getattr(contents, attribute) is not None:
            return contents
        return contents.model_copy(update={attribute: info.mime_type})

    @classmethod
    def _read_members(cls, value: Mapping[Any, Any], uri: str | None) -> list[ContentsT] | None:
        kinds = [kind for kind in _DATA_TYPES if kind in value]
        if len(kinds) == 1 and value.keys() <= _MEMBERS and isinstance(value[kinds[0]], _DATA_TYPES[kinds[0]]):
            members = cls._to_json(value)
            with suppress(ValidationError):
                return [cls._make_contents(kinds[0], uri, members)]
        return None

    @classmethod
    def _make_contents(
        cls, kind: str, uri: str | None, members: Mapping[str, Any], mime_type: str | None = None
    ) -> ContentsT:
        out = dict(members)
        if out.get("uri") is None:
            out["uri"] = cls.resource.choose_uri(uri)
        if out.get("mimeType") is None:
            out["mimeType"] = cls.resource.mime_type or mime_type or _MIME_TYPES[kind]
        return cast(ContentsT, getattr(cls._types, kind).model_validate(out))

    @classmethod
    def _to_json(cls, value: object, convert: Callable[[object], Any] = to_text_form) -> Any:
        try:
            return convert(value)
        except NoJsonForm as error:
            error.subject = cls._title()
            raise

    @classmethod
    def _title(cls) -> str:
        return f'resource "{cls.resource.name}"'


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
        if is_named(value, "ReadResourceResult"):
            return cls.from_read_resource_result(cast(BaseModel, value))
        if isinstance(value, Iterator):
            value = [*read_items(cast(Iterator[object], value))]
        contents: list[ContentsT] | None = cls._find_contents(value, uri)
        if contents is not None:
            return cls(contents=contents)
        if isinstance(value, Awaitable | AsyncIterable | type) or callable(value):
            name = type(cast(object, value)).__name__
            raise TypeError(f"{cls._title()}: a handler returned a {name}, which is not data")
        kind = "blob" if issubclass(type(value), bytes | bytearray | memoryview) else "text"
        data = format_payload(cls._to_json(value), cls._title())
        return cls(contents=[cls._make_contents(kind, uri, {kind: data})])

    @classmethod
    def normalize(cls, value: object, uri: str | None = None, protocol: str | None = None) -> ReadT:
        """Convert any value that a handler returned to a ReadResourceResult.

        - ReadResourceResult: unchanged. Text or blob contents, or a list of them: wrapped in one; those of the URI that
          was read get the declared MIME type if they have none. `[]` is a value, so its text is `[]`.
        - A mapping with only members of contents: these contents, with `uri` and `mimeType` filled in.
        - bytes, bytearray, memoryview: a blob. str: text. Other data: its JSON. An object without data: its `str()`.

        The MIME type is the declared one, or else `application/octet-stream` for a blob and `text/plain` for text.
        `uri` is the URI that was read (None: the declared one), `protocol` as in `to_read_resource_result`.

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
        """Read any ReadResourceResult, an SDK's object or a wire dict, or raise pydantic's ValidationError."""
        parsed, wire = cls._types.read_result(result)
        ttl_ms, cache_scope, meta = wire.get("ttlMs"), wire.get("cacheScope"), wire.get("_meta")
        return cls(contents=parsed.contents, ttl_ms=ttl_ms, cache_scope=cache_scope, meta=meta)

    def to_contents(self, uri: str | None = None) -> list[ContentsT]:
        """Return the contents unchanged, each with its own URI."""
        return [*self.contents]

    def _build_envelope(
        self, protocol: str | None, ttl_ms: int | None, cache_scope: CacheScope | None, meta: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        ttl = self.ttl_ms if ttl_ms is None else ttl_ms
        scope = self.cache_scope if cache_scope is None else cache_scope
        return super()._build_envelope(protocol, ttl, scope, self.meta if meta is None else meta)


class JsonResourceOf(WireJson, ResourceResultOf[ReadT, ContentsT]):
    """Base for a resource whose text is JSON with a schema: an instance is that JSON value."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "resource" in vars(cls):
            cls._schema = cls.resource.file, ("schema",), None

    @classmethod
    def _check(cls, value: object, is_own: bool = False, refused_by: type[BaseModel] | None = None) -> None:
        problems = find_problems(value, lambda: get_payload_check(cls.resource.file), is_own, refused_by)
        raise_problems(value, cls._title(), problems)

    def to_structured_content(self) -> Any:
        """Return the JSON value of the text."""
        raise NotImplementedError

    def to_contents(self, uri: str | None = None) -> list[ContentsT]:
        """Return one text with the compact JSON value; errors as in the base."""
        return self._make_json(format_json(self.to_structured_content(), self._title()), uri)

    @classmethod
    def _make_json(cls, text: str, uri: str | None) -> list[ContentsT]:
        return [cls._make_contents("text", uri, {"text": text}, "application/json")]

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
            on_invalid: what to do with a text that is not JSON or violates the schema: `raise`; `warn`, and return JSON
                values where types do not fit; or return the `raw` JSON value or text.

        Raises:
            pydantic.ValidationError: it is not such a result, or its text is not JSON or violates the schema.
        """
        contents = cls._types.read_result(result)[0].contents
        if len(contents) != 1 or not isinstance(contents[0], cls._types.text):
            raise cls._make_error("the result should hold one text", result)
        value: Any = contents[0].text
        try:
            value = cls._parse_text(value)
            return cls.from_structured_content(value)
        except ValidationError as error:
            return read_invalid(cls, value, error, on_invalid, cls.resource.name)

    @classmethod
    def normalize_any(cls, value: object, uri: str | None = None, protocol: str | None = None) -> ReadT:
        """Convert any value that a handler returned to a ReadResourceResult, and check it against the schema.

        A ReadResourceResult, contents and lists of them stay unchanged. If no value of the schema is a string, str and
        bytes are JSON text, which stays unchanged. Everything else is first converted to JSON: dataclasses, pydantic
        models and other objects with attributes, datetime, UUID, Decimal, Enum, ….

        `uri` is the URI that was read (None: the declared one), `protocol` as in `to_read_resource_result`.

        Raises:
            pydantic.ValidationError: a ValueError; the value violates the schema.
            ValueError: unknown protocol version, no `uri` for a template, or a value that JSON cannot represent.
            Exception: what an iterator in the value raised.
        """
        return call_converter(cls._normalize, value, uri, protocol)

    @classmethod
    def _normalize(cls, value: object, uri: str | None, protocol: str | None) -> ReadT:
        info, types = cls.resource, cls._types
        version = version_of(protocol, info.default_protocol)
        if isinstance(value, types.result):
            return cast(ReadT, value)
        if is_named(value, "ReadResourceResult"):
            return cast(ReadT, types.result.model_validate(dump_protocol_object(cast(BaseModel, value))))
        contents: list[ContentsT] | None = cls._find_contents(value, uri)
        if contents is None and info.text_is_json and isinstance(value, str | bytes | bytearray):
            try:
                text = value if isinstance(value, str) else value.decode()
            except UnicodeDecodeError:
                raise cls._make_error("the bytes are not UTF-8", value) from None
            cls.from_structured_content(cls._parse_text(text))
            contents = cls._make_json(text, uri)
        elif contents is None and isinstance(value, cls):
            form = get_json_value(value)
            cls._check(form, True)  # it may have been changed
            contents = cls._make_json(format_json(form, cls._title()), uri)
        elif contents is None:
            form = cls._to_json(value, partial(wire_form, cls=cls))
            contents = cls.from_structured_content(form).to_contents(uri)
        return cast(ReadT, types.result(**build_envelope(info, version, None, None, None), contents=contents))

    if not TYPE_CHECKING:  # type checkers see the types that each class declares

        @classmethod
        def normalize(cls, value, uri=None, protocol=None):
            """Convert a value of the schema's types; see `normalize_any`."""
            return cls.normalize_any(value, uri, protocol)

    @classmethod
    def _make_error(cls, message: str, value: object) -> ValidationError:
        return make_read_error(cls._title(), message, value, "resource_text")

    @classmethod
    def _parse_text(cls, text: str) -> Any:
        def refuse_constant(constant: str) -> None:
            raise ValueError(f"JSON has no {constant}")

        try:
            return parse_json(text, refuse_constant)
        except LimitExceeded:
            raise cls._make_error(f"the text {find_limits(cls.__module__).depth_message}", text) from None
        except ValueError as error:
            raise cls._make_error(f"the text is not JSON: {error}", text) from None


@cache
def get_payload_check(file: str) -> SchemaCheck:
    """Return a check against the schema of the resource whose module has this path."""
    return SchemaCheck(load_definition(file)["schema"], find_package(file).limits)
