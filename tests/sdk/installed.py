"""The SDKs that tests run on, one row each, and the one that is installed here: the most specific of those."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any


@dataclass(frozen=True)
class SdkRow:
    """What tests have to know of an SDK; `mcpgen.targets` has what the generator knows."""

    name: str
    """As `sdk` in the settings has it."""
    distribution: str
    majors: tuple[int, ...]
    server_module: str
    server_class: str
    error_module: str
    """The module of `ToolError`."""
    low_level: str
    """The attribute with the low-level server; empty: the server is one itself."""
    serve: Callable[[Any, int | None], None]
    """Serves over stdio, or over Streamable HTTP at a port."""
    is_modern: bool
    """Its types and sessions are those of mcp 2.x."""
    depends_module: str = ""
    """The module of `Depends`; empty: the SDK has none."""
    session_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options of a server whose sessions receive notifications."""
    collects: bool = False
    """Decorated functions become tools when the server collects them."""


def _serve_mcp(server: Any, port: int | None) -> None:
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", port=port)


def _serve_mcp1(server: Any, port: int | None) -> None:
    if port is not None:
        server.settings.port = port
    server.run("stdio" if port is None else "streamable-http")


def _serve_fastmcp(server: Any, port: int | None) -> None:
    if port is None:
        server.run("stdio", show_banner=False)
    else:
        server.run("http", port=port, show_banner=False)


def _serve_dedalus(server: Any, port: int | None) -> None:
    over_http = server.serve_streamable_http
    asyncio.run(server.serve_stdio() if port is None else over_http(host="127.0.0.1", port=port))


ROWS = (
    SdkRow(
        name="dedalus",
        distribution="dedalus-mcp",
        majors=(0,),
        server_module="dedalus_mcp",
        server_class="MCPServer",
        error_module="dedalus_mcp",
        low_level="",
        serve=_serve_dedalus,
        is_modern=False,
        depends_module="dedalus_mcp.server.dependencies",
        session_options={"streamable_http_stateless": False},
        collects=True,
    ),
    SdkRow(
        name="fastmcp",
        distribution="fastmcp",
        majors=(4,),
        server_module="fastmcp",
        server_class="FastMCP",
        error_module="fastmcp.exceptions",
        low_level="_mcp_server",
        serve=_serve_fastmcp,
        is_modern=True,
        depends_module="fastmcp.dependencies",
    ),
    SdkRow(
        name="fastmcp3",
        distribution="fastmcp",
        majors=(2, 3),
        server_module="fastmcp",
        server_class="FastMCP",
        error_module="fastmcp.exceptions",
        low_level="_mcp_server",
        serve=_serve_fastmcp,
        is_modern=False,
        depends_module="fastmcp.dependencies",
    ),
    SdkRow(
        name="mcp",
        distribution="mcp",
        majors=(2,),
        server_module="mcp.server.mcpserver",
        server_class="MCPServer",
        error_module="mcp.server.mcpserver.exceptions",
        low_level="_lowlevel_server",
        serve=_serve_mcp,
        is_modern=True,
    ),
    SdkRow(
        name="mcp1",
        distribution="mcp",
        majors=(1,),
        server_module="mcp.server.fastmcp",
        server_class="FastMCP",
        error_module="mcp.server.fastmcp.exceptions",
        low_level="_mcp_server",
        serve=_serve_mcp1,
        is_modern=False,
    ),
)
"""The SDKs; those that are built upon another one come before it."""


def get_row(name: str) -> SdkRow:
    """Return the row of an SDK."""
    return next(row for row in ROWS if row.name == name)


def is_installed(name: str) -> bool:
    """Return whether an SDK is installed, in the version that tests know."""
    row = get_row(name)
    try:
        return int(version(row.distribution).split(".")[0]) in row.majors
    except PackageNotFoundError:
        return False


ROW = next((row for row in ROWS if is_installed(row.name)), None)
"""The row of the SDK that is installed here; None: there is none."""
SDK = ROW.name if ROW is not None else None


def import_attribute(module: str, name: str) -> Any:
    """Return a class or function of an SDK, which the checkers need not know."""
    return getattr(importlib.import_module(module), name)
