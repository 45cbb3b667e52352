"""What the SDKs on mcp 1.x have in common. Only this module uses private members that they share.

Tested with mcp 1.22 to 1.30. A version without them makes `connect` raise `WrongSdk`, which names the versions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..sdk import SdkRequirement

_CLIENTS = SdkRequirement("mcp1", ("mcp",), "1.22", "2")
_HANDLER = "_message_handler"


def wrap_message_handler(session: object, wrap: Callable[[Any], Any]) -> None:
    """Replace a session's handler of the server's messages by what `wrap` makes of it."""
    setattr(session, _HANDLER, wrap(_CLIENTS.read_private(session, _HANDLER)))
