"""A server of the installed SDK that answers for generated packages, over stdio or HTTP."""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import os
import socket
import sys
import time
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import Any, TextIO

from mcpgen_runtime.errors import join_problems, list_problems
from mcpgen_runtime.package import Package
from mcpgen_runtime.sdk.forms import ask_form
from pydantic import ValidationError

from mcpgen import __version__
from mcpgen.config.models import MockRule
from mcpgen.mock.answers import Answers, Kind, MockedRequest, RuleBook, WrongChoice
from mcpgen.read.definitions import Definition, Definitions, PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.report.visible import escape_line
from mcpgen.schema.values import Json
from mcpgen.targets import (
    LOW_LEVEL_MODULE,
    MCP_1,
    SERVER_HTTP_MODULE,
    SERVER_SECURITY_MODULE,
    SERVER_STDIO_MODULE,
    SdkGeneration,
)

CHOICE_HEADER, CHOICE_MEMBER = "mcpgen-mock", "mcpgen/mock"
"""The header, and the member of `_meta`, with the name of a rule for a single request, or with the rule as JSON."""
HTTP_PATH = "/mcp"
_LOOPBACK_ORIGIN = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?"
_KINDS: Mapping[str, Kind] = {"tools/call": "tool", "resources/read": "resource", "prompts/get": "prompt"}
_METHOD_NOT_FOUND, _INVALID_PARAMS, _INTERNAL_ERROR = -32601, -32602, -32603
_LONGEST_ARGUMENTS = 120
_CUT_OFF = "mcpgen.cut_off"
"""Key of a request's ASGI scope, with the `CancelScope` that ends its connection."""
_PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAAAAAUAAQ0KLbQAAAAASUVORK5CYII=")
"""A PNG of one transparent pixel."""


@dataclass
class _Call:
    request: MockedRequest
    low_level: Any
    """The request as the library has it: its parameters, protocol version and context."""
    rule: MockRule | None = None
    source: str = "refused"
    """What the answer comes from; at first, nothing has accepted the request."""
    raw: dict[str, Any] | None = None
    """The result that is sent instead of the checked one."""


_current: ContextVar[_Call] = ContextVar(f"{__name__}.call")
_answered: ContextVar[list[_Call] | None] = ContextVar(f"{__name__}.answered", default=None)
"""Gets the call whose result the middleware finishes; None: mcp 1.x has none."""


class MockServer:
    """A server that answers for packages, which may be replaced while it runs.

    Args:
        generation: the generation of the SDK that is installed.
        answers: the values to answer with.
        log: gets a line for each request.
        recording: gets the calls of tools with their results, as `mcpgen learn` reads them; None: nothing does.
    """

    def __init__(
        self, generation: SdkGeneration, answers: Answers, log: Callable[[str], None], recording: TextIO | None = None
    ) -> None:
        number = 1 if generation is MCP_1 else 2
        self._low_level: Any = importlib.import_module(f"mcpgen_runtime.mcp_{number}_server").LOW_LEVEL
        self._answers, self._log, self._recording = answers, log, recording
        self.sdk_server = self._make_server()
        if hasattr(self.sdk_server, "middleware"):
            self.sdk_server.middleware[:] = [self._run_middleware]
        self._inner, self._rules = self._make_server(), RuleBook(())
        self._sessions: set[Any] = set()

    def _make_server(self) -> Any:
        return importlib.import_module(LOW_LEVEL_MODULE).Server("mcpgen mock", version=__version__)

    def bind(self, packages: Iterable[tuple[Any, Definitions]]) -> Any:
        """Return a server for packages and their definitions; raise TypeError if two define a tool of the same name."""
        server = self._make_server()
        for package, definitions in packages:
            self._bind(server, package, definitions)
        return server

    def use(self, inner: Any, rules: RuleBook) -> None:
        """Answer as another server from now on, which `bind` has made, and as other rules say."""
        self._inner, self._rules = inner, rules
        self.sdk_server.instructions = inner.instructions
        for method in self._low_level.classes:
            if self._low_level.get_handler(inner, method) is not None:
                self._low_level.set_handler(self.sdk_server, method, partial(self._answer, method))

    async def announce_change(self) -> None:
        """Tell the clients that the lists have changed, as far as their connections allow."""
        for session in [*self._sessions]:
            try:
                await session.send_tool_list_changed()
                await session.send_resource_list_changed()
                await session.send_prompt_list_changed()
            except Exception:  # its connection has ended
                self._sessions.discard(session)

    # --- handlers ----------------------------------------------------------------------------------------------------
    def _bind(self, server: Any, package: Any, definitions: Definitions) -> None:
        """Bind a handler to each definition that the package has."""
        described = Package.of(f"{package.__name__}.server")
        kinds: tuple[tuple[str, Mapping[str, str], Sequence[Definition], Callable[..., Any]], ...] = (
            ("bind", described.tool_attributes, definitions.tools, self._answer_tool),
            ("bind_resources", described.resource_attributes, definitions.resources, self._answer_resource),
            ("bind_prompts", described.prompt_attributes, definitions.prompts, self._answer_prompt),
        )
        for name, attributes, declared, answer in kinds:
            if attributes:
                binding = getattr(package, name)(server)
                by_name = {definition.name: definition for definition in declared}
                for key, attribute in attributes.items():
                    getattr(binding, attribute)(partial(answer, described, by_name[key]))

    async def _answer_tool(self, package: Package, definition: ToolDefinition, /, **_: Any) -> Any:
        call = _current.get()
        result_class: Any = package.get_named_tool(definition.name).result
        try:
            form = None if call.rule is None else call.rule.form
            if form is not None and (problem := await self._show(package, form, call)):
                return result_class._types.tool_error(problem, call.low_level.version)
            return self._find_result(call, definition, result_class)
        except ValueError as error:
            problem = join_problems(list_problems(error)) if isinstance(error, ValidationError) else str(error)
            is_error = call.rule is not None and call.rule.error_data is not None
            schema = "schema of errors" if is_error else "outputSchema"
            text = f"the result does not fit the {schema} of {definition.name} ({call.source}): {problem}"
            call.source = f"{call.source}, which does not fit the {schema}"
            return result_class._types.tool_error(text, call.low_level.version)

    async def _show(self, package: Package, name: str, call: _Call) -> str:
        """Have the client show a form, whose message has the arguments of the call; return why it was not filled in."""
        if name not in package.form_modules:  # of a rule that the request itself has
            return f'there is no form "{name}"'
        form = package.get_form(name)
        call.source, message = "form", sys.modules[form.__module__].message
        values = {value: call.request.arguments.get(value, "…") for value in inspect.signature(message).parameters}
        context = call.low_level.context
        context = context if hasattr(context, "session") else self.sdk_server.request_context
        answer = await ask_form(form, context, message(**values))
        return "" if answer.action == "accept" else f"the user did not fill in the form {name}: {answer.action}"

    def _find_result(self, call: _Call, definition: ToolDefinition, result_class: Any) -> Any:
        """Return what a tool answers; raise ValueError if a rule or a recording has what does not fit its schema."""
        types, version, rule = result_class._types, call.low_level.version, call.rule
        if rule is not None and (rule.error is not None or rule.error_data is not None or rule.raw is not None):
            call.source = "rule"
            if rule.error_data is None:
                return types.tool_error(rule.error or "", version)
            if (error_class := result_class._tool.error_class) is None:
                raise ValueError("the tool declares no `error`")
            return types.tool_error(error_class.from_structured_content(rule.error_data), version, text=rule.error)
        found = self._answers.find_value(call.request, rule, definition.output)
        if found is None and definition.output is not None:
            call.source = "nothing"
            return types.tool_error(f"no value of the outputSchema of {definition.name} was found", version)
        value: Any = f"A result of {_describe(call.request)}."
        value, call.source = found or (value, "drawn")
        if call.source == "recorded":
            is_error = value.get("isError") is True
            return types.result.model_validate(value) if is_error else result_class.from_call_tool_result(value)
        if definition.output is not None:
            return result_class.from_structured_content(value)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return result_class(content=[{"type": "text", "text": text}])

    async def _answer_resource(self, package: Package, definition: ResourceDefinition, /, **_: Any) -> Any:
        call = _current.get()
        found = self._answers.find_value(call.request, call.rule, definition.payload)
        default = _make_contents(str(definition.resource.get("mimeType", "text/plain")), call.request.name)
        value, call.source = found or (default, "drawn")
        if found is None or call.source == "rule":
            return value
        resource_class: Any = package.get_resource(definition.name)
        return resource_class.from_structured_content(value)

    async def _answer_prompt(self, _package: Package, definition: PromptDefinition, /, **_: Any) -> Any:
        call = _current.get()
        title = str(definition.prompt.get("description") or definition.name)
        default = f"{title}\n\n{json.dumps(call.request.arguments, ensure_ascii=False)}"
        value, call.source = self._answers.find_value(call.request, call.rule, None) or (default, "drawn")
        return value

    # --- requests ----------------------------------------------------------------------------------------------------
    async def _run_middleware(self, context: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Run what the packages put around the requests of mcp 2.x, and finish the result that all of it has made."""
        for middleware in reversed(self._inner.middleware):
            call_next = partial(middleware, call_next=call_next)
        answered: list[_Call] = []
        _answered.set(answered)
        result = await call_next(context)
        return self._finish(answered[0], result) if answered else result

    async def _answer(self, method: str, request: Any) -> Any:
        handler, kind = self._low_level.get_handler(self._inner, method), _KINDS.get(method)
        if handler is None:
            raise self._low_level.make_error(_METHOD_NOT_FOUND, f"Method not found: {method}")
        context = request.context if hasattr(request.context, "session") else self.sdk_server.request_context
        self._sessions.add(context.session)
        if kind is None:
            return await handler(request)
        call = _Call(_describe_request(kind, request.params, context), request)
        _current.set(call)
        start, outcome = time.perf_counter(), "ended by the client"
        try:
            result = await self._answer_call(method, call, handler, context)
            outcome = "error result" if call.source == "refused" else call.source
            return result
        except Exception as error:
            outcome = f"error: {error}"
            raise
        finally:
            if call.source != "disconnect":
                self._log(f"{_describe(call.request)}: {outcome}, {(time.perf_counter() - start) * 1000:.0f} ms")

    async def _answer_call(self, method: str, call: _Call, handler: Any, context: Any) -> Any:
        try:
            call.rule = rule = self._rules.choose(call.request)
        except WrongChoice as error:
            raise self._low_level.make_error(_INVALID_PARAMS, str(error)) from None
        if rule is not None:
            await self._delay(rule, context)
            if rule.disconnect:
                call.source = "disconnect"
                self._log(f"{_describe(call.request)}: disconnect")
                await _cut_off(context)
            if rule.fault is not None:
                raise self._low_level.make_error(rule.fault.code, rule.fault.message, rule.fault.data)
            if rule.error is not None and call.request.kind != "tool":
                raise self._low_level.make_error(_INTERNAL_ERROR, rule.error)
        result = await handler(call.low_level)
        if rule is not None and rule.raw is not None and call.source != "refused":
            call.source, call.raw = "rule", rule.raw
        if (answered := _answered.get()) is not None:
            answered.append(call)
            return result
        wire = self._finish(call, self._low_level.dump(self.sdk_server, method, result))
        return result if call.raw is None else _make_unchecked(self._low_level.classes[method][1], wire)

    def _finish(self, call: _Call, wire: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a call as it is sent, and record it."""
        wire = wire if call.raw is None else call.raw
        if self._recording is not None and call.request.kind == "tool":
            line: Json = {"tool": call.request.name, "arguments": call.request.arguments, "result": wire}
            with suppress(ValueError):  # arguments that are not JSON, such as NaN, which the tool has refused
                self._recording.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
                self._recording.flush()
        return wire

    async def _delay(self, rule: MockRule, context: Any) -> None:
        anyio: Any = importlib.import_module("anyio")
        for step in range(1, rule.progress + 1):
            await anyio.sleep(rule.delay / rule.progress)
            if hasattr(context.session, "report_progress"):
                await context.session.report_progress(step, rule.progress)
            elif (sent := getattr(context.meta, "progressToken", None)) is not None:
                related = str(context.request_id)
                await context.session.send_progress_notification(sent, step, rule.progress, None, related)
        if not rule.progress and rule.delay:
            await anyio.sleep(rule.delay)


def _make_unchecked(result_class: Any, wire: dict[str, Any]) -> Any:
    """Return an object of the SDK that is sent as a JSON object, whatever that is."""
    made = result_class.model_construct(**wire)
    fields: dict[str, Any] = made.__dict__
    for name, info in result_class.model_fields.items():
        if wire.keys().isdisjoint((name, info.alias)):
            fields.pop(name, None)  # a default
    return made


def _make_contents(mime_type: str, uri: str) -> str | bytes | Json:
    """Return contents of a media type for a resource without a schema."""
    kind, _, subtype = mime_type.partition("/")
    if subtype.partition(";")[0].endswith("json"):
        return json.dumps({"uri": uri})
    if kind == "text" or subtype in ("xml", "yaml", "javascript", "sql") or subtype.endswith(("+xml", "+yaml")):
        return f"The contents of {uri}.\n"
    return _PIXEL if mime_type == "image/png" else b""


def _describe_request(kind: Kind, params: Any, context: Any) -> MockedRequest:
    name = str(params.uri) if kind == "resource" else str(params.name)
    headers: Any = getattr(getattr(context, "request", None), "headers", None)
    meta: Any = getattr(context, "meta", None)
    members: Any = getattr(meta, "model_extra", meta) or {}
    chosen: Json = members.get(CHOICE_MEMBER)
    if chosen is None and headers is not None:
        chosen = headers.get(CHOICE_HEADER)
    return MockedRequest(kind, name, dict(getattr(params, "arguments", None) or {}), chosen)


def _describe(request: MockedRequest) -> str:
    text = json.dumps(request.arguments, ensure_ascii=False) if request.arguments else ""
    shown = text if len(text) <= _LONGEST_ARGUMENTS else f"{text[:_LONGEST_ARGUMENTS]}…"
    return escape_line(f"{request.name} {shown}".strip())


async def _cut_off(context: Any) -> None:
    """End the connection of a request: of one over HTTP this one, over stdio the process."""
    anyio: Any = importlib.import_module("anyio")
    scope: Any = getattr(getattr(context, "request", None), "scope", None)
    if scope is None:
        sys.stderr.flush()
        os._exit(1)
    scope[_CUT_OFF].cancel()
    await anyio.sleep_forever()


# --- transports ------------------------------------------------------------------------------------------------------
async def serve_stdio(mock: MockServer) -> None:
    """Serve one client over standard input and output, until it ends the connection."""
    stdio: Any = importlib.import_module(SERVER_STDIO_MODULE)
    server = mock.sdk_server
    changes = importlib.import_module(LOW_LEVEL_MODULE).NotificationOptions(True, True, True)
    anyio: Any = importlib.import_module("anyio")
    own = [
        os.fdopen(os.dup(number), mode, encoding="utf-8") for number, mode in ((0, "r"), (1, "w"))
    ]  # SDKs close them
    async with stdio.stdio_server(*map(anyio.wrap_file, own)) as (read, write):
        await server.run(read, write, server.create_initialization_options(changes))


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket for HTTP; raise OSError if the address is in use, or not one of this machine."""
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen()  # clients can connect as soon as the address is printed
    except BaseException:
        opened.close()
        raise
    return opened


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


async def serve_http(mock: MockServer, host: str, opened: socket.socket) -> None:
    """Serve clients over Streamable HTTP, until the process is interrupted; browsers may come from this machine."""
    uvicorn: Any = importlib.import_module("uvicorn")
    starlette: Any = importlib.import_module("starlette.applications")
    routing: Any = importlib.import_module("starlette.routing")
    cors: Any = importlib.import_module("starlette.middleware.cors")
    manager_class: Any = importlib.import_module(SERVER_HTTP_MODULE).StreamableHTTPSessionManager
    security: Any = importlib.import_module(SERVER_SECURITY_MODULE).TransportSecuritySettings
    is_local = _is_loopback(host)
    names = {"127.0.0.1", "localhost", "[::1]", host}
    hosts = [f"{name}{port}" for name in names for port in ("", ":*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in hosts]
    allowed = security(enable_dns_rebinding_protection=is_local, allowed_hosts=hosts, allowed_origins=origins)
    manager = manager_class(app=mock.sdk_server, security_settings=allowed)

    def open_sessions(_: object) -> Any:
        return manager.run()

    route = routing.Route(HTTP_PATH, endpoint=_Endpoint(manager.handle_request))
    app: Any = starlette.Starlette(routes=[route], lifespan=open_sessions)
    pages = {"allow_origin_regex": _LOOPBACK_ORIGIN} if is_local else {"allow_origins": ["*"]}
    app.add_middleware(
        cors.CORSMiddleware,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=["Mcp-Session-Id", "Mcp-Protocol-Version"],
        **pages,
    )
    logging.getLogger("uvicorn.error").addFilter(lambda record: _CUT_OFF not in f"{record.exc_text} {record.exc_info}")
    config = uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=1)
    await uvicorn.Server(config).serve(sockets=[opened])


@dataclass(frozen=True)
class _Endpoint:
    """Passes requests on, and ends their connections without an answer where a rule says so."""

    handle: Callable[[Any, Any, Any], Awaitable[None]]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        anyio: Any = importlib.import_module("anyio")
        with anyio.CancelScope() as scope[_CUT_OFF]:
            await self.handle(scope, receive, send)
        if scope[_CUT_OFF].cancel_called:
            headers = [(b"content-type", b"application/json"), (b"content-length", b"1")]
            with suppress(RuntimeError):  # an answer has begun; else uvicorn would send one: announce more than comes
                await send({"type": "http.response.start", "status": 200, "headers": headers})
            raise ConnectionAbortedError(_CUT_OFF)  # which the log's filter knows
