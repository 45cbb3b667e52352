"""Private members that several SDKs share, those on mcp 1.x or those on mcp 2.x. Only this module uses them.

Tested with mcp 1.22 to 1.30, mcp 2.1 to 2.3, and fastmcp 4.0 to 4.1. A version without a member that clients need makes
`connect`, or a call that needs it, raise `WrongSdk`, which names the versions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from .sdk import SdkRequirement

MCP_1, MCP_2 = SdkRequirement("mcp1", ("mcp",), "1.22", "2"), SdkRequirement("mcp", ("mcp",), "2.1", "3")
_HANDLER = "_message_handler"


def wrap_message_handler(requirement: SdkRequirement, session: object, wrap: Callable[[Any], Any]) -> None:
    """Replace a session's handler of the server's messages by what `wrap` makes of it."""
    setattr(session, _HANDLER, wrap(requirement.read_private(session, _HANDLER)))


def get_input_driver(client: object) -> Callable[..., Awaitable[Any]]:
    """Return the method of a `Client` that takes a request for input, and a function that repeats the call."""
    driver: Callable[..., Awaitable[Any]] = MCP_2.read_private(client, "_drive_input_required")
    return driver


def find_path_rules(server: object) -> Callable[[Any], None] | None:
    """Return the rules for variables of URIs of an `MCPServer` or a `FastMCP`; None: the usual rules apply."""
    if not hasattr(server, "_resource_security"):
        return None
    security: Any = getattr(server, "_resource_security")  # noqa: B009
    return (lambda _: None) if security is None else security.validate
