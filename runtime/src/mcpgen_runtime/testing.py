"""Test clients and servers: a client over handlers, examples of tools, a mock server, and the check of a server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from pydantic import BaseModel

from .client import AttributeReader, CallOptions, Contract, Session, ToolClient
from .content import NEWEST_OBJECT_RESULT
from .core_schemas import read_value
from .descriptors import ExampleReader, McpToolOf, ToolExample
from .package import Package, load_definition, suggest
from .tool_result import ContentResultOf, ToolResultOf

if TYPE_CHECKING:
    from .server_binding import ToolBinding

_Tool: TypeAlias = McpToolOf[Any, Any, Any, Any, Any]
ClientT = TypeVar("ClientT")
ToolClientT = TypeVar("ToolClientT", bound=ToolClient[Any])
ServerT = TypeVar("ServerT")
ConnectionT = TypeVar("ConnectionT")


# --- examples --------------------------------------------------------------------------------------------------------
class ExamplesBase(AttributeReader, ExampleReader):
    """An example of each tool of a package: base of the generated `Examples`.

    It has an attribute for each tool, and is a mapping by the tools' exact names.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._make_attribute = cache(_make_example)

    def __getitem__(self, tool: str) -> ToolExample[BaseModel, ToolResultOf[Any, Any]]:
        return self._make_attribute(self._package.get_named_tool(tool))

    def __iter__(self) -> Iterator[str]:
        return iter(self._package.tool_modules)

    def __len__(self) -> int:
        return len(self._package.tool_modules)


def _make_example(tool: _Tool) -> ToolExample[Any, Any]:
    result: Any = tool.result

    def load(part: str) -> Any:
        module = Path(result._tool.file)
        content = load_definition(str(module.parent.parent / "examples" / module.name))
        if part not in content:
            advice = 'give the schema "examples", then run `mcpgen build`'
            raise LookupError(f"{tool.name} has no example of its {part}: {advice}")
        return content[part]

    def read_result() -> Any:
        if issubclass(tool.result, ContentResultOf):
            return result(content=result._types.content_blocks(f"A result of {tool.name}."))
        return result.from_structured_content(load("result"))

    return ToolExample(lambda: read_value(tool.arguments, load("arguments")), read_result)


# --- a client over handlers ------------------------------------------------------------------------------------------
class FakeServer(Generic[ServerT, ConnectionT]):
    """A server in this process whose tools have the given handlers, by their attributes.

    The other tools are bound when they are first called. They answer with an example of `fallback`, or with an error.
    A name that is not one of a tool, or a handler that does not fit, raises TypeError.
    """

    def __init__(
        self,
        package: Package,
        bind: Callable[[ServerT], ToolBinding[ServerT]],
        handlers: Mapping[str, object],
        fallback: ExamplesBase | None,
    ) -> None:
        self.server: ServerT = self._make_server(package.name)
        self._package, self._fallback = package, fallback
        self._server_tools = bind(self.server)
        bind_handlers(self._server_tools, handlers, package.tool_attributes.values())

    _make_server: ClassVar[Any]
    """Returns a server without tools, by its name."""
    _open_connection: ClassVar[Any]
    """Returns a connection of the SDK with a server, in memory."""

    @asynccontextmanager
    async def connect(self, client_class: type[ToolClientT]) -> AsyncGenerator[ToolClientT, None]:
        """Connect a client. Its contract is kept, since the server has all declared tools."""
        contract = Contract(tuple(self._package.tool_modules), (), (), ())

        async def start(connection: Any) -> ToolClientT:
            inner = client_class._session_type(connection)  # pyright: ignore[reportPrivateUsage]
            session: Any = _FakeSession(inner, self._package, self._bind_missing)
            return client_class(session, session.protocol, contract)

        async with self.run_client(self.server, start) as client:
            yield client

    @classmethod
    @asynccontextmanager
    async def run_client(
        cls, server: ServerT, start: Callable[[ConnectionT], Awaitable[ClientT]]
    ) -> AsyncGenerator[ClientT, None]:
        """Connect a client to a server in this process; what the block raises is not in an SDK's ExceptionGroup."""
        raised: Exception | None = None
        async with cls._open_connection(server) as connection:
            client = await start(connection)
            try:
                yield client
            except Exception as error:
                raised = error
        if raised is not None:
            raise raised

    def _bind_missing(self, name: str) -> None:
        if name in self._server_tools:
            return
        attribute, fallback = self._package.tool_attributes[name], self._fallback
        types = self._package.get_named_tool(name).result._types

        def answer(**arguments: Any) -> Any:
            if fallback is not None:
                return fallback[name].result
            advice = f"write fake_client({attribute}=…), or fake_client(examples) for an example"
            return types.tool_error(f"no handler was given: {advice}")

        getattr(self._server_tools, attribute)(answer)


class _FakeSession:
    def __init__(self, session: Session[Any], package: Package, prepare: Callable[[str], None]) -> None:
        self._session, self._package, self._prepare = session, package, prepare

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def take_change(self) -> bool:
        return False

    async def tools(self) -> list[dict[str, Any]]:
        return self._package.list_tools(self._session.protocol or NEWEST_OBJECT_RESULT)

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions, as_task: bool = False) -> Any:
        self._prepare(tool)
        self._session.task_support[tool] = self._package.get_named_tool(tool).result._tool.task_support
        return await self._session.call(tool, arguments, options, as_task)


def bind_handlers(binder: object, handlers: Mapping[str, object], names: Iterable[str]) -> None:
    """Bind handlers, whose names must be in `names`, with what `bind` returned, or raise TypeError if one is wrong."""
    known = [*names]
    for name, handler in handlers.items():
        if name not in known:
            raise TypeError(f"there is no {name!r} to bind a handler to{suggest(name, known)}")
        getattr(binder, name)(handler)


# --- a mock server, and the check of a live one ----------------------------------------------------------------------
class MockServer:
    """`mcpgen mock` over HTTP in a process of its own, from `with` to the end of its block; needs mcpgen.

    Args:
        paths: files and folders of definitions; without any, those of the settings.
        rules: rules for calls, as in a file of rules.
        options: more options of the command line.
        folder: the working folder, with the settings; None: the present one.
    """

    url: str
    """The address for clients."""

    def __init__(
        self,
        *paths: str | os.PathLike[str],
        rules: Sequence[Mapping[str, Any]] = (),
        options: Sequence[str] = (),
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self._paths, self._rules, self._options, self._folder = paths, rules, options, folder
        self._stack = ExitStack()

    def __enter__(self) -> MockServer:
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mcpgen-mock-")))
            self._record, rules = scratch / "calls.jsonl", scratch / "rules.json"
            rules.write_text(json.dumps([*self._rules]), "utf-8")
            own = ["--http", "0", "--rules", str(rules), "--record", str(self._record), *self._options]
            command = [sys.executable, "-m", "mcpgen", "mock", *own, "--", *(os.fspath(path) for path in self._paths)]
            log = stack.enter_context((scratch / "log.txt").open("w+", encoding="utf-8"))
            process = subprocess.Popen(
                command, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            if found is None:
                log.seek(0)
                raise RuntimeError(f"mcpgen mock did not start: {log.read().strip()}")
            self.url = found[0]
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls of tools so far, each with `tool`, `arguments` and `result`."""
        return [json.loads(line) for line in self._record.read_text("utf-8").splitlines()]


def mock_fixture(*paths: str | os.PathLike[str], scope: str = "session", **options: Any) -> Any:
    """Return a pytest fixture whose value is a running `MockServer` with these arguments."""
    import pytest

    def serve() -> Iterator[MockServer]:
        with MockServer(*paths, **options) as server:
            yield server

    return pytest.fixture(scope=cast(Any, scope))(serve)


def contract_test(package: ModuleType, server: str, *options: str) -> Callable[[str], None]:
    """Return a pytest test, one case for each tool, that calls a live server with `mcpgen verify`, once for all cases.

    Args:
        package: the generated package.
        server: a URL, `package.module:server` or a command.
        options: more options of the command line, such as `--call=book_table`.
    """
    import pytest

    @cache
    def verify() -> dict[str, Any]:
        command = [sys.executable, "-m", "mcpgen", "verify", "--server", server, "--format", "json", *options]
        run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return cast(dict[str, Any], json.loads(run.stdout)) if run.stdout else {"data": None, "said": run.stderr}

    def test_contract(name: str) -> None:
        answer = verify()
        diagnostics = answer.get("diagnostics", [])
        if answer["data"] is None:
            said = "; ".join(item["message"] for item in diagnostics) or answer["said"]
            pytest.fail(f"the server could not be tested: {said}", pytrace=False)
        if name in answer["data"]["notCalled"]:
            pytest.skip("it is not annotated as read-only, and no --call names it")
        found = [item["message"] for item in diagnostics if item["code"] == "MG716"] if name == _REST else []
        tested = 0
        for subject in answer["data"]["subjects"]:
            if subject["name"] == name or (name == _REST and subject["kind"] != "tool"):
                tested += 1
                found += [f"{fault['message']}\n  {json.dumps(fault['request'])}" for fault in subject["faults"]]
        if not tested and name != _REST:
            found.append("the server has no such tool")
        if found:
            pytest.fail("\n".join(found), pytrace=False)

    names = [*Package.of(f"{package.__name__}.server").tool_modules, _REST]
    return pytest.mark.parametrize("name", names)(test_contract)


_REST = "definitions, resources and prompts"
