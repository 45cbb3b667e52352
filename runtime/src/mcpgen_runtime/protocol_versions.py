"""The MCP protocol versions and their differences."""

from __future__ import annotations

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The protocol versions, oldest first."""
WITHOUT_STRUCTURED = PROTOCOLS[:2]
"""Versions without structured content."""
NATURAL = PROTOCOLS[4:]
"""Versions whose structured content may be any JSON value, so no value is wrapped."""
ALL_BLOCKS = PROTOCOLS[2:]
"""Versions with every kind of content block."""
AUDIO_SINCE = PROTOCOLS[1]
"""The first version with audio blocks."""
RESOURCE_LINKS_SINCE = PROTOCOLS[2]
"""The first version with resource links."""
STRUCTURED_CONTENT_SINCE = PROTOCOLS[2]
"""The first version whose results have structured content."""
ANY_JSON_RESULT_SINCE = PROTOCOLS[4]
"""The first version whose structured content may be any JSON value."""
RESULT_TYPE_SINCE = PROTOCOLS[4]
"""The first version whose results have a `resultType`, may ask for input and may be cached."""
NEWEST_OBJECT_RESULT = PROTOCOLS[3]
"""The newest version whose structured content must be an object; every SDK's types support such a result."""


def version_of(protocol: str | None, default: str) -> str:
    """Return a protocol version, `default` for None.

    Raises:
        ValueError: unknown protocol version.
    """
    if protocol is None:
        return default
    if protocol not in PROTOCOLS:
        raise ValueError(f"unknown MCP protocol version {protocol!r}; known are {', '.join(PROTOCOLS)}")
    return protocol
