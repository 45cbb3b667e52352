"""The only module that uses private members which SDKs on mcp 1.x share. Tested with mcp 1.22 to 1.30.

A version without such a member makes `connect` raise `WrongSdk`, which names the versions.
"""

from __future__ import annotations

from collections.abc import Callable

from mcp.client.session import ClientSession

from ..client import MessageHandler
from ..sdk import SdkRequirement

_CLIENTS = SdkRequirement("mcp1", ("mcp",), "1.22", "2")
_HANDLER = "_message_handler"


def wrap_message_handler(session: ClientSession, wrap: Callable[[MessageHandler], MessageHandler]) -> None:
    """Replace a session's handler of the server's messages."""
    setattr(session, _HANDLER, wrap(_CLIENTS.read_private(session, _HANDLER)))
