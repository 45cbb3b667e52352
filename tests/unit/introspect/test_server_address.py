"""Addresses of servers, and what starts them."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import (
    Command,
    InProcess,
    Url,
    find_program,
    format_server_address,
    is_harmless,
    is_path,
    is_plain,
    make_server_name,
    parse_server_address,
    redact_url,
    strip_program_path,
)
from mcpgen.introspect.server_query import parse_credentials
from support.secret_sources import HEX, KEY, T, W


# --- addresses: parsing, names for files, and what is shown of them ---------------------------------------------------
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


# --- what is shown of URLs, and which words are plain or harmless -----------------------------------------------------
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://mcp.example.com/mcp", "https://mcp.example.com/mcp"),
        ("https://example.com:8443/api/v1/mcp/sse", "https://example.com:8443/api/v1/mcp/sse"),
        ("http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
        (f"https://me:{W}@h.example.com/weather/mcp?x=1#y", "https://h.example.com/…/mcp"),
        (f"https://{HEX}.example.com/", "https://….example.com/"),
    ],
)
def test_what_is_shown_of_a_url(url: str, expected: str) -> None:
    assert redact_url(url) == expected


def test_plain_words_look_like_names() -> None:
    assert all(map(is_plain, ("weather", "mcp-server-git", "a.b_c", "server2", "x@1.2")))
    assert not any(map(is_plain, ("", "a1b2c3", KEY, "x" * 40, "a-b-c-d-e-f-g-h-i", "a/b")))


def test_harmless_values_are_numbers_and_common_words() -> None:
    assert all(map(is_harmless, ("8000", "0.5", "STDIO", "true")))
    assert not any(map(is_harmless, ("123456789", "weather", "")))


def test_paths_have_plain_segments() -> None:
    assert all(map(is_path, ("./data/weather", "/usr/bin", "~/x")))
    assert not any(map(is_path, ("weather", "https://a/b", "/", f"/a/{KEY}")))


# --- the word of a command that names its server ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("npx -y some-server --key x", "some-server"),
        ("npm exec some-server", "some-server"),
        ("npm install", "npm"),
        ("python3.12 -m weather.server", "weather.server"),
        ("uv run --directory /srv serve.py", "serve.py"),
        ("uv tool run tool-server", "tool-server"),
        ("docker run -i -e KEY mcp/fetch", "mcp/fetch"),
        ("docker run --unknown value mcp/fetch", "docker"),
        ("java -jar server.jar", "server.jar"),
        ("env A=b nohup node -- index.js", "index.js"),
        ("A=b C=d my-server", "my-server"),
        ("A=b", ""),
        ("npx https://example.com/x", "npx"),
        ("/opt/bin/my-server --flag", "/opt/bin/my-server"),
    ],
)
def test_programs(command: str, program: str) -> None:
    assert find_program(command.split()) == program


def test_paths_and_suffixes_are_stripped() -> None:
    assert strip_program_path("C:\\Tools\\NPX.cmd") == "npx"
    assert strip_program_path("/usr/bin/node") == "node"


# --- parsing of headers and environment variables ---------------------------------------------------------------------
def test_headers_and_environment() -> None:
    environ = {"TOKEN": "Bearer abc", "PASSED": "on"}
    credentials = parse_credentials(
        ["X-One: 1", "X-Two:a:b"], ["Authorization=TOKEN"], ["A=b=c", "PASSED", "EMPTY="], environ
    )
    assert credentials.headers == {"X-One": "1", "X-Two": "a:b", "Authorization": "Bearer abc"}
    assert credentials.env == {"A": "b=c", "PASSED": "on", "EMPTY": ""}
    assert "abc" not in repr(credentials)


@pytest.mark.parametrize(
    ("headers", "headers_env", "env"),
    [
        (["s3cret"], [], []),
        (["a b: s3cret"], [], []),
        (["A: s3cret\nB: s3cret"], [], []),
        (["A: s3cret\u00fc"], [], []),
        ([], ["s3cret"], []),
        ([], ["Authorization=s3cret"], []),
        ([], [], ["=s3cret"]),
        ([], [], ["s3cret-s3cret"]),
    ],
)
def test_what_is_malformed_is_not_printed(headers: list[str], headers_env: list[str], env: list[str]) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_credentials(headers, headers_env, env, {})
    assert caught.value.code == "MG701"
    assert "s3cret" not in caught.value.message + caught.value.help


@pytest.mark.parametrize(
    ("variable", "shown"),
    [("SHOP_TOKEN", '"SHOP_TOKEN"'), ("AKIA7Q3F9ZXV2", "…"), ("ghp_abcdefgh", "…"), ("Bearer abc", "…")],
)
def test_a_variable_that_is_not_set_is_named_unless_it_may_be_the_secret(variable: str, shown: str) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_credentials([], [f"Authorization={variable}"], [], {})
    expected = f'the environment variable {shown} for the header "Authorization" is not set'
    assert caught.value.message == expected
    assert caught.value.help.startswith("set it to the whole value of the header")
