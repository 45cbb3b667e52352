"""URIs that a stranger sends to bound resources: paths that lead out of a folder, however encoded, and endless ones."""

from __future__ import annotations

import asyncio
import logging
import ntpath
import posixpath
from typing import Any
from urllib.parse import unquote

import pytest
from sdk import exchange
from sdk.exchange import MODERN, SDK

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
RESOURCES = [{"name": "fixed", "uri": "fixed://x"}]
TEMPLATES: list[dict[str, Any]] = [
    {"name": "simple", "uriTemplate": "simple://x/{path}"},
    {"name": "reserved", "uriTemplate": "reserved://x/{+path}"},
    {"name": "query", "uriTemplate": "query://x{?path}"},
    {"name": "fragment", "uriTemplate": "fragment://x{#path}"},
    {"name": "semicolon", "uriTemplate": "semicolon://x{;path}"},
]
PREFIXES = {
    "simple": "simple://x/",
    "reserved": "reserved://x/",
    "query": "query://x?path=",
    "fragment": "fragment://x#",
    "semicolon": "semicolon://x;path=",
}
ESCAPES = {
    "up": "..%2Fsecret",
    "up in capitals": "%2E%2E%2Fsecret",
    "up with one dot encoded": ".%2E%2fsecret",
    "only up": "..",
    "up later": "a%2F..%2F..%2Fsecret",
    "up by backslashes": "..%5Csecret",
    "absolute": "%2Fetc%2Fpasswd",
    "absolute by a backslash": "%5C%5Cserver%5Cshare",
    "a drive": "C%3A%5Csecret",
    "a NUL": "a%00b",
    "encoded twice": "%252E%252E%252Fsecret",
}
HARMLESS = {
    "a name": "report.txt",
    "dots in a name": "1.0..2.0",
    "up and down inside": "a%2F..%2Fb",
    "a folder": "a%2Fb",
    "a percent sign": "100%25",
    "a folder, encoded twice": "a%252Fb",
    "nothing but dots": "...",
}


def serve(generated: Any, received_paths: list[str], **options: Any) -> Any:
    """Return a server whose handlers note the paths that they are called with."""

    def handler(path: str | None = None) -> str:
        received_paths.append(str(path))
        return "read"

    server = exchange.server()
    resources = generated.bind_resources(server, **options)
    for name in PREFIXES:
        getattr(resources, name)(handler)
    return server


def read(server: Any, *uris: str) -> list[str]:
    """Return what a client gets for each URI: the text, or that of the error."""

    async def use() -> list[str]:
        answers: list[str] = []
        async with exchange.connected(server) as connection:
            for uri in uris:
                try:
                    answer = await exchange.request(connection, "resources/read", uri=uri)
                    answers.append(str(answer["contents"][0]["text"]))
                except Exception as error:
                    answers.append(f"{type(error).__name__}: {error}")
        return answers

    return asyncio.run(use())


def leads_out(path: str) -> bool:
    """Return whether a path within a folder, decoded up to twice, is outside of it on some system."""
    texts = [path, unquote(path), unquote(unquote(path))]
    return any(
        "\0" in text
        or not ntpath.normpath(ntpath.join(r"D:\base", text)).startswith(r"D:\base")
        or not posixpath.normpath(posixpath.join("/base", text)).startswith("/base")
        for text in texts
    )


def test_no_handler_is_called_with_a_path_that_leads_out(generated: Any) -> None:
    received_paths: list[str] = []
    uris = [prefix + path for prefix in PREFIXES.values() for path in ESCAPES.values()]
    answers = read(serve(generated, received_paths), *uris)
    assert [path for path in received_paths if leads_out(path)] == []
    assert sum("Error" in answer for answer in answers) == len(uris) - len(received_paths)
    assert len(received_paths) <= 2  # mcp 1.x takes `/..` out of a URI


def test_other_paths_arrive(generated: Any) -> None:
    received_paths: list[str] = []
    uris = [prefix + path for prefix in PREFIXES.values() for path in HARMLESS.values()]
    assert read(serve(generated, received_paths), *uris) == ["read"] * len(uris)
    assert len(received_paths) == len(uris)


def test_a_path_is_decoded_once(generated: Any) -> None:
    received_paths: list[str] = []
    read(serve(generated, received_paths), "simple://x/a%252Fb")
    assert received_paths == ["a%2Fb"]


def test_a_variable_may_be_any_path(generated: Any) -> None:
    received_paths: list[str] = []
    server = serve(generated, received_paths, any_path={"path"})
    assert read(server, "simple://x/..%2Fsecret") == ["read"]
    assert received_paths == ["../secret"]


@pytest.mark.skipif(not MODERN, reason="these servers have no rules of their own")
def test_the_rules_of_the_server_count(generated: Any) -> None:
    rules = exchange.named("mcp.server.mcpserver", "ResourceSecurity")
    received_paths: list[str] = []

    def handler(path: str) -> str:
        received_paths.append(path)
        return "read"

    server = exchange.server(resource_security=rules(reject_absolute_paths=False))
    generated.bind_resources(server).simple(handler)
    answers = read(server, "simple://x/%2Fetc", "simple://x/..%2Fetc")
    assert answers[0] == "read"
    assert "Error" in answers[1]
    assert received_paths == ["/etc"]


def test_a_long_uri_is_not_repeated(generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    def handler(path: str) -> str:
        raise RuntimeError("private")

    server = exchange.server()
    generated.bind_resources(server).simple(handler)
    caplog.set_level(logging.WARNING, generated.__name__)
    [answer] = read(server, "simple://x/" + "a" * 200_000)
    assert "Error" in answer
    assert "private" not in answer
    assert len(answer) < 1_200
    assert all(len(record.getMessage()) < 4_096 for record in caplog.records)


def test_a_long_path_costs_little(generated: Any) -> None:
    received_paths: list[str] = []
    assert read(serve(generated, received_paths), "simple://x/" + "a%2F..%2F" * 20_000 + "b") == ["read"]
    assert len(received_paths[0]) > 80_000
