"""How low-level servers answer requests: what is the same for both generations of the official SDK."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel

from .content import (
    ANY_JSON_RESULT_SINCE,
    RESULT_TYPE_SINCE,
    STRUCTURED_CONTENT_SINCE,
    Answer,
    adapt_block,
    block_to_wire,
    drop_json_text,
    map_attributes,
)
from .linked_results import LinkedResults
from .server_binding import BoundTool, ServerT, find_doubled, name_taken, request_params, session_version
from .tool_definitions import adapt_definition, is_wrapped

logger = logging.getLogger(__name__)

INTERNAL_ERROR, INVALID_PARAMS = -32603, -32602
"""Codes of errors in JSON-RPC."""
LISTS = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "tools/list": "tools",
}
"""The member of each list's result that is the list."""

LowLevelT = TypeVar("LowLevelT")
Classes: TypeAlias = Mapping[str, tuple[type[BaseModel], type[BaseModel]]]
PathRules: TypeAlias = Callable[[Mapping[str, str]], object]
"""Returns the variable of a URI that a server's rules refuse; None if they refuse none."""


class Request(NamedTuple):
    """A request that a server answers."""

    params: Any
    """Its parameters, an object of the SDK."""
    version: str
    """The protocol version of its session."""
    context: Any
    """What the SDK passes to handlers of requests besides: mcp 2.x its context, mcp 1.x the whole request."""

    @property
    def is_first_page(self) -> bool:
        """Whether it asks for the start of a list."""
        return getattr(self.params, "cursor", None) is None


Handler: TypeAlias = Callable[[Request], Awaitable[Any]]
"""Returns a result: the SDK's object, or one in wire form."""


class LowLevel(ABC, Generic[LowLevelT]):
    """The low-level servers of one generation of the SDK."""

    protocol_error: ClassVar[type[Exception]]
    """The SDK's exception for an error that the client should see."""
    unknown_resource: ClassVar[int]
    """The code of the error for the URI of an unknown resource."""
    classes: ClassVar[Classes]
    """For each request that is answered, the class by which the SDK knows it, and that of its result."""

    @abstractmethod
    def make_error(self, code: int, text: str, data: Any = None) -> Exception:
        """Make an error that the client should see."""

    @abstractmethod
    def get_handler(self, server: LowLevelT, method: str) -> Handler | None:
        """Return a server's handler of a request, such as `resources/list`; it equals itself in a later call."""

    @abstractmethod
    def set_handler(self, server: LowLevelT, method: str, handler: Handler) -> None:
        """Set a server's handler of a request."""

    @abstractmethod
    def turn_page(self, request: Request, cursor: str | None) -> Request:
        """Return a request for another page of a list of tools."""

    def find_path_rules(self, server: object) -> PathRules | None:
        """Return the server's own rules for variables of URIs; None: it has none, and the usual ones apply."""
        return None

    def dump(self, server: LowLevelT, method: str, result: Any) -> dict[str, Any]:
        """Return a result in wire form."""
        is_model = isinstance(result, BaseModel)
        return result.model_dump(by_alias=True, mode="json", exclude_none=True) if is_model else dict(result or {})

    async def list_page(
        self, server: LowLevelT, method: str, handler: Handler | None, request: Request
    ) -> dict[str, Any]:
        """Return a page of a list in wire form; an empty one if the server has no handler of such requests."""
        if handler is None:
            return self.dump(server, method, self.classes[method][1].model_validate({LISTS[method]: []}))
        return self.dump(server, method, await handler(request))

    @abstractmethod
    def find_client(self, server: LowLevelT, request: Request) -> str | None:
        """Return the name of the client that sends a request; None: it does not say."""

    def write_result(self, result: BaseModel, version: str, content_only: bool = False) -> dict[str, Any]:
        """Write the result of a bound tool in the form of the protocol version, and distinguish null from absent.

        With `content_only`, structured content is left out, and the JSON text that goes with it.
        """
        fields, names = result.__dict__, map_attributes(type(result))
        out: dict[str, Any] = {"content": [block_to_wire(block) for block in fields[names["content"]]]}
        value, meta = fields[names["structuredContent"]], fields[names["_meta"]]
        if value is not None or Answer.of(result).has_structured:
            if content_only:
                drop_json_text(out["content"], value)
            elif version >= STRUCTURED_CONTENT_SINCE:
                natural = version >= ANY_JSON_RESULT_SINCE or isinstance(value, dict)
                out["structuredContent"] = value if natural else {"result": value}
        out["isError"] = fields[names["isError"]] is True  # also false, as the SDKs write it
        if meta is not None:
            out["_meta"] = Answer.of(result).meta
        if version >= RESULT_TYPE_SINCE:
            out["resultType"] = "complete"
        return out

    async def run_call(self, server: LowLevelT, tool: BoundTool, request: Request, run: Callable[[], Any]) -> Any:
        """Call a bound tool by `run`, which returns its result; an SDK with tasks may do so in the background."""
        return await run()

    def adapt(
        self,
        server: LowLevelT,
        bound: Mapping[str, BoundTool],
        results: LinkedResults,
        list_tools: Handler | None = None,
        call_tool: Handler | None = None,
        untouched: Mapping[str, Sequence[dict[str, Any]]] | None = None,
        list_own_tools: Callable[[], Iterable[Any]] = tuple,
    ) -> None:
        """Make a server answer for the bound tools as declared; its other answers do not change.

        Tools may be added to `bound` later. `results` are those of tools whose content is a link. `list_tools` and
        `call_tool` take the place of the server's own handlers. `untouched` has the forms in which the server lists
        each tool unless somebody changes it; None: nobody can.
        """
        results.connect(self, server)
        forms: Mapping[str, Sequence[dict[str, Any]]] = {} if untouched is None else untouched
        list_tools = list_tools or self.get_handler(server, "tools/list")
        call_tool = call_tool or self.get_handler(server, "tools/call")
        assert list_tools is not None
        assert call_tool is not None
        result_class, logged = self.classes["tools/call"][1], set[str]()

        def describe_doubled() -> set[str]:
            return {*find_doubled(list_own_tools(), {name: tool.handler for name, tool in bound.items()})}

        async def list_adapted(request: Request) -> dict[str, Any]:
            for message in describe_doubled() - logged:
                logged.add(message)
                logger.error("%s", message)
            result = await list_tools(request)
            models: Sequence[Any] = getattr(result, "tools", ())
            if models:  # not dumped with the page, since dumping copies their schemas
                result = result.model_copy(update={"tools": []})
            page = self.dump(server, "tools/list", result)
            listed = models or page["tools"]
            page["tools"] = [adapt_definition(tool, bound, forms, request.version) for tool in listed]
            for definition in page["tools"]:
                tool = bound.get(definition["name"])
                if tool is not None and tool.info.content_only and is_content_only(tool, request):
                    definition.pop("outputSchema", None)
            if request.version >= RESULT_TYPE_SINCE and any(tool.info.content_only for tool in bound.values()):
                page["cacheScope"] = "private"  # another client may get another list
            return page

        def is_content_only(tool: BoundTool, request: Request) -> bool:
            """Return whether a client gets the content of a tool alone, which is logged once for each."""
            names = tool.info.content_only
            if not names or (client := self.find_client(server, request)) not in names:
                return False
            message = f"The client {client!r} gets the content of {tool.tool!r} alone, without its outputSchema"
            if message not in logged:
                logged.add(message)
                logger.info("%s", message)
            return True

        async def call_adapted(request: Request) -> Any:
            async def run() -> Any:
                tokens = session_version.set(request.version), request_params.set(request.params)
                try:
                    result = await call_tool(request)
                finally:
                    session_version.reset(tokens[0])
                    request_params.reset(tokens[1])
                if tool is None or not isinstance(result, result_class):
                    return result
                if tool.info.linked:
                    return await write_linked(tool, result, request.version)
                return self.write_result(result, request.version, is_content_only(tool, request))

            tool = bound.get(request.params.name)
            return await (run() if tool is None else self.run_call(server, tool, request, run))

        async def write_linked(tool: BoundTool, result: BaseModel, version: str) -> dict[str, Any]:
            """Write a result with a link to its value instead of the value."""
            answer = Answer.of(result)
            if answer.is_error or not answer.has_structured:
                return self.write_result(result, version)
            has_wrapper = is_wrapped(tool.info, max(version, STRUCTURED_CONTENT_SINCE))
            value = answer.structured["result"] if has_wrapper else answer.structured
            try:
                link = await results.link(tool, value, version)
            except Exception:  # of the user's store
                return self.write_result(tool.report_failure(version), version)
            out = self.write_result(result, version, content_only=True)
            out["content"] = [*(adapt_block(block, version) for block in out["content"]), link]
            return out

        self.set_handler(server, "tools/list", list_adapted)
        self.set_handler(server, "tools/call", call_adapted)
        vars(server).setdefault("_mcpgen_doubled", []).append(describe_doubled)  # `mcpgen check` reads it


class LowLevelTools(ABC, Generic[LowLevelT]):
    """Lists and calls tools on a low-level server, in addition to those of the server's own handlers.

    The server may get its own handlers later, which come after the bound `tools`, in the SDK's form by name.
    """

    def __init__(self, low_level: LowLevel[LowLevelT], server: LowLevelT, tools: Mapping[str, Any]) -> None:
        self._low_level, self._server, self.tools = low_level, server, tools
        self._checked: Handler | None = None

    @abstractmethod
    def find_own(self, method: str) -> Handler | None:
        """Return the server's own handler of a request."""

    @abstractmethod
    async def run(self, tool: Any, request: Request) -> Any:
        """Run a bound tool; report its errors as the server's own decorator does."""

    async def list_tools(self, request: Request) -> dict[str, Any]:
        """Return a page of the tools: the bound ones are at the end of the first."""
        page = await self._list_own(request)
        self._reject_taken({tool["name"] for tool in page["tools"]})
        if request.is_first_page:
            page["tools"] += [{"name": name, "inputSchema": {"type": "object"}} for name in self.tools]
        return page

    async def _list_own(self, request: Request) -> dict[str, Any]:
        return await self._low_level.list_page(self._server, "tools/list", self.find_own("tools/list"), request)

    async def call_tool(self, request: Request) -> Any:
        """Call a tool, or raise the SDK's error: there is none, or one of the server's own has its name."""
        name = request.params.name
        if name in self.tools:
            await self._check_own(request)
            return await self.run(self.tools[name], request)
        if (own := self.find_own("tools/call")) is None:
            raise self._low_level.make_error(INVALID_PARAMS, f"Unknown tool: {name}")
        return await own(request)

    async def _check_own(self, request: Request) -> None:
        """Compare the names of the server's own tools with the bound ones, before the first call."""
        own = self.find_own("tools/list")
        if own is None or own == self._checked:
            return

        cursor: str | None = None
        for _ in range(1000):  # a handler may repeat its pages
            try:
                page = await self._list_own(self._low_level.turn_page(request, cursor))
                names, cursor = {tool["name"] for tool in page["tools"]}, page.get("nextCursor")
            except Exception:  # the server's handler may raise anything
                logger.warning("The server's own tools cannot be listed", exc_info=True)
                return
            self._reject_taken(names)
            if cursor is None:
                break
        self._checked = own

    def _reject_taken(self, own_names: Collection[str]) -> None:
        for name in self.tools:
            if name in own_names:
                message = name_taken(name)
                logger.error("%s", message)
                raise self._low_level.make_error(INTERNAL_ERROR, message)


@dataclass(frozen=True)
class HandlerSeam(Generic[ServerT, LowLevelT]):
    """Calls the handlers of resources and prompts as an SDK calls its own."""

    low_level: LowLevel[LowLevelT]
    get_lowlevel_server: Callable[[ServerT], LowLevelT]
    """Returns the server that answers the requests; raises `TypeError` if the object is not a server of the SDK."""
    find_parameters: Callable[[Callable[..., Any]], Iterable[str]]
    """Returns the parameters of a handler that the SDK fills in."""
    call_handler: Callable[[ServerT, Callable[..., Any], dict[str, Any], Request], Awaitable[Any]]
    """Calls a handler with its arguments and what the SDK fills in."""
    own_errors: tuple[type[Exception], ...]
    """Exceptions of the SDK, besides `protocol_error`, whose text the client should see."""

    def find_public_error(self, error: Exception) -> Exception | None:
        """Return the error for the client if a handler raised one of the SDK's own; None for others."""
        if isinstance(error, self.low_level.protocol_error):
            return error
        return self.low_level.make_error(INTERNAL_ERROR, str(error)) if isinstance(error, self.own_errors) else None
