"""What differs between SDKs, their generations and protocol versions, as data."""

from __future__ import annotations

from typing import Literal

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The protocol versions, oldest first."""


ProtocolName = Literal["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


SdkName = Literal["none", "mcp", "mcp1", "fastmcp", "dedalus"]


SDK_GENERATIONS: dict[str, Literal["mcp", "mcp1"] | None] = {
    "none": None,
    "mcp": "mcp",
    "mcp1": "mcp1",
    "fastmcp": "mcp",
    "dedalus": "mcp1",
}
"""Whose types an SDK's results have: those of mcp 2.x or of mcp 1.x."""


SDK_TEXTS = {"mcp1": "mcp"}
"""SDKs whose decorators write a value's text as another's do."""


STRUCTURED_CONTENT_SINCE = "2025-06-18"
"""The version from which on results have structured content, and tools an outputSchema."""


ANY_JSON_RESULT_SINCE = "2026-07-28"
"""The version from which on a result may be any JSON value."""


STATELESS_SINCE = "2026-07-28"
"""The version from which on there is no handshake: each request says its version."""


HANDSHAKE_PROTOCOLS = tuple(version for version in PROTOCOLS if version < STATELESS_SINCE)
"""The versions that begin a session with a handshake."""
