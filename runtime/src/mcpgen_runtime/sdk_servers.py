"""Check the servers that packages are bound to: their class, and the tools that they have already."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from inspect import unwrap
from pathlib import PurePath
from typing import Any

logger = logging.getLogger(__name__)

_MOST_PAGES = 1000
_SERVERS = {
    "dedalus_mcp": '"dedalus"',
    "fastmcp": '"fastmcp" (fastmcp 4) or "fastmcp3" (fastmcp 2.13 to 3)',
    "mcp.server.fastmcp": '"mcp1"',
    "mcp.server.mcpserver": '"mcp"',
}
"""Modules of servers, and the values of `sdk` for them."""
_SESSION_MODULES = ("mcp.client", "mcp.server.session", "fastmcp.client", "dedalus_mcp.client")
"""Modules of clients and sessions."""
_APPS = ("starlette", "fastapi", "uvicorn")
"""Packages of web frameworks."""


def check_server(server: object, kinds: tuple[type[Any], ...], expected: str) -> None:
    """Check that an object is a server of the package's SDK.

    Args:
        server: the argument of `bind`.
        kinds: the classes of servers that `bind` accepts.
        expected: the same for messages.

    Raises:
        TypeError: it is something else; the message says what to do.
    """
    if not isinstance(server, kinds):
        raise _make_server_error(server, expected)


def _make_server_error(server: object, expected: str) -> TypeError:
    kind = server if isinstance(server, type) else type(server)
    error_name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    origins = {f"{base.__module__}." for base in kind.__mro__}  # a subclass by the user is a server, too
    text = f"bind takes {expected}, not "
    if isinstance(server, type):
        return TypeError(f"{text}the class {error_name}: pass the server, an instance")
    if _starts_with(origins, _SESSION_MODULES):
        return TypeError(f"{text}a {error_name}, which is a session: pass the server itself")
    for module, sdks in _SERVERS.items():
        if _starts_with(origins, [module]):
            return TypeError(f"{text}a {error_name}: set sdk = {sdks} in the settings and run mcpgen build")
    if _starts_with(origins, _APPS):
        return TypeError(f"{text}a {error_name}: pass the server that the app is made from")
    return TypeError(f"{text}an object of the type {error_name}: pass the server that offers the tools")


def _starts_with(origins: Iterable[str], modules: Iterable[str]) -> bool:
    prefixes = tuple(f"{module}." for module in modules)
    return any(origin.startswith(prefixes) for origin in origins)


def name_taken(tool: str) -> str:
    """Return the message for a tool that the server already has."""
    return f"the server has a tool {tool} already: remove it there, or bind no handler to {tool} here"


def find_taken(server_names: Iterable[str], bound: Iterable[str]) -> str | None:
    """Return the message for the first bound tool that the server's own handler also lists."""
    names = frozenset(server_names)
    return next((name_taken(tool) for tool in bound if tool in names), None)


async def check_pages(
    list_page: Callable[[str | None], Awaitable[tuple[Iterable[str], str | None]]],
    reject: Callable[[Iterable[str]], None],
) -> bool:
    """Check all pages of the tools that a low-level server's own handler lists.

    Args:
        list_page: returns the names of the tools after a cursor, and the next cursor.
        reject: raises an error if one of the names is also that of a bound tool.

    Returns:
        False if they cannot be listed.
    """
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        try:
            names, cursor = await list_page(cursor)
        except Exception:  # the server's handler may raise anything
            logger.warning("The server's own tools cannot be listed", exc_info=True)
            return False
        reject(names)
        if cursor is None:
            break
    return True


def find_doubled(own_tools: Iterable[Any], handlers: Mapping[str, object]) -> Iterator[str]:
    """Yield a message for each handler that the SDK's own decorator has registered, too.

    Args:
        own_tools: the tools of the SDK's decorator, which have their function in `fn`.
        handlers: the handler of each bound tool, by the tool's name.
    """
    names = {id(handler): name for name, handler in handlers.items()}
    for tool in own_tools:
        if (name := names.get(id(tool.fn))) is not None:
            effect = "replaces it" if tool.name == name else "is a second tool"
            yield (
                f"the handler of {name}{_locate(tool.fn)} also has the SDK's decorator: "
                f"its tool {tool.name} {effect}, without the checks of mcpgen. Remove the SDK's decorator"
            )


def _locate(function: Any) -> str:
    """Return where a function is defined, as in ` (server.py, line 12)`; empty if that is not known."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return ""
    return f" ({PurePath(code.co_filename).name}, line {code.co_firstlineno})"
