"""Private members that several SDKs share, those on mcp 1.x or those on mcp 2.x. Only this module uses them.

Tested with mcp 1.22 to 1.30, mcp 2.1 to 2.3, and fastmcp 4.0 to 4.1. A version without a member that clients need makes
`connect`, or a call that needs it, raise `WrongSdk`, which names the versions.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from .sdk import SdkRequirement

MCP_1, MCP_2 = SdkRequirement("mcp1", ("mcp",), "1.22", "2"), SdkRequirement("mcp", ("mcp",), "2.1", "3")
_HANDLER = "_message_handler"
_STAMP = "_stamp"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_DECLARED: dict[str, dict[str, Any]] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def wrap_message_handler(requirement: SdkRequirement, session: object, wrap: Callable[[Any], Any]) -> None:
    """Replace a session's handler of the server's messages by what `wrap` makes of it."""
    setattr(session, _HANDLER, wrap(requirement.read_private(session, _HANDLER)))


def get_input_driver(client: object) -> Callable[..., Awaitable[Any]]:
    """Return the method of a `Client` that takes a request for input, and a function that repeats the call."""
    driver: Callable[..., Awaitable[Any]] = MCP_2.read_private(client, "_drive_input_required")
    return driver


def declare_tasks(session: object) -> dict[str, Any]:
    """Return the `_meta` of a request whose client understands tasks; the session of mcp 2.x then sends it (SEP-2663).

    A session has the same capabilities in all its requests, and its own calls do not take a task for an answer.
    """
    stamp = MCP_2.read_private(session, _STAMP)
    if not isinstance(stamp, _StampWithTasks):
        setattr(session, _STAMP, _StampWithTasks(stamp))
    return {_CAPABILITIES: _DECLARED}


@dataclass(frozen=True)
class _StampWithTasks:
    """A session's stamp on its requests, which leaves tasks declared."""

    stamp: Callable[[dict[str, Any], Any], None]

    def __call__(self, data: dict[str, Any], options: Any) -> None:
        params: dict[str, Any] = data.get("params") or {}
        meta: dict[str, Any] = params.get("_meta") or {}
        is_declared = meta.get(_CAPABILITIES) == _DECLARED
        if is_declared:
            del meta[_CAPABILITIES]  # the SDK writes its own, since 2026-07-28
            if not meta:
                del params["_meta"]
        self.stamp(data, options)
        meta = params.get("_meta") or {}
        if is_declared and (sent := meta.get(_CAPABILITIES)) is not None:
            meta[_CAPABILITIES] = {**sent, "extensions": {**(sent.get("extensions") or {}), **_DECLARED["extensions"]}}


async def send_unchecked(session: object, method: str, params: dict[str, Any], timeout: float | None) -> dict[str, Any]:
    """Send a request as a session of mcp 2.x does, and return the result as the server sent it."""
    seconds = MCP_2.read_private(session, "_session_read_timeout_seconds") if timeout is None else timeout
    data, options = {"method": method, "params": params}, {} if seconds is None else {"timeout": seconds}
    MCP_2.read_private(session, _STAMP)(data, options)
    dispatcher = MCP_2.read_private(session, "_dispatcher")
    result: dict[str, Any] = await dispatcher.send_raw_request(method, data["params"], options)
    return result


def get_task_support(server: object) -> Any:
    """Return what stores the tasks of a low-level server of mcp 1.x (`TaskSupport`); None: it has no tasks."""
    return getattr(getattr(server, "_experimental_handlers", None), "task_support", None)


def enable_tasks(server: object) -> None:
    """Let a low-level server of mcp 1.x have tasks, kept in memory; before 1.23, none has them."""
    with warnings.catch_warnings():  # they are not in mcp 2.x
        warnings.simplefilter("ignore", DeprecationWarning)
        experimental: Any = getattr(server, "experimental", None)
    if experimental is not None:
        experimental.enable_tasks()


def run_tasks_in_session(support: object, session: object) -> None:
    """Have mcp 1.x run the next task in its session, since its group for all sessions ends with any of them."""
    MCP_1.read_private(support, "_task_group")
    setattr(support, "_task_group", MCP_1.read_private(session, "_task_group"))  # noqa: B010


def find_path_rules(server: object) -> Callable[[Any], None] | None:
    """Return the rules for variables of URIs of an `MCPServer` or a `FastMCP`; None: the usual rules apply."""
    if not hasattr(server, "_resource_security"):
        return None
    security: Any = getattr(server, "_resource_security")  # noqa: B009
    return (lambda _: None) if security is None else security.validate
