"""Bind handlers to resources: the part that all SDKs share."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pydantic import AnyUrl, ValidationError

from .package import is_attribute, load_definition
from .handler_signature import (
    HandlerSignature,
    IncompleteServer,
    find_lacking,
    make_no_handler_error,
)
from .json_values import IteratorFailed
from .package import Package
from .protocol import ReadResourceResult
from .protocol_versions import RESULT_TYPE_SINCE
from .descriptors import McpResource, ResourceBinder
from .resources import build_envelope, dump_protocol_object
from .resources import ResourceResult
from .violations import cut_text

logger = logging.getLogger(__name__)

_URI_BYTES = 400
"""Maximum bytes of a URI in an error."""
_DECODINGS = 2
"""How often handlers may decode percent-encoding: once for `{+path}`, and once more."""


@dataclass(frozen=True)
class BoundResource:
    """A resource and its handler."""

    resource: type[ResourceResult]
    handler: Callable[..., Any]
    signature: HandlerSignature

    @property
    def name(self) -> str:
        """The resource's exact name."""
        return self.resource.resource.name

    @cached_property
    def definition(self) -> dict[str, Any]:
        """The Resource or ResourceTemplate as declared."""
        definition: dict[str, Any] = load_definition(self.resource.resource.file)["resource"]
        return definition

    def match(self, uri: str) -> dict[str, Any] | None:
        """Return the handler's keyword arguments for a URI; None if the URI belongs to another resource."""
        match = self.resource.match(uri)
        if match is not None:
            return self.signature.select(match)
        return {} if self._has_normalized(uri) else None

    def _has_normalized(self, uri: str) -> bool:
        """Return whether a URI is the declared one, apart from changes that some clients and SDKs make to all URIs."""
        declared = self.resource.resource.uri
        try:
            return declared is not None and str(AnyUrl(declared)) == uri
        except ValidationError:
            return False

    def write(self, value: object, uri: str, version: str) -> dict[str, Any]:
        """Convert a handler's value to a result in wire form, with the declared members for caches.

        Raises:
            ResourceFailed: the value does not fit the resource; the log has the details.
            Exception: what an iterator of the handler raised.
        """
        normalize = self.resource._normalize  # pyright: ignore[reportPrivateUsage]
        try:
            result = normalize(value, uri, version)
        except (TypeError, ValueError) as error:
            logger.error("The handler of %r returned what does not fit: %s", self.name, error)
            raise ResourceFailed(f"Error reading resource {shorten_uri(uri)}") from None
        except IteratorFailed as failed:
            own_error = failed.error
        else:
            return self._add_envelope(result, version)
        raise own_error  # here, so that it gets no other context

    def _add_envelope(self, result: ReadResourceResult, version: str) -> dict[str, Any]:
        info = self.resource.resource
        out = {**build_envelope(info, version, None, None, None), **dump_protocol_object(result)}
        if version < RESULT_TYPE_SINCE:
            for member in ("resultType", "ttlMs", "cacheScope"):
                out.pop(member, None)
        return out

    def report_failure(self, uri: str) -> ResourceFailed:
        """Log an unexpected exception of the handler; return the error for the client, without its details."""
        logger.exception("The handler of the resource %r failed", self.name)
        return ResourceFailed(f"Error reading resource {shorten_uri(uri)}")


class ResourceFailed(Exception):
    """Raised when a bound resource cannot be read; the text is for the client."""


class ResourceBinding(ResourceBinder):
    """Registers the handlers of a package's resources on a server; base of the generated `Resources`."""

    def __init__(self, package: Package, any_path: Collection[str] = ()) -> None:
        self._package, self._any_path = package, frozenset(any_path)
        self._bound: dict[str, BoundResource] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            key, entry = self._package.find_resource(name)
            return partial(self._bind, key, entry)

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.resource_attributes.values()})

    def _bind(
        self,
        key: str,
        entry: McpResource[Any, Any, Any],
        handler: Callable[..., Any] | None = None,
        /,
    ) -> Callable[..., Any]:
        subject = f"the resource {key}"
        if handler is None:
            attribute = self._package.resource_attributes[key]
            raise make_no_handler_error(subject, f"resources.{attribute}")
        if key in self._bound:
            raise TypeError(f"{subject} has a handler already")
        declared = _list_parameters(entry)
        signature = HandlerSignature.of(subject, handler, declared, self._find_sdk_parameters(handler), wires={})
        self._bound[key] = BoundResource(entry.resource, handler, signature)
        return handler

    def implement(self, handlers: object) -> None:
        """Bind each resource that has no handler yet to the attribute of its name.

        Args:
            handlers: an object or a module with a function for each resource.

        Raises:
            IncompleteServer: an attribute is missing.
            TypeError: a function cannot be called with the variables of its URI.
        """
        attributes = self._find_missing()
        if missing := find_lacking(handlers, attributes):
            raise IncompleteServer(missing)
        for name in attributes.values():
            getattr(self, name)(getattr(handlers, name))

    def complete(self) -> None:
        """Check that every resource has a handler.

        Raises:
            IncompleteServer: some resources have no handler.
        """
        if missing := self._find_missing():
            raise IncompleteServer({key: f"@resources.{name}" for key, name in missing.items()})

    def _find_missing(self) -> dict[str, str]:
        """Return the attributes of the resources that have no handler yet."""
        attributes = self._package.resource_attributes
        return {key: attributes[key] for key in self._package.resource_modules if key not in self._bound}

    def __contains__(self, resource: object) -> bool:
        return resource in self._bound

    def list_bound(self, member: str) -> list[dict[str, Any]]:
        """Return the bound resources that have a `uri`, or a `uriTemplate`, as declared, in the order of binding."""
        definitions = [bound.definition for bound in self._bound.values()]
        return [definition for definition in definitions if member in definition]

    def find_bound(self, uri: str) -> tuple[BoundResource, dict[str, Any]] | None:
        """Return the bound resource for a URI and its handler's arguments; fixed URIs go before templates."""
        matches = [(bound, values) for bound in self._bound.values() if (values := bound.match(uri)) is not None]
        return min(matches, key=lambda match: "uri" not in match[0].definition, default=None)

    def refuses(self, values: Mapping[str, Any]) -> bool:
        """Return whether variables of a URI are paths out of a folder; then no handler is called."""
        chosen = {name: value for name, value in values.items() if value is not None and name not in self._any_path}
        for _ in range(_DECODINGS):
            if self._has_unsafe_path(chosen):
                return True
            chosen = {name: unquote(value) for name, value in chosen.items()}
        return self._has_unsafe_path(chosen)

    def _has_unsafe_path(self, values: Mapping[str, str]) -> bool:
        return any(map(is_unsafe_path, values.values()))

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        """Return the parameters of a handler that the SDK fills in."""
        raise NotImplementedError


def _list_parameters(entry: McpResource[Any, Any, Any]) -> dict[str, bool]:
    """Return the variables of a resource's URI, and whether each may be absent."""
    return {
        name: parameter.default is not parameter.empty
        for name, parameter in inspect.signature(entry.uri).parameters.items()
    }


def is_unsafe_path(value: str) -> bool:
    """Return whether a value, as a path within a folder, would leave the folder, or has a NUL."""
    if "\0" in value or re.match(r"[/\\]|[A-Za-z]:", value):
        return True
    depth = 0
    for part in re.split(r"[/\\]", value):
        depth += {"": 0, ".": 0, "..": -1}.get(part, 1)
        if depth < 0:
            return True
    return False


def shorten_uri(uri: str) -> str:
    """Return a client's URI for an error, shortened if it is long."""
    return cut_text(uri, _URI_BYTES)


def describe_missing(uri: str) -> str:
    """Return the error message for the URI of an unknown resource."""
    return f"Resource not found: {shorten_uri(uri)!r}"


def add_definitions(listed: list[dict[str, Any]], bound: list[dict[str, Any]], member: str) -> list[dict[str, Any]]:
    """Return the definitions of a list; bound ones replace others with the same value of a member."""
    keys = {definition[member] for definition in bound}
    return [*(item for item in listed if item.get(member) not in keys), *bound]


def get_member(result: Mapping[str, Any], member: str) -> list[dict[str, Any]]:
    """Return the list in the result of a request; empty if there is none."""
    return [*result.get(member, ())]


__all__ = [
    "BoundResource",
    "ResourceBinding",
    "ResourceFailed",
    "add_definitions",
    "describe_missing",
    "get_member",
    "is_unsafe_path",
    "shorten_uri",
]
