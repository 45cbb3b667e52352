"""Lists of everything that a server advertises, fetched over a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.session import METHOD_NOT_FOUND_CODE, McpSession, RequestRefused
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
                    lists[member] = await fetch_pages(session, capability, method, member)
            except RequestRefused as error:
                if member == "tools":
                    raise
                failed.append(f"{method}: {clean_text(error.message)}")
        if not session.changed:
            break
    invalid_lines = tuple(clean_text(line) for line in session.invalid_lines)
    return ServerListing(session.protocol, sdk, lists, invalid_lines, tuple(failed))


async def fetch_pages(session: McpSession, capability: str, method: str, member: str) -> list[Json]:
    """Fetch all pages of a list; return an empty one where the server has no such list.

    Args:
        session: a session with a negotiated version.
        capability: the capability that a server with the list has.
        method: the method that returns a page.
        member: the member of the result that holds the list.

    Raises:
        ConnectionEnded, GarbledAnswer, RequestRefused: there is no result.
        IntrospectionError: the result is not a list, or the pages have no end.
    """
    definitions: list[Json] = []
    cursors: set[str] = set()
    params: dict[str, Json] = {}
    while True:
        session.meter.count_page(method, len(cursors) + 1)
        try:
            result = await session.send_request(method, params)
        except RequestRefused as error:
            is_optional = capability not in session.capabilities or member != "tools"
            if error.code == METHOD_NOT_FOUND_CODE and not definitions and is_optional:
                return []
            raise
        page, cursor = result.get(member), result.get("nextCursor")
        if not isinstance(page, list):
            raise IntrospectionError("MG708", f"the answer to {method} holds no list of {member}")
        session.meter.count_definitions(len(page))
        definitions += page
        if cursor is None:
            return definitions
        if not isinstance(cursor, str) or cursor in cursors:
            raise IntrospectionError("MG712", f"the pages of {method} have no end: a cursor comes again", "")
        cursors.add(cursor)
        params = {"cursor": cursor}
