"""Results that a server keeps as resources: their content links to them, and hosts read them on demand."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from .content import JSON_MIME_TYPE, RESOURCE_LINKS_SINCE, RESULT_TYPE_SINCE, make_resource
from .core_schemas import write_json_bytes
from .errors import cut_text
from .package import RESULTS_FOLDER

if TYPE_CHECKING:
    from .low_level import Handler, LowLevel, Request
    from .server_binding import BoundTool

logger = logging.getLogger(__name__)
_URI_BYTES = 400  # of what a client sent, in an error
_HOUR = 3_600
SCHEMA_KEY = "io.github.mcpgen/schema"
"""The member of a template's `_meta` with the schema of the results, as the tool declares it."""


class ResultStore(Protocol):
    """Keeps results until hosts read them: a table in a database, if several processes serve one client."""

    async def save(self, key: str, text: str) -> None:
        """Keep the JSON of a result under a new key, which nobody can guess."""
        ...

    async def load(self, key: str) -> str | None:
        """Return the JSON of a result; None if there is none, or none any more."""
        ...


class MemoryResultStore:
    """Keeps the newest results in the memory of this process."""

    def __init__(self, max_bytes: int = 64 * 2**20, max_seconds: float = _HOUR) -> None:
        """Take the size of all results together, in bytes of UTF-8, and how long one is kept."""
        self._max_bytes, self._max_seconds, self._size = max_bytes, max_seconds, 0
        self._results: dict[str, tuple[float, bytes]] = {}
        """By key, when each was saved, and its JSON, the oldest first."""

    async def save(self, key: str, text: str) -> None:
        """Keep the JSON of a result; the oldest ones make room for it."""
        self._results[key] = monotonic(), text.encode()
        self._size += len(self._results[key][1])
        self._drop_old()

    async def load(self, key: str) -> str | None:
        """Return the JSON of a result; None if there is none, or none any more."""
        self._drop_old()
        return self._results[key][1].decode() if key in self._results else None

    def _drop_old(self) -> None:
        oldest = monotonic() - self._max_seconds
        while self._results:
            key, (saved, text) = next(iter(self._results.items()))
            if saved >= oldest and (self._size <= self._max_bytes or len(self._results) == 1):
                return
            del self._results[key]
            self._size -= len(text)


class LinkedResults:
    """The results of a server's tools whose content is a link."""

    def __init__(self, tools: Mapping[str, BoundTool], store: ResultStore | None) -> None:
        """Take the bound tools by name, to which others may be added, and where their results are kept."""
        self._bound, self._store, self._is_served = tools, store or MemoryResultStore(), False
        self._low_level: LowLevel[Any]
        self._server: Any

    def connect(self, low_level: LowLevel[Any], server: Any) -> None:
        """Take the server whose tools they are."""
        self._low_level, self._server = low_level, server

    def serve(self) -> None:
        """Answer requests for the results, and list a template for those of each tool."""
        if not self._is_served:
            self._is_served = True
            for method in ("resources/list", "resources/templates/list", "resources/read"):
                earlier = self._low_level.get_handler(self._server, method)
                self._low_level.set_handler(self._server, method, self._make_handler(method, earlier))

    async def link(self, tool: BoundTool, value: Any, version: str) -> dict[str, Any]:
        """Keep a JSON value, and return the block that leads to it; see `make_reference`."""
        text, key = write_json_bytes(value).decode(), secrets.token_urlsafe(18)
        if version >= RESOURCE_LINKS_SINCE:
            await self._store.save(key, text)
        return make_reference(tool.tool, key, text, version)

    def _make_handler(self, method: str, earlier: Handler | None) -> Handler:
        async def list_page(request: Request) -> dict[str, Any]:
            page = await self._low_level.list_page(self._server, method, earlier, request)
            if method == "resources/templates/list" and request.is_first_page:
                linked = (tool for tool in self._bound.values() if tool.info.linked)
                page["resourceTemplates"] = [*page["resourceTemplates"], *map(_describe_results, linked)]
            return page

        async def read(request: Request) -> Any:
            uri = str(request.params.uri)
            folder, _, key = uri.rpartition("/")
            if folder not in {_make_uri(name)[:-1] for name, tool in self._bound.items() if tool.info.linked}:
                if earlier is not None:
                    return await earlier(request)
                raise self._make_error(uri, "")
            try:
                text = await self._store.load(key)
            except Exception:  # of the user's store
                logger.exception("The result %s cannot be loaded", cut_text(uri, _URI_BYTES))
                raise self._make_error(uri, ": the server cannot load this result") from None
            if text is None:
                raise self._make_error(uri, ": the server does not keep this result any more, so call the tool again")
            contents = {"contents": [{"uri": uri, "mimeType": JSON_MIME_TYPE, "text": text}]}
            caching = {"resultType": "complete", "ttlMs": _HOUR * 1000, "cacheScope": "private"}
            return {**contents, **(caching if request.version >= RESULT_TYPE_SINCE else {})}

        return read if method == "resources/read" else list_page

    def _make_error(self, uri: str, reason: str) -> Exception:
        low_level, short = self._low_level, cut_text(uri, _URI_BYTES)
        return low_level.make_error(
            low_level.unknown_resource, f"Resource not found: {short!r}{reason}", {"uri": short}
        )


def _make_uri(tool: str) -> str:
    return f"{RESULTS_FOLDER}{quote(tool, safe='')}/"


def make_reference(tool: str, key: str, text: str, version: str) -> dict[str, Any]:
    """Return a block that leads to the JSON of a tool's result, or holds it in a protocol version without links."""
    if version < RESOURCE_LINKS_SINCE:
        return make_resource(JSON_MIME_TYPE, "text", text)
    size = len(text.encode())
    described = {"description": f"The whole result of {tool}", "mimeType": JSON_MIME_TYPE, "size": size}
    return {"type": "resource_link", "uri": _make_uri(tool) + key, "name": f"{tool} result", **described}


def _describe_results(tool: BoundTool) -> dict[str, Any]:
    """Return the ResourceTemplate of a tool's results."""
    return {
        "name": f"{tool.tool} result",
        "uriTemplate": f"{_make_uri(tool.tool)}{{key}}",
        "description": f"A result of {tool.tool}, to which its content links. Its schema is in `_meta`.",
        "mimeType": JSON_MIME_TYPE,
        "_meta": {SCHEMA_KEY: tool.info.definition["outputSchema"]},
    }
