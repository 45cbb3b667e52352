"""Addresses: parsing, names for files, and what is shown of them."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import (
    Command,
    InProcess,
    Url,
    format_server_address,
    make_server_name,
    parse_server_address,
)
from support.secret_sources import KEY, T, W


@pytest.mark.parametrize(
    ("arguments", "source", "name"),
    [
        (["https://mcp.example.com/x/mcp"], Url("https://mcp.example.com/x/mcp"), "mcp-example-com"),
        (["HTTP://[::1]:8000/mcp"], Url("HTTP://[::1]:8000/mcp"), "1"),
        (["weather.server:mcp"], InProcess("weather.server", "mcp"), "weather-server"),
        (["weather:app.server"], InProcess("weather", "app.server"), "weather"),
        (["npx", "-y", "@scope/server-x@1.2"], Command(("npx", "-y", "@scope/server-x@1.2")), "server-x"),
        (["npx -y 'a b'"], Command(("npx", "-y", "a b")), "npx"),
        (["python3.11", "-m", "weather.server"], Command(("python3.11", "-m", "weather.server")), "weather-server"),
        (["python", "src/serve.py"], Command(("python", "src/serve.py")), "serve"),
        (["uvx", "mcp-server-git"], Command(("uvx", "mcp-server-git")), "mcp-server-git"),
        (["docker", "run", "-i", "--rm", "mcp/fetch"], Command(("docker", "run", "-i", "--rm", "mcp/fetch")), "fetch"),
        (["C:\\tools\\My Server.exe"], Command(("C:toolsMy", "Server.exe")), "c-toolsmy"),
        (["env A=b node /x/mine/dist/index.js"], Command(("env", "A=b", "node", "/x/mine/dist/index.js")), "mine"),
        (["node"], Command(("node",)), "node"),
    ],
)
def test_sources(arguments: list[str], source: Any, name: str) -> None:
    assert parse_server_address(arguments) == source
    assert make_server_name(source) == name


@pytest.mark.parametrize("arguments", [[], [""], ["'"], ["http://"], ["https:///path"], ["http://a:99999999/"]])
def test_what_names_no_server(arguments: list[str]) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_server_address(arguments)
    assert caught.value.code == "MG701"


def test_a_url_is_shown_without_its_secrets() -> None:
    url = parse_server_address(["https://me:s3cret@host:8000/mcp?key=s3cret#s3cret"])
    assert format_server_address(url) == "https://host:8000/mcp"
    assert format_server_address(parse_server_address(["npx", "server", "--token", "s3cret"])) == "server"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["npx", "-y", "@scope/server-x@1.2", "--api-key", KEY], "server-x"),
        (["uvx", "--from", f"git+https://{T}@example.com/x", "mcp-server-git==0.6"], "mcp-server-git"),
        (["docker", "run", "-i", "-e", f"A={KEY}", "mcp/fetch"], "fetch"),
        (["env", f"A={KEY}", "node", "/x/mine/dist/index.js", T], "mine"),
        (["python3.11", "-m", "weather.server", W], "weather-server"),
        (["uv", "run", "--directory", "/srv/weather", "serve.py"], "serve"),
        (["sh", "-c", f"run {T}"], "sh"),
        (["npx", "--unknown", "value", "some-server"], "npx"),
        ([T], "server"),
    ],
)
def test_the_name_of_a_command(command: list[str], name: str) -> None:
    assert make_server_name(parse_server_address(command)) == name


def test_a_url_that_was_shown_cannot_be_asked() -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_server_address(["https://example.com/…/mcp"])
    assert "give it as you know it" in caught.value.help


@pytest.mark.parametrize(
    "command", [[f"TOKEN={T}", "some-server"], [f"wss://{T}@example.com/mcp"], [f"postgres://a:{W}@b"]]
)
def test_what_is_no_command_is_not_repeated(command: list[str]) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_server_address(command)
    assert caught.value.code == "MG701"
    assert T not in caught.value.message + caught.value.help
    assert W not in caught.value.message + caught.value.help


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r"C:\Python\python.exe server.py", (r"C:\Python\python.exe", "server.py")),
        (
            r'"C:\Program Files\nodejs\npx.cmd" -y some-server',
            (r"C:\Program Files\nodejs\npx.cmd", "-y", "some-server"),
        ),
        (r"python server\new.py # 1", ("python", r"server\new.py", "#", "1")),
    ],
)
def test_backslashes_are_part_of_paths_on_windows(
    command: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    assert parse_server_address([command]) == Command(words)


def test_a_quote_that_is_never_closed_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(IntrospectionError, match="never closed"):
        parse_server_address([r'"C:\Program Files\nodejs'])
