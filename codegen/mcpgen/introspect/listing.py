"""Lists of everything that a server advertises, fetched over a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.session import METHOD_NOT_FOUND_CODE, McpSession, RequestRefused
from mcpgen.schema.values import Json

SERVER_LISTS = (
    ("tools", "tools/list", "tools"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
    ("prompts", "prompts/list", "prompts"),
)
"""Capability, method and member of the result, for each list."""
_OTHER_CAPABILITIES = {
    "completions": "completions",
    "logging": "log messages",
    "tasks": "tasks",
}
"""Capabilities without a list, and how messages name them."""
MOST_NAMED_EXTENSIONS = 5
"""Extensions of a server that are named."""
MOST_LIST_ATTEMPTS = 3
"""Times that the lists are fetched because the server announced a change meanwhile."""


@dataclass(frozen=True)
class ServerListing:
    """Everything that a server advertises, unchanged, under one protocol version."""

    protocol: str
    sdk: str
    """The SDK that connected to the server."""
    lists: dict[str, list[Json]]
    """Definitions by the member's name: `tools`, `resources`, `resourceTemplates`, `prompts`."""
    invalid_lines: tuple[str, ...] = ()
    """The first lines from the server that are not messages."""
    failed: tuple[str, ...] = ()
    """Lists that the server could not give, with its error; a failed list of tools fails the query."""
    instructions: str = ""
    """What the server says of how to use it; empty if it says nothing."""
    left_out: tuple[str, ...] = ()
    """What else the server offers, which no definition can hold."""
    doubled: tuple[str, ...] = ()
    """A sentence for each bound handler that also has the SDK's decorator, if the server runs in this process."""


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
    left_out = tuple(map(clean_text, _list_other_capabilities(session.capabilities)))
    return ServerListing(session.protocol, sdk, lists, invalid_lines, tuple(failed), session.instructions, left_out)


def _list_other_capabilities(capabilities: dict[str, Json]) -> Iterator[str]:
    """Yield what a server offers besides its lists."""
    for name, description in _OTHER_CAPABILITIES.items():
        if name in capabilities:
            yield description
    resources = capabilities.get("resources")
    if isinstance(resources, dict) and resources.get("subscribe") is True:
        yield "subscriptions to resources"
    for group in ("extensions", "experimental"):
        members = capabilities.get(group)
        if isinstance(members, dict) and members:
            yield f"{group} ({', '.join([*members][:MOST_NAMED_EXTENSIONS])})"


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
