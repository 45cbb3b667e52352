"""The parts of a login. A whole one is in `tests/commands/test_many_servers.py`."""

from __future__ import annotations

import json
import os
import stat
import webbrowser
from pathlib import Path
from typing import Any

import pytest
from mcpgen.introspect import oauth
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.oauth import open_authorisation
from mcpgen.introspect.server_address import Url

anyio: Any = pytest.importorskip("anyio", reason="no MCP SDK is installed")
types: Any = pytest.importorskip("mcp.shared.auth", reason="no MCP SDK is installed")
pytest.importorskip("mcp.client.auth.oauth2", reason="the installed SDK has no OAuth")

URL = Url("https://a.example/mcp")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "mcpgen"


def receive(*requests: bytes) -> Any:
    """Return what a login comes to if the browser sends these requests."""

    async def log_in() -> Any:
        async with open_authorisation(URL, {}) as provider:
            context = provider.context
            port = context.client_metadata.redirect_uris[0].port

            async def browse() -> None:
                for request in requests:
                    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                        await stream.send(request)
                        if request.endswith(b"\r\n\r\n"):
                            assert (await stream.receive()).startswith(b"HTTP/1.1 200 OK")

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(browse)
                with anyio.fail_after(20):
                    return await context.callback_handler()

    try:
        return anyio.run(log_in)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


def get(target: str) -> bytes:
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def test_the_code_comes_from_the_browser() -> None:
    received = receive(get("/favicon.ico"), get("/callback?code=c%2F1&state=s"))
    pair = received if isinstance(received, tuple) else (received.code, received.state)
    assert pair == ("c/1", "s")


JUNK = [b"", b"GET /", b"\r\n\r\n", b"\xff \xff\r\n\r\n", b"GET http://[ HTTP\r\n\r\n"]


@pytest.mark.parametrize("request_bytes", JUNK)
def test_what_is_no_answer_is_ignored(request_bytes: bytes) -> None:
    received = receive(request_bytes, get("/callback?code=1"))
    assert (received[0] if isinstance(received, tuple) else received.code) == "1"


def test_a_refusal() -> None:
    with pytest.raises(IntrospectionError) as raised:
        receive(get("/callback?error=access_denied&error_description=x"))
    assert (raised.value.code, raised.value.message) == (
        "MG707",
        "https://a.example/mcp is not authorised: access_denied",
    )


@pytest.mark.parametrize("page", ["file:///etc/passwd", "javascript:alert(1)", "x"])
def test_a_page_that_is_not_on_the_web_is_not_opened(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)

    async def show() -> None:
        async with open_authorisation(URL, {}) as provider:
            await provider.context.redirect_handler(page)

    with pytest.raises(IntrospectionError, match="not on the web"):
        anyio.run(show)
    assert opened == []


def test_tokens_are_kept_in_a_private_file_and_are_secret(state: Path) -> None:
    secrets: dict[str, str] = {}

    async def store() -> None:
        async with open_authorisation(URL, secrets) as provider:
            storage = provider.context.storage
            await storage.set_tokens(types.OAuthToken(access_token="a-1", refresh_token="r-1"))
            registered = {"client_id": "me", "redirect_uris": provider.context.client_metadata.redirect_uris}
            await storage.set_client_info(types.OAuthClientInformationFull(**registered))

    anyio.run(store)
    assert secrets == {"access_token": "a-1", "refresh_token": "r-1"}
    (file,) = (state / "oauth").iterdir()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (state, state / "oauth", file)] == [0o700, 0o700, 0o600]
    secrets.clear()

    async def load(url: Url) -> tuple[Any, Any]:
        async with open_authorisation(url, secrets) as provider:
            storage = provider.context.storage
            return await storage.get_tokens(), await storage.get_client_info()

    tokens, client = anyio.run(load, URL)
    assert (tokens.access_token, client.client_id) == ("a-1", "me")
    assert secrets == {"access_token": "a-1", "refresh_token": "r-1"}
    assert anyio.run(load, Url("https://b.example/mcp")) == (None, None)


@pytest.mark.parametrize(
    "content", ["", "[]", "{", json.dumps({"tokens": 1, "client": "x", "port": []}), '{"port": 99999}']
)
def test_a_damaged_file_counts_as_none(state: Path, content: str) -> None:
    for folder in (state, state / "oauth"):
        folder.mkdir(mode=0o700)
    path = oauth._find_token_file(URL)  # pyright: ignore[reportPrivateUsage]
    assert path is not None
    path.write_text(content)

    async def load() -> tuple[Any, Any]:
        async with open_authorisation(URL, {}) as provider:
            return await provider.context.storage.get_tokens(), await provider.context.storage.get_client_info()

    assert anyio.run(load) == (None, None)


def test_a_client_is_registered_again_if_its_port_is_taken(state: Path) -> None:
    async def store_and_load() -> tuple[Any, Any]:
        async with open_authorisation(URL, {}) as first:
            info = types.OAuthClientInformationFull(
                client_id="me", redirect_uris=first.context.client_metadata.redirect_uris
            )
            await first.context.storage.set_client_info(info)
            async with open_authorisation(URL, {}) as second:
                taken = await second.context.storage.get_client_info()
        async with open_authorisation(URL, {}) as third:
            return taken, (await third.context.storage.get_client_info()).client_id

    assert anyio.run(store_and_load) == (None, "me")
    assert os.listdir(state) == ["oauth"]
