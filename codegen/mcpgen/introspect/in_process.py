"""Server objects of this process: import one, and connect to it through memory."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import linecache
import os
import sys
import sysconfig
import traceback
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcpgen.config.load import find_settings
from mcpgen.files.ownership import may_have_header
from mcpgen.files.project_paths import is_within, resolve_path
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import InProcess
from mcpgen.paths import format_path, format_relative_path
from mcpgen.words import NameGuesser

_HEADER_LINES = 2


@contextlib.contextmanager
def open_server(address: InProcess, environment: Mapping[str, str]) -> Generator[Any]:
    """Load a server that runs within the block, with these variables; raise `IntrospectionError` if it cannot be."""
    with _prepare_imports(environment):
        yield load_server(address)


@contextlib.contextmanager
def _prepare_imports(environment: Mapping[str, str]) -> Generator[None]:
    previous, folder = {name: os.environ.get(name) for name in environment}, str(Path.cwd())
    is_new = folder not in sys.path
    os.environ.update(environment)
    if is_new:
        sys.path.insert(0, folder)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if is_new and folder in sys.path:  # the server may have removed it
            sys.path.remove(folder)


def load_object(address: InProcess, environment: Mapping[str, str]) -> Any:
    """Import an object of the user's, like a server; raise `IntrospectionError` if that is not possible."""
    with _prepare_imports(environment), contextlib.redirect_stdout(sys.stderr), _suppress_bytecode():
        return _get_attribute(_load_module(address), address)


# --- loading ---------------------------------------------------------------------------------------------------------
def load_server(address: InProcess) -> Any:
    """Import a server object, or call the function that makes it; raise `IntrospectionError` if that fails."""
    with contextlib.redirect_stdout(sys.stderr), _suppress_bytecode():
        module = _load_module(address)
        try:
            server = _get_attribute(module, address)
            if not hasattr(server, "create_initialization_options") and inspect.isroutine(server):
                server = _call_factory(server, address)
            find_low_level_server(server)
        except IntrospectionError:
            raise
        except (Exception, SystemExit) as error:  # any attribute of an object may raise anything, even `__class__`
            raise _make_error(f'"{address.module}:{address.attribute}" cannot be read', error) from None
    return server


@contextlib.contextmanager
def _suppress_bytecode() -> Generator[None]:
    old_value, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = old_value


def _load_module(address: InProcess) -> Any:
    try:
        return importlib.import_module(address.module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{address.module}.".startswith(f"{error.name}."):
            help = f'write "{address.module[:-3]}:{address.attribute}"' if address.module.endswith(".py") else ""
            help = help or _locate_above(address.module)
            help = help or "modules are looked for in the working folder and where Python finds them"
            raise IntrospectionError("MG703", f'there is no module "{error.name}"', help) from None
        help = f'install "{error.name}" here, or run `mcpgen build` first if that writes it' if error.name else ""
        raise _make_error(f'the module "{address.module}" cannot be imported', error, help) from None
    except (Exception, SystemExit) as error:  # a module may raise anything
        raise _make_error(f'the module "{address.module}" cannot be imported', error) from None


def _locate_above(module: str) -> str:
    settings = find_settings(Path.cwd())
    if settings is None or settings.parent == Path.cwd():
        return ""
    path = settings.parent.joinpath(*module.split("."))
    if not (path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()):
        return ""
    return f"it is in the folder of {format_relative_path(settings)}: run the command there"


def _get_attribute(module: Any, address: InProcess) -> Any:
    value = module
    for name in address.attribute.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            names = _find_similar_names(value, name) or _list_servers(value)
            help = f'did you mean "{names[0]}"?' if names else "write the name that it has in the module"
            raise IntrospectionError("MG703", f'"{address.module}" has no "{address.attribute}"', help) from None
    return value


def _find_similar_names(value: Any, name: str) -> list[str]:
    with contextlib.suppress(Exception):  # an object may list its attributes itself
        return NameGuesser().list_similar(name, dir(value), 1)
    return []


def _list_servers(value: Any) -> list[str]:
    names: list[str] = []
    members: dict[str, Any] = {}
    with contextlib.suppress(Exception):  # it may have no `__dict__`
        members = {**value.__dict__}
    for name, member in members.items():
        with contextlib.suppress(Exception):  # a proxy may raise until it is bound, such as flask.current_app
            if not inspect.isclass(member) and find_low_level_server(member) is not None:
                names.append(name)
    return names


def _call_factory(factory: Any, address: InProcess) -> Any:
    try:
        value = factory()
        if inspect.iscoroutine(value):
            import asyncio  # which few factories need

            return asyncio.run(value)
        return value
    except (Exception, SystemExit) as error:  # a factory may raise anything
        raise _make_error(f'"{address.module}:{address.attribute}" fails when it is called', error) from None


def _make_error(problem: str, error: BaseException, help: str = "") -> IntrospectionError:
    line = locate_failure(error)
    place = f" (at {line})" if line else ""
    return IntrospectionError("MG703", f"{problem}: {type(error).__name__}: {error}{place}", help)


def find_low_level_server(server: Any) -> Any:
    """Return the low-level server in a server object of any SDK; raise `IntrospectionError` if it is none."""
    for name in ("_lowlevel_server", "_mcp_server"):
        server = getattr(server, name, server)
    if not (hasattr(server, "create_initialization_options") and callable(getattr(server, "run", None))):
        message = f"this is not an MCP server, but an object of the type {type(server).__name__}"
        help = "name an MCPServer, FastMCP or low-level Server, or a function without arguments that makes one"
        raise IntrospectionError("MG703", message, help)
    return server


def list_doubled_handlers(server: Any) -> Iterator[str]:
    """Yield a sentence for each handler of a generated package that also has the SDK's decorator."""
    low_level: Any = find_low_level_server(server)
    doubled: Sequence[Callable[[], Iterable[str]]] = getattr(low_level, "_mcpgen_doubled", ())
    for describe in doubled:
        yield from sorted(describe())


# --- connecting ------------------------------------------------------------------------------------------------------
@contextlib.asynccontextmanager
async def open_memory_streams(server: Any, memory: Any) -> AsyncGenerator[tuple[Any, Any]]:
    """Run a server object within the block, over the SDK's in-memory streams; yield those of the client."""
    anyio: Any = importlib.import_module("anyio")
    low_level = find_low_level_server(server)
    lifespan = getattr(server, "_lifespan_manager", None)  # fastmcp requires it around the server's task
    async with memory.create_client_server_memory_streams() as ((read, write), (server_read, server_write)):

        async def serve() -> None:
            try:
                await low_level.run(server_read, server_write, low_level.create_initialization_options())
            finally:
                await server_write.aclose()

        manager: Any = lifespan() if callable(lifespan) else contextlib.nullcontext()
        async with manager, anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            try:
                yield read, write
            finally:
                tasks.cancel_scope.cancel()


def locate_failure(error: BaseException) -> str:
    """Return the last line of a traceback that the user wrote, as `file:line`; empty if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_written_by_user(frame.filename):
            return f"{format_path(Path(frame.filename))}:{frame.lineno}"
    return ""


def _is_written_by_user(file: str) -> bool:
    installed = [resolve_path(folder) for folder in {*sysconfig.get_paths().values()} - {sysconfig.get_path("data")}]
    if not is_within(file, [resolve_path(Path.cwd())]) or is_within(file, installed):
        return False
    start = "".join(linecache.getline(file, number) for number in range(1, _HEADER_LINES + 1))
    return not may_have_header(start.encode())
