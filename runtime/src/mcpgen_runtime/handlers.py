"""Bind handlers to the resources and prompts of a package; each SDK says how its servers answer requests with them."""

from __future__ import annotations

import inspect
import logging
import re
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, Generic, NoReturn, TypeAlias, TypeVar
from urllib.parse import unquote

from pydantic import AnyUrl, ValidationError
from pydantic.fields import FieldInfo

from .arguments import Parameter
from .content import RESULT_TYPE_SINCE
from .descriptors import McpPromptOf, McpResourceOf
from .errors import cut_text
from .json_values import IteratorFailed
from .low_level import INTERNAL_ERROR, INVALID_PARAMS, LISTS, HandlerSeam, Request
from .package import Package, load_definition
from .prompts import PromptArgumentsError, PromptOf
from .resources import ResourceResultOf, build_envelope, dump_protocol_object
from .server_binding import EntryT, HandlerBinding, ServerT
from .tool_handlers import HandlerFunction, add_defaults

_Resource: TypeAlias = McpResourceOf[Any, Any, Any, Any]
_Prompt: TypeAlias = McpPromptOf[Any, Any, Any]
_ResourceClass: TypeAlias = type[ResourceResultOf[Any, Any]]
_PromptClass: TypeAlias = type[PromptOf[Any, Any]]
ClassT = TypeVar("ClassT")
logger = logging.getLogger(__name__)

_URI_BYTES, _NAME_BYTES = 400, 200  # of what a client sent, in an error


@dataclass(frozen=True)
class BoundHandler(Generic[ClassT]):
    """A resource or a prompt, and its handler."""

    cls: ClassT
    definition: dict[str, Any]
    """The Resource, ResourceTemplate or Prompt as declared."""
    handler: Callable[..., Any]
    names: Mapping[str, str]
    """The handler's parameters by the declared ones."""
    fields: Mapping[str, FieldInfo]
    """Parameters whose default is in pydantic's `Field(…)`."""

    def select(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the handler's keyword arguments; absent ones keep its defaults."""
        return {self.names[name]: value for name, value in values.items() if value is not None}


class _SeamBinding(HandlerBinding[EntryT, BoundHandler[ClassT]], Generic[EntryT, ClassT, ServerT]):
    """Answers requests with handlers, which the SDK's seam calls."""

    _seam: ClassVar[HandlerSeam[Any, Any]]

    def _connect(self, server: ServerT) -> None:
        self._server, self._lowlevel = server, self._seam.get_lowlevel_server(server)
        self._set_instructions(self._lowlevel)

    @abstractmethod
    def _declare(self, entry: EntryT) -> tuple[ClassT, str, Mapping[str, Parameter]]:
        """Return the class of a definition, its file, and the parameters of its handlers."""

    @abstractmethod
    def _write(self, cls: ClassT, value: Any, request: Request) -> dict[str, Any]:
        """Convert a handler's value to a result in wire form, or raise TypeError or ValueError: it does not fit."""

    def _fit(self, key: str, entry: EntryT, handler: Callable[..., Any]) -> BoundHandler[ClassT]:
        kind = self._kind.removesuffix("s")
        cls, file, declared = self._declare(entry)
        function, injected = HandlerFunction.of(handler), {*self._seam.find_parameters(handler)}
        names, definition = function.check(kind, declared, injected), load_definition(file)[kind]
        return BoundHandler(cls, definition, handler, names, function.list_fields(injected))

    def _extend_list(self, method: str, member: str) -> None:
        """List the bound definitions that have a member on the first page, instead of others with its value."""
        low_level, kind = self._seam.low_level, LISTS[method]
        earlier = low_level.get_handler(self._lowlevel, method)

        async def list_extended(request: Request) -> dict[str, Any]:
            page = await low_level.list_page(self._lowlevel, method, earlier, request)
            if request.is_first_page:
                added = [bound.definition for bound in self._bound.values() if member in bound.definition]
                taken = {definition[member] for definition in added}
                page[kind] = [*(item for item in page.get(kind, ()) if item.get(member) not in taken), *added]
            return page

        low_level.set_handler(self._lowlevel, method, list_extended)

    def _answer_requests(
        self,
        method: str,
        answer: Callable[[Request], Awaitable[dict[str, Any] | None]],
        fall_back: Callable[[Request], dict[str, Any]],
    ) -> None:
        """Answer requests in wire form; `fall_back` does if `answer` returns None and the server has no handler."""
        earlier = self._seam.low_level.get_handler(self._lowlevel, method)

        async def answer_request(request: Request) -> Any:
            result = await answer(request)
            if result is not None:
                return result
            return fall_back(request) if earlier is None else await earlier(request)

        self._seam.low_level.set_handler(self._lowlevel, method, answer_request)

    async def _call(
        self, bound: BoundHandler[ClassT], values: dict[str, Any], request: Request, text: str, data: Any = None
    ) -> dict[str, Any]:
        """Call a handler; the client sees its errors that are the SDK's own, and this text instead of any other."""
        seam, name = self._seam, bound.definition["name"]
        try:
            add_defaults(values, bound.fields)
            value = await seam.call_handler(self._server, bound.handler, values, request)
            try:
                return self._write(bound.cls, value, request)
            except (TypeError, ValueError) as error:
                logger.error("The handler of %r returned what does not fit: %s", name, error)
        except Exception as error:  # handlers may raise anything
            own_error = error.error if isinstance(error, IteratorFailed) else error
            if (public := seam.find_public_error(own_error)) is not None:
                raise public from None
            logger.error("The handler of %s%r failed", self._prefix, name, exc_info=own_error)
        raise seam.low_level.make_error(INTERNAL_ERROR, text, data)


class ResourceBinding(_SeamBinding[_Resource, _ResourceClass, ServerT]):
    """Registers the handlers of a package's resources on a server, whose other answers do not change.

    Base of the generated `Resources`; like `ToolBinding`, for handlers that take the variables of the URI. `any_path`
    names variables that may be any path.

        @resources.log
        async def log(year: str) -> str: ...
    """

    _kind, _prefix = "resources", "the resource "

    def __init__(self, server: ServerT, package: Package, any_path: Collection[str] = ()) -> None:
        super().__init__(package)
        self._connect(server)
        self._any_path = frozenset(any_path)
        self._extend_list("resources/list", "uri")
        self._extend_list("resources/templates/list", "uriTemplate")
        self._answer_requests("resources/read", self._answer, self._raise_missing)

    def _get_attributes(self) -> Mapping[str, str]:
        return self._package.resource_attributes

    def _find(self, attribute: str) -> tuple[str, _Resource]:
        return self._package.find_resource(attribute)

    def _declare(self, entry: _Resource) -> tuple[_ResourceClass, str, Mapping[str, Parameter]]:
        variables = inspect.signature(entry.uri).parameters.items()
        declared = {name: Parameter(name, variable.default is variable.empty) for name, variable in variables}
        return entry.resource, entry.resource.resource.file, declared

    # --- answers -----------------------------------------------------------------------------------------------------
    async def _answer(self, request: Request) -> dict[str, Any] | None:
        uri = str(request.params.uri)
        matches = [(bound, values) for bound in self._bound.values() if (values := _match(bound, uri)) is not None]
        if not matches:
            return None
        bound, values = min(matches, key=lambda match: "uri" not in match[0].definition)  # fixed URIs go first
        if self._refuses(values):
            self._raise_missing(request)
        short = cut_text(uri, _URI_BYTES)
        return await self._call(bound, values, request, f"Error reading resource {short}", {"uri": short})

    def _write(self, cls: _ResourceClass, value: Any, request: Request) -> dict[str, Any]:
        version = request.version
        result = cls._normalize(value, str(request.params.uri), version)  # pyright: ignore[reportPrivateUsage]
        out = {**build_envelope(cls.resource, version, None, None, None), **dump_protocol_object(result)}
        if version < RESULT_TYPE_SINCE:
            for member in ("resultType", "ttlMs", "cacheScope"):
                out.pop(member, None)
        return out

    def _raise_missing(self, request: Request) -> NoReturn:
        low_level, short = self._seam.low_level, cut_text(str(request.params.uri), _URI_BYTES)
        raise low_level.make_error(low_level.unknown_resource, f"Resource not found: {short!r}", {"uri": short})

    def _refuses(self, values: Mapping[str, Any]) -> bool:
        """Return whether variables of a URI are paths out of a folder; then no handler is called."""
        chosen = {name: value for name, value in values.items() if name not in self._any_path}
        find_refused = self._seam.low_level.find_path_rules(self._server) or _find_unsafe_path
        for _ in range(3):  # handlers may decode percent-encoding: once for `{+path}`, and once more
            if find_refused(chosen) is not None:
                return True
            chosen = {name: unquote(value) for name, value in chosen.items()}
        return False


def _match(bound: BoundHandler[_ResourceClass], uri: str) -> dict[str, Any] | None:
    if (values := bound.cls.match(uri)) is not None:
        return bound.select(values)
    declared = bound.cls.resource.uri
    try:  # some clients and SDKs normalize all URIs
        return {} if declared is not None and str(AnyUrl(declared)) == uri else None
    except ValidationError:
        return None


def _find_unsafe_path(values: Mapping[str, str]) -> str | None:
    """Return the name of a value that, as a path within a folder, would leave the folder, or has a NUL."""
    steps = {"": 0, ".": 0, "..": -1}  # how much deeper a part of a path leads, unless it is a name
    for name, value in values.items():
        depths = [*accumulate(steps.get(part, 1) for part in re.split(r"[/\\]", value))]
        if "\0" in value or re.match(r"[/\\]|[A-Za-z]:", value) or min(depths) < 0:
            return name
    return None


class PromptBinding(_SeamBinding[_Prompt, _PromptClass, ServerT]):
    """Registers the handlers of a package's prompts on a server, whose other answers do not change.

    Base of the generated `Prompts`; like `ToolBinding`, for handlers that take the arguments of the prompt:

        @prompts.plan_trip
        def plan_trip(city: str) -> str: ...
    """

    _kind, _prefix = "prompts", "the prompt "

    def __init__(self, server: ServerT, package: Package) -> None:
        super().__init__(package)
        self._connect(server)
        self._extend_list("prompts/list", "name")
        self._answer_requests("prompts/get", self._answer, self._raise_missing)
        if any("completions" in content for content in package.load_prompt_files()):
            empty = {"completion": {"values": list[str]()}}
            self._answer_requests("completion/complete", self._complete, lambda _: empty)

    def _get_attributes(self) -> Mapping[str, str]:
        return self._package.prompt_attributes

    def _find(self, attribute: str) -> tuple[str, _Prompt]:
        entry: _Prompt = self._package.find_prompt(attribute)
        return entry.name, entry

    def _declare(self, entry: _Prompt) -> tuple[_PromptClass, str, Mapping[str, Parameter]]:
        info = entry.prompt.prompt
        declared = {item.python: Parameter(wire, item.required) for wire, item in info.arguments.items()}
        return entry.prompt, info.file, declared

    # --- answers -----------------------------------------------------------------------------------------------------
    async def _answer(self, request: Request) -> dict[str, Any] | None:
        bound = self._bound.get(request.params.name)
        if bound is None:
            return None
        try:
            values = bound.select(bound.cls.prompt.read_arguments(request.params.arguments))
        except PromptArgumentsError as error:
            raise self._seam.low_level.make_error(INVALID_PARAMS, str(error)) from None
        return await self._call(bound, values, request, f"Error getting prompt {request.params.name}")

    def _write(self, cls: _PromptClass, value: Any, request: Request) -> dict[str, Any]:
        return cls.to_wire(value, request.version)

    def _raise_missing(self, request: Request) -> NoReturn:
        name = cut_text(request.params.name, _NAME_BYTES)
        raise self._seam.low_level.make_error(INVALID_PARAMS, f"Unknown prompt: {name}")

    async def _complete(self, request: Request) -> dict[str, Any] | None:
        ref, argument = request.params.ref, request.params.argument
        bound = self._bound.get(ref.name) if ref.type == "ref/prompt" else None
        declared = None if bound is None else bound.cls.prompt.arguments.get(argument.name)
        if bound is None or declared is None or not declared.values:
            return None
        values = bound.cls.prompt.complete(argument.name, argument.value)
        return {"completion": {"values": values[:100], "total": len(values), "hasMore": len(values) > 100}}
