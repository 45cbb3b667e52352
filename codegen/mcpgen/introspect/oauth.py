"""Authorisation by the SDK's OAuth flow (MCP, Authorization): a login in the browser, then stored tokens."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
import webbrowser
from collections.abc import AsyncGenerator, MutableMapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcpgen.files.private_folders import find_user_folder, prepare_folder
from mcpgen.files.regular_files import read_regular
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import Url, format_server_address
from mcpgen.introspect.transports import list_closed_errors
from mcpgen.report.visible import format_lines
from mcpgen.schema.values import Json
from mcpgen.targets import AUTH_MODULE, AUTH_TYPES_MODULE

LOGIN_SECONDS = 300.0
"""Seconds that somebody has to log in, in addition to those for the query."""
_HOST = "127.0.0.1"
_REQUEST_SECONDS = 10.0
_MOST_REQUEST_BYTES = 16 * 1024
_MOST_STORED_BYTES = 256 * 1024
_PAGE = b"mcpgen has what it needs. You can close this page."
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b"


@asynccontextmanager
async def open_authorisation(url: Url, secrets: MutableMapping[str, str]) -> AsyncGenerator[Any]:
    """Yield the SDK's authentication for an HTTP client; it listens for the browser's answer, and collects secrets."""
    anyio: Any = importlib.import_module("anyio")
    module: Any = importlib.import_module(AUTH_MODULE)
    types: Any = importlib.import_module(AUTH_TYPES_MODULE)
    storage = _TokenFile(_find_token_file(url), types, secrets)
    listener = await _listen(anyio, storage.port)
    storage.port = listener.extra(anyio.abc.SocketAttribute.local_port)
    metadata = types.OAuthClientMetadata(
        client_name="mcpgen",
        redirect_uris=[storage.redirect_uri],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    )
    receive_code = partial(_receive_code, listener, getattr(module, "AuthorizationCodeResult", None), url)
    async with listener:
        yield module.OAuthClientProvider(url.text, metadata, storage, _show_login_page, receive_code)


async def _listen(anyio: Any, port: int) -> Any:
    """Return a listener on the port of the registered redirect URI, or on any if that is taken."""
    with suppress(OSError):
        return (await anyio.create_tcp_listener(local_host=_HOST, local_port=port)).listeners[0]
    return (await anyio.create_tcp_listener(local_host=_HOST)).listeners[0]


async def _show_login_page(address: str) -> None:
    if urlsplit(address).scheme not in ("http", "https"):
        raise IntrospectionError("MG707", "the server names a page to log in that is not on the web")
    sys.stderr.write(format_lines([f"log in to the server, in the browser: {address}"]))
    sys.stderr.flush()
    # some browsers end only after the page has been left, and the answer comes before
    Thread(target=webbrowser.open, args=(address,), daemon=True).start()


async def _receive_code(listener: Any, result_type: Any, url: Url) -> Any:
    """Return the redirection's code and state (RFC 6749, 4.1.2), as the SDK's type, or as a pair without one."""
    while True:
        target = await _answer_request(await listener.accept())
        members = {name: values[0] for name, values in parse_qs(target.partition("?")[2]).items()}
        if "error" in members:
            message = f"{format_server_address(url)} is not authorised: {members['error'][:100]}"
            raise IntrospectionError("MG707", message, "run this again, and allow it")
        if "code" in members:
            code, state = members["code"], members.get("state")
            if result_type is None:
                return code, state
            return result_type(code=code, state=state, iss=members.get("iss"))


async def _answer_request(stream: Any) -> str:
    """Answer an HTTP request and return its target; an empty one if what was sent is no request."""
    anyio: Any = importlib.import_module("anyio")
    data = b""
    async with stream:
        with anyio.move_on_after(_REQUEST_SECONDS), suppress(*list_closed_errors()):
            while b"\r\n\r\n" not in data and len(data) < _MOST_REQUEST_BYTES:
                data += await stream.receive()
            await stream.send(_ANSWER % (len(_PAGE), _PAGE))
    return data.split(b" ")[1].decode("ascii", "replace") if data.count(b" ") else ""


def _find_token_file(url: Url) -> Path | None:
    state = find_user_folder("state")
    if state is None or not prepare_folder(state) or not prepare_folder(state / "oauth"):
        return None
    return state / "oauth" / f"{hashlib.sha256(url.text.encode()).hexdigest()[:32]}.json"


class _TokenFile:
    def __init__(self, path: Path | None, types: Any, secrets: MutableMapping[str, str]) -> None:
        self._path, self._types, self._secrets = path, types, secrets
        self._content = self._read()
        port = self._content.get("port")
        self._stored_port: int = port if isinstance(port, int) and 0 < port < 2**16 else 0
        self.port: int = self._stored_port
        """The port of the redirect URI; 0: any."""

    @property
    def redirect_uri(self) -> str:
        return f"http://{_HOST}:{self.port}/callback"

    async def get_tokens(self) -> Any:
        return self._parse("tokens", self._types.OAuthToken)

    async def set_tokens(self, tokens: Any) -> None:
        self._store("tokens", tokens)

    async def get_client_info(self) -> Any:
        """Return the registered client; None without one, or if it was registered with another redirect URI."""
        is_same = self.port == self._stored_port
        return self._parse("client", self._types.OAuthClientInformationFull) if is_same else None

    async def set_client_info(self, client_info: Any) -> None:
        self._stored_port = self.port
        self._store("client", client_info)

    def _parse(self, member: str, model: Any) -> Any:
        value = self._content.get(member)
        try:
            parsed = None if value is None else model.model_validate(value)
        except ValueError:
            return None
        self._note_secrets(value)
        return parsed

    def _store(self, member: str, model: Any) -> None:
        self._content[member] = model.model_dump(mode="json", exclude_none=True)
        self._content["port"] = self.port
        self._note_secrets(self._content[member])
        if self._path is not None:
            new_path = self._path.with_suffix(".new")
            with suppress(OSError):
                handle = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(self._content, file)
                os.replace(new_path, self._path)

    def _note_secrets(self, value: Json) -> None:
        for name, secret in value.items() if isinstance(value, dict) else ():
            if name in ("access_token", "refresh_token", "id_token", "client_secret") and isinstance(secret, str):
                self._secrets[name] = secret

    def _read(self) -> dict[str, Json]:
        if self._path is None:
            return {}
        try:
            content: Json = json.loads(read_regular(self._path, _MOST_STORED_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}
