"""Base classes of resources: from a handler's value to a ReadResourceResult, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
)

from .checked_copies import Copied, StaticGeneric
from .own_iterators import call_converter, read_items
from .protocol_versions import version_of
from .resource_contents import (
    CacheScope,
    ContentsT,
    ReadT,
    ResourceInfo,
    ResourceTypes,
    build_envelope,
    dump_protocol_object,
    is_named,
)

if TYPE_CHECKING:
    from typing import Self


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
        self,
        version: str,
        ttl_ms: int | None,
        cache_scope: CacheScope | None,
        meta: Mapping[str, Any] | None,
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
        cls,
        result: BaseModel | Mapping[str, Any],
        *,
        on_invalid: Literal["raise", "warn", "raw"] = "raise",
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
        self,
        version: str,
        ttl_ms: int | None,
        cache_scope: CacheScope | None,
        meta: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        ttl = self.ttl_ms if ttl_ms is None else ttl_ms
        scope = self.cache_scope if cache_scope is None else cache_scope
        return super()._build_envelope(version, ttl, scope, self.meta if meta is None else meta)
