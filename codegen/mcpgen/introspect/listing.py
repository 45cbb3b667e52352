"""Lists of everything that a server advertises, fetched over a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcpgen.introspect.session import McpSession, RequestRefused
from mcpgen.schema.values import Json

SERVER_LISTS = (
    ("tools", "tools/list", "tools"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
)
"""Capability, method and member of the result, for each list."""
MOST_LIST_ATTEMPTS = 3
"""Times that the lists are fetched because the server announced a change meanwhile."""


@dataclass(frozen=True)
class ServerListing:
    """Everything that a server advertises, unchanged, under one protocol version."""

    protocol: str
    sdk: str
    """The SDK that connected to the server."""
    lists: dict[str, list[Json]]
    """Definitions by the member's name: `tools`, `resources`, `resourceTemplates`."""
    invalid_lines: tuple[str, ...] = ()
    """The first lines from the server that are not messages."""
    failed: tuple[str, ...] = ()
    """Lists of resources that the server could not give, with its error; a failed list of tools fails the query."""


async def fetch_listing(session: McpSession, sdk: str, clean_text: Callable[[str], str]) -> ServerListing:
    """Fetch all lists, again if the server announces a change meanwhile.

    Args:
        session: a session with a negotiated version.
        sdk: the name of the SDK, for the listing.
        clean_text: redacts and shortens a text from the server.

    Raises:
        ConnectionEnded, GarbledAnswer, RequestRefused: there is no list of tools.
        IntrospectionError: a list is not valid.
    """
    lists: dict[str, list[Json]] = {}
    failed: list[str] = []
    for _ in range(MOST_LIST_ATTEMPTS):
        session.changed = False
        session.meter.restart_definitions()
        failed.clear()
        for capability, method, member in SERVER_LISTS:
            lists[member] = []
            try:
                if member == "tools" or capability in session.capabilities:
                    lists[member] = await session.fetch_list(capability, method, member)
            except RequestRefused as error:
                if member == "tools":
                    raise
                failed.append(f"{method}: {clean_text(error.message)}")
        if not session.changed:
            break
    invalid_lines = tuple(clean_text(line) for line in session.invalid_lines)
    return ServerListing(session.protocol, sdk, lists, invalid_lines, tuple(failed))
