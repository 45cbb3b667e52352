"""Typed clients over sessions of the official SDK, mcp 1.x."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any, ClassVar, TypeAlias

from mcp import types
from mcp.client.session import ClientSession
from mcp.types import ElicitResult as ElicitResult

from . import client
from .client import CallOptions, Connected
from .client import Contract as Contract
from .client import Pin as Pin
from .client import PromptClient as PromptClient
from .client import ResourceClient as ResourceClient
from .descriptors import RawResourceReader as RawResourceReader
from .descriptors import RawToolCaller as RawToolCaller
from .descriptors import TaskCaller as TaskCaller
from .mcp_internals import MCP_1, wrap_message_handler
from .tasks import TaskStatus as TaskStatus
from .tasks import ToolTask as ToolTask

Connection: TypeAlias = ClientSession | Connected[ClientSession]
"""An open session, or a client that has one."""


class _Session(client.Session[Connection]):
    _session_class = ClientSession
    _types: ClassVar = types
    _wrap_message_handler = staticmethod(partial(wrap_message_handler, MCP_1))

    async def _send(self, request: Any, form: Any, options: CallOptions) -> Any:
        timeout = None if options.timeout is None else timedelta(seconds=options.timeout)
        callback = options.report_progress if options.on_progress else None
        sent = types.ClientRequest(request) if isinstance(request, types.Request) else request
        return await self._session.send_request(sent, form, timeout, progress_callback=callback)


class ToolClient(client.ToolClient[Connection]):
    """Calls tools by name over a session of mcp 1.x, see `client.ToolClient`: base of the generated `Client`."""

    _session_type = _Session
