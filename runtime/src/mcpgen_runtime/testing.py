"""Test tools in process: a client over handlers, and an example of each tool."""

from __future__ import annotations

import difflib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from .call_options import CallOptions
from .call_tool_results import tool_error
from .client_base import Contract
from .content_blocks import content_blocks
from .content_result import ContentResult
from .deep_values import read_value
from .package import is_attribute, load_definition
from .in_memory import make_server, open_connection
from .package import Package
from .protocol import CallToolResult
from .protocol_versions import NEWEST_OBJECT_RESULT
from .server_adapter import Server
from .server_binding import Binding
from .session import Connection, Session
from .descriptors import ExampleReader, McpTool, ToolExample
from .tool_result import ToolResult

ClientT = TypeVar("ClientT")


# --- examples --------------------------------------------------------------------------------------------------------
class ExamplesBase(ExampleReader):
    """An example of each tool of a package; base of the generated `Examples`.

    It has an attribute for each tool, and is a mapping by the tools' exact names.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._examples: dict[str, ToolExample[Any, Any]] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> ToolExample[Any, Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return self._find(self._package.find_tool(name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._package.tool_attributes.values()})

    def __getitem__(self, tool: str) -> ToolExample[BaseModel, ToolResult]:
        return self._find(self._package.get_tool(self._package.tool_modules[tool]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._package.tool_modules)

    def __len__(self) -> int:
        return len(self._package.tool_modules)

    def __contains__(self, tool: object) -> bool:
        return tool in self._package.tool_modules

    def _find(self, tool: McpTool[Any, Any, Any, Any]) -> ToolExample[Any, Any]:
        if tool.name not in self._examples:
            self._examples[tool.name] = ToolExample(partial(_read_arguments, tool), partial(_read_result, tool))
        return self._examples[tool.name]


def _read_arguments(tool: McpTool[Any, Any, Any, Any]) -> Any:
    return read_value(tool.arguments, _load_example(tool, "arguments"))


def _read_result(tool: McpTool[Any, Any, Any, Any]) -> Any:
    if issubclass(tool.result, ContentResult):
        return tool.result(content=content_blocks(f"A result of {tool.name}."))
    return tool.result.from_structured_content(_load_example(tool, "result"))


def _load_example(tool: McpTool[Any, Any, Any, Any], part: str) -> Any:
    """Return the JSON value of a part of a tool's example.

    Raises:
        LookupError: there is no example.
    """
    module = Path(tool.result._tool.file)  # pyright: ignore[reportPrivateUsage]
    content = load_definition(str(module.parent.parent / "examples" / module.name))
    if part not in content:
        raise LookupError(
            f'{tool.name} has no example of its {part}: give the schema "examples", then run `mcpgen build`'
        )
    return content[part]


# --- a client over handlers ------------------------------------------------------------------------------------------
class FakeServer:
    """A server in this process whose tools have the given handlers. The others are bound when they are first called."""

    def __init__(
        self,
        package: Package,
        bind: Callable[[Server], Binding],
        handlers: Mapping[str, object],
        fallback: ExamplesBase | None,
    ) -> None:
        self.server = make_server(package.name)
        self._package, self._fallback = package, fallback
        self._server_tools = bind(self.server)
        bind_handlers(self._server_tools, handlers, package.tool_attributes.values())

    @asynccontextmanager
    async def connect(self, make_client: Callable[..., ClientT]) -> AsyncGenerator[ClientT, None]:
        """Connect a client. Its contract is kept, since the server has all declared tools."""
        contract = Contract(tuple(self._package.tool_modules), (), (), ())

        async def start(connection: Connection) -> ClientT:
            session = _FakeSession(connection, self._package, self._bind_missing)
            version = session.protocol
            return make_client(self._package, session, version, contract, on_invalid="raise", timeout=None)

        async with run_client(self.server, start) as client:
            yield client

    def _bind_missing(self, name: str) -> None:
        """Bind a tool that is called, if it has no handler."""
        if name in self._server_tools:
            return
        attribute, fallback = self._package.tool_attributes[name], self._fallback

        def answer(**arguments: Any) -> Any:
            if fallback is not None:
                return fallback[name].result
            return tool_error(
                f"no handler was given: write fake_client({attribute}=…), or fake_client(examples) for an example"
            )

        getattr(self._server_tools, attribute)(answer)


class _FakeSession(Session):
    """A session with a server that binds tools when they are called."""

    def __init__(self, connection: Connection, package: Package, prepare: Callable[[str], None]) -> None:
        super().__init__(connection)
        self._package, self._prepare = package, prepare

    def take_change(self) -> bool:
        return False

    async def tools(self) -> list[dict[str, Any]]:
        return self._package.list_tools(self.protocol or NEWEST_OBJECT_RESULT)

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> CallToolResult:
        self._prepare(tool)
        return await super().call(tool, arguments, options)


def bind_handlers(binder: object, handlers: Mapping[str, object], names: Iterable[str]) -> None:
    """Bind each handler to the definition of its name.

    Args:
        binder: the result of `bind`, `bind_resources` or `bind_prompts`.
        handlers: handlers by name.
        names: the known names.

    Raises:
        TypeError: there is no such name, or a handler does not fit.
    """
    known_names = [*names]
    for name, handler in handlers.items():
        if name not in known_names:
            similar = difflib.get_close_matches(name, known_names, 1)
            hint = f", did you mean {similar[0]!r}?" if similar else ""
            raise TypeError(f"there is no {name!r} to bind a handler to{hint}")
        getattr(binder, name)(handler)


@asynccontextmanager
async def run_client(
    server: Server, start: Callable[[Connection], Awaitable[ClientT]]
) -> AsyncGenerator[ClientT, None]:
    """Connect a client to a server in this process.

    An exception in the block is raised unchanged. The SDKs would put it into an ExceptionGroup, which `pytest.raises`
    does not look into.
    """
    raised: Exception | None = None
    async with open_connection(server) as connection:
        client = await start(connection)
        try:
            yield client
        except Exception as error:  # noqa: BLE001
            raised = error
    if raised is not None:
        raise raised


__all__ = ["ExamplesBase", "FakeServer", "bind_handlers", "run_client"]
