"""Bind handlers to the resources and prompts of a package."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, NoReturn, TypeAlias
from urllib.parse import unquote

from pydantic import AnyUrl, BaseModel, ValidationError

from .content import RESULT_TYPE_SINCE
from .descriptors import McpPromptOf, McpResourceOf, PromptBinder, ResourceBinder
from .errors import cut_text
from .handler_seam import INTERNAL_ERROR, INVALID_PARAMS, HandlerSeam, Request, ServerT, set_instructions
from .json_values import IteratorFailed
from .package import Package, load_definition
from .prompts import PromptArgumentsError, PromptOf
from .resources import ResourceResultOf, build_envelope, dump_protocol_object
from .server_binding import HandlerBinding, add_definitions
from .tool_handlers import HandlerSignature

_Resource: TypeAlias = McpResourceOf[Any, Any, Any, Any]
logger = logging.getLogger(__name__)

_URI_BYTES = 400
"""Maximum bytes of a URI in an error."""
_DECODINGS = 2
"""How often handlers may decode percent-encoding: once for `{+path}`, and once more."""


@dataclass(frozen=True)
class BoundResource:
    """A resource and its handler."""

    resource: type[ResourceResultOf[Any, Any]]
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
            raise ResourceFailed(f"Error reading resource {_shorten_uri(uri)}") from None
        except IteratorFailed as failed:
            own_error = failed.error
        else:
            return self._add_envelope(result, version)
        raise own_error  # here, so that it gets no other context

    def _add_envelope(self, result: BaseModel, version: str) -> dict[str, Any]:
        info = self.resource.resource
        out = {**build_envelope(info, version), **dump_protocol_object(result)}
        if version < RESULT_TYPE_SINCE:
            for member in ("resultType", "ttlMs", "cacheScope"):
                out.pop(member, None)
        return out

    def report_failure(self, uri: str) -> ResourceFailed:
        """Log an unexpected exception of the handler; return the error for the client, without its details."""
        logger.exception("The handler of the resource %r failed", self.name)
        return ResourceFailed(f"Error reading resource {_shorten_uri(uri)}")


class ResourceFailed(Exception):
    """Raised when a bound resource cannot be read; the text is for the client."""


class ResourceBinding(ResourceBinder, HandlerBinding[_Resource, BoundResource], Generic[ServerT]):
    """Registers the handlers of a package's resources on a server, whose other answers do not change.

    Base of the generated `Resources`. Each attribute is a decorator for the handler of a resource:

        resources = bind_resources(server)

        @resources.log
        async def log(year: str) -> str: ...

    A decorator raises `TypeError` if the handler cannot be called with the variables of the URI.

    Args:
        server: a server of the SDK. If it has no instructions, it gets those of the package.
        package: the package.
        any_path: variables of URIs that may be any path.

    Raises:
        TypeError: the server is not one of the SDK.
    """

    _kind = "resources"
    _seam: ClassVar[HandlerSeam[Any, Any]]

    def __init__(self, server: ServerT, package: Package, any_path: Collection[str] = ()) -> None:
        super().__init__(package)
        self._server, self._any_path = server, frozenset(any_path)
        seam, lowlevel = self._seam, self._seam.get_lowlevel_server(server)
        set_instructions(lowlevel, package)
        seam.extend_list(lowlevel, "resources/list", partial(self._add_bound, "uri"))
        seam.extend_list(lowlevel, "resources/templates/list", partial(self._add_bound, "uriTemplate"))
        seam.answer(lowlevel, "resources/read", self._answer, self._raise_missing)

    def _get_attributes(self) -> Mapping[str, str]:
        return self._package.resource_attributes

    def _find(self, attribute: str) -> tuple[str, _Resource]:
        return self._package.find_resource(attribute)

    def _add(self, key: str, entry: _Resource, handler: Callable[..., Any]) -> BoundResource:
        injected = self._seam.find_parameters(handler)
        signature = HandlerSignature.of(self._describe(key), handler, _list_parameters(entry), injected, wires={})
        return BoundResource(entry.resource, handler, signature)

    # --- answers -----------------------------------------------------------------------------------------------------
    def _add_bound(self, member: str, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return add_definitions(listed, self._list_bound(member), member)

    async def _answer(self, request: Request) -> dict[str, Any] | None:
        uri = str(request.params.uri)
        found = self._find_bound(uri)
        if found is None:
            return None
        bound, values = found
        if self._refuses(values):
            self._raise_missing(request)
        try:
            value = await self._seam.call_handler(self._server, bound.handler, values, request)
            return bound.write(value, uri, request.version)
        except ResourceFailed as error:
            raise self._make_error(INTERNAL_ERROR, str(error), uri) from None
        except Exception as error:  # handlers may raise anything
            public = self._seam.find_public_error(error)
            if public is None:
                public = self._make_error(INTERNAL_ERROR, str(bound.report_failure(uri)), uri)
            raise public from None

    def _raise_missing(self, request: Request) -> NoReturn:
        uri = str(request.params.uri)
        raise self._make_error(self._seam.unknown_resource, f"Resource not found: {_shorten_uri(uri)!r}", uri)

    def _make_error(self, code: int, text: str, uri: str) -> Exception:
        return self._seam.make_error(code, text, {"uri": _shorten_uri(uri)})

    def _list_bound(self, member: str) -> list[dict[str, Any]]:
        """Return the bound resources that have a `uri`, or a `uriTemplate`, as declared, in the order of binding."""
        definitions = [bound.definition for bound in self._bound.values()]
        return [definition for definition in definitions if member in definition]

    def _find_bound(self, uri: str) -> tuple[BoundResource, dict[str, Any]] | None:
        """Return the bound resource for a URI and its handler's arguments; fixed URIs go before templates."""
        matches = [(bound, values) for bound in self._bound.values() if (values := bound.match(uri)) is not None]
        return min(matches, key=lambda match: "uri" not in match[0].definition, default=None)

    def _refuses(self, values: Mapping[str, Any]) -> bool:
        """Return whether variables of a URI are paths out of a folder; then no handler is called."""
        chosen = {name: value for name, value in values.items() if value is not None and name not in self._any_path}
        for _ in range(_DECODINGS):
            if self._has_unsafe_path(chosen):
                return True
            chosen = {name: unquote(value) for name, value in chosen.items()}
        return self._has_unsafe_path(chosen)

    def _has_unsafe_path(self, values: Mapping[str, str]) -> bool:
        rules = self._seam.find_path_rules(self._server)
        return any(map(is_unsafe_path, values.values())) if rules is None else rules(values) is not None


def _list_parameters(entry: _Resource) -> dict[str, bool]:
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


def _shorten_uri(uri: str) -> str:
    """Return a client's URI for an error, shortened if it is long."""
    return cut_text(uri, _URI_BYTES)


_Prompt: TypeAlias = McpPromptOf[Any, Any, Any]

_NAME_BYTES = 200
"""Maximum bytes of a prompt's name from a client, in an error."""


@dataclass(frozen=True)
class BoundPrompt:
    """A prompt and its handler."""

    prompt: type[PromptOf[Any, Any]]
    handler: Callable[..., Any]
    signature: HandlerSignature

    @property
    def name(self) -> str:
        """The prompt's exact name."""
        return self.prompt.prompt.name

    @cached_property
    def definition(self) -> dict[str, Any]:
        """The Prompt as declared."""
        definition: dict[str, Any] = load_definition(self.prompt.prompt.file)["prompt"]
        return definition

    def read(self, sent: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the handler's keyword arguments.

        Raises:
            PromptArgumentsError: the client's arguments do not fit the prompt.
        """
        return self.signature.select(self.prompt.prompt.read_arguments(sent))

    def write(self, value: Any, version: str) -> dict[str, Any]:
        """Convert a handler's value to a result in wire form.

        Raises:
            PromptFailed: the value is neither a result nor messages; its type is logged.
        """
        try:
            return self.prompt.to_wire(value, version)
        except (TypeError, ValueError) as error:
            logger.error("The handler of %r returned what does not fit: %s", self.name, error)
            raise PromptFailed(f"Error getting prompt {self.name}") from None

    def report_failure(self) -> PromptFailed:
        """Log an unexpected exception of the handler; return the error for the client, without its details."""
        logger.exception("The handler of the prompt %r failed", self.name)
        return PromptFailed(f"Error getting prompt {self.name}")


class PromptFailed(Exception):
    """Raised when a bound prompt fails; the text is for the client."""


class PromptBinding(PromptBinder, HandlerBinding[_Prompt, BoundPrompt], Generic[ServerT]):
    """Registers the handlers of a package's prompts on a server, whose other answers do not change.

    Base of the generated `Prompts`. Each attribute is a decorator for the handler of a prompt:

        prompts = bind_prompts(server)

        @prompts.plan_trip
        def plan_trip(city: str) -> str: ...

    A decorator raises `TypeError` if the handler cannot be called with the arguments of the prompt.

    Args:
        server: a server of the SDK. If it has no instructions, it gets those of the package.
        package: the package.

    Raises:
        TypeError: the server is not one of the SDK.
    """

    _kind = "prompts"
    _seam: ClassVar[HandlerSeam[Any, Any]]

    def __init__(self, server: ServerT, package: Package) -> None:
        super().__init__(package)
        self._server = server
        seam, lowlevel = self._seam, self._seam.get_lowlevel_server(server)
        set_instructions(lowlevel, package)
        seam.extend_list(lowlevel, "prompts/list", self._add_bound)
        seam.answer(lowlevel, "prompts/get", self._answer, self._raise_missing)
        if any("completions" in content for content in package.load_prompt_files()):
            seam.answer(lowlevel, "completion/complete", self._complete, lambda _: {"completion": {"values": []}})

    def _get_attributes(self) -> Mapping[str, str]:
        return self._package.prompt_attributes

    def _find(self, attribute: str) -> tuple[str, _Prompt]:
        entry: _Prompt = self._package.find_prompt(attribute)
        return entry.name, entry

    def _add(self, key: str, entry: _Prompt, handler: Callable[..., Any]) -> BoundPrompt:
        arguments = entry.prompt.prompt.arguments
        declared = {argument.python: not argument.required for argument in arguments.values()}
        wires = {argument.python: wire for wire, argument in arguments.items()}
        injected = self._seam.find_parameters(handler)
        signature = HandlerSignature.of(self._describe(key), handler, declared, injected, wires)
        return BoundPrompt(entry.prompt, handler, signature)

    # --- answers -----------------------------------------------------------------------------------------------------
    def _add_bound(self, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return add_definitions(listed, self._list_bound(), "name")

    async def _answer(self, request: Request) -> dict[str, Any] | None:
        seam, bound = self._seam, self._find_bound(request.params.name)
        if bound is None:
            return None
        try:
            values = bound.read(request.params.arguments)
            value = await seam.call_handler(self._server, bound.handler, values, request)
        except PromptArgumentsError as error:
            raise seam.make_error(INVALID_PARAMS, str(error)) from None
        except Exception as error:  # handlers may raise anything
            public = seam.find_public_error(error)
            raise public or seam.make_error(INTERNAL_ERROR, str(bound.report_failure())) from None
        try:
            return bound.write(value, request.version)
        except PromptFailed as error:
            raise seam.make_error(INTERNAL_ERROR, str(error)) from None

    def _raise_missing(self, request: Request) -> NoReturn:
        name = cut_text(request.params.name, _NAME_BYTES)
        raise self._seam.make_error(INVALID_PARAMS, f"Unknown prompt: {name}")

    async def _complete(self, request: Request) -> dict[str, Any] | None:
        ref, argument = request.params.ref, request.params.argument
        if ref.type != "ref/prompt":
            return None
        completion = self._complete_argument(ref.name, argument.name, argument.value)
        return None if completion is None else {"completion": completion}

    def _list_bound(self) -> list[dict[str, Any]]:
        """Return the bound prompts as declared, in the order of their binding."""
        return [bound.definition for bound in self._bound.values()]

    def _find_bound(self, name: str) -> BoundPrompt | None:
        """Return the bound prompt with a name; None if there is none."""
        return self._bound.get(name)

    def _complete_argument(self, name: str, argument: str, start: str) -> dict[str, Any] | None:
        """Return the completion of an argument, in wire form; None if the prompt is not bound or declares no values."""
        bound = self._bound.get(name)
        declared = None if bound is None else bound.prompt.prompt.arguments.get(argument)
        if bound is None or declared is None or not declared.values:
            return None
        values = bound.prompt.prompt.complete(argument, start)
        return {"values": values[:100], "total": len(values), "hasMore": len(values) > 100}
