"""Handlers bound to resources, on whichever SDK is installed: what they get, and what arrives over the wire."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import importlib
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS, talk
from sdk.exchange import request_once as ask
from support.packages import get_types

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
SETTINGS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"theme": {"enum": ["light", "dark"]}, "size": {"type": "integer"}},
    "required": ["theme"],
    "additionalProperties": False,
}
RESOURCES: list[dict[str, Any]] = [
    {
        "name": "arrival_guide",
        "title": "Arrival",
        "uri": "guide://arrival.md",
        "description": "How to come in.",
        "mimeType": "text/markdown",
        "size": 12,
        "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"},
        "icons": [{"src": "https://example.test/a.png", "mimeType": "image/png", "sizes": ["48x48"]}],
        "_meta": {"example.test/shelf": 3},
    },
    {
        "name": "settings",
        "uri": "guide://settings.json",
        "mimeType": "application/json",
        "x-mcpgen": {"schema": SETTINGS_SCHEMA, "ttlMs": 60000, "cacheScope": "public"},
    },
    {"name": "chart", "uri": "guide://chart.png", "mimeType": "image/png"},
    {"name": "complete", "uri": "guide://complete"},
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "name": "log-page",
        "uriTemplate": "guide://log/{year}{?berth,class}",
        "description": "A year.",
        "annotations": {"priority": 1},
        "x-mcpgen": {"ttlMs": 5},
    },
    {"name": "file", "uriTemplate": "guide://files/{+path}", "mimeType": "text/plain"},
]
GUIDE = "guide://arrival.md"
Handler = Callable[..., Any]


def declare(definition: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in definition.items() if key != "x-mcpgen"}


def serve(generated: Any, **handlers: Handler) -> Any:
    """Return a server with some bound resources."""
    server = exchange.server()
    resources = generated.bind_resources(server)
    for name, handler in handlers.items():
        assert getattr(resources, name)(handler) is handler
    return server


def read(server: Any, uri: str, protocol: str = OLD) -> dict[str, Any]:
    return ask(server, "resources/read", protocol, uri=uri)


def fail(server: Any, uri: str, protocol: str = OLD) -> str:
    """Return the text of the protocol error that a read ends with."""
    error_type = exchange.named("mcp.shared.exceptions", "MCPError" if MODERN else "McpError")

    async def use(session: Any) -> str:
        with pytest.raises(error_type) as caught:
            await exchange.request(session, "resources/read", uri=uri)
        return str(caught.value)

    text: str = talk(server, use, protocol)
    return text


# --- listing ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", VERSIONS)
def test_bound_resources_are_listed_as_declared(generated: Any, protocol: str) -> None:
    names = "arrival_guide chart complete_ file log_page settings".split()
    server = serve(generated, **{name: lambda **_: "" for name in names})
    listed = ask(server, "resources/list", protocol)
    by_name = sorted(RESOURCES, key=lambda resource: str(resource["name"]))
    assert listed["resources"] == [declare(resource) for resource in by_name]
    templates = ask(server, "resources/templates/list", protocol)["resourceTemplates"]
    assert templates == [declare(TEMPLATES[1]), declare(TEMPLATES[0])]


def test_unbound_resources_are_not_listed(generated: Any) -> None:
    server = serve(generated, chart=lambda: b"")
    assert [resource["name"] for resource in ask(server, "resources/list")["resources"]] == ["chart"]
    assert ask(server, "resources/templates/list")["resourceTemplates"] == []
    if SDK == "dedalus":  # which knows no error for this
        assert read(server, "guide://settings.json")["contents"] == []
    else:
        assert "guide://settings.json" in fail(server, "guide://settings.json")


def test_resources_of_the_server_stay(generated: Any) -> None:
    def own() -> str:
        return "own"

    server = exchange.server()
    if SDK == "dedalus":
        server.collect(importlib.import_module("dedalus_mcp").resource("own://a")(own))
    else:
        server.resource("own://a")(own)
    generated.bind_resources(server).arrival_guide(lambda: "bound")
    listed = ask(server, "resources/list")["resources"]
    assert [str(resource["uri"]) for resource in listed] == ["own://a", GUIDE]
    assert read(server, "own://a")["contents"][0]["text"] == "own"
    assert read(server, GUIDE)["contents"][0]["text"] == "bound"


# --- reading ---------------------------------------------------------------------------------------------------------
@dataclasses.dataclass
class Settings:
    theme: str
    size: int | None = None


@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_json_value_arrives_as_declared(generated: Any, protocol: str) -> None:
    values = [generated.Settings(theme="dark", size=3), {"theme": "dark", "size": 3}, '{"theme":"dark","size":3}']
    for value in (*values, Settings("dark", 3)):
        answer = read(serve(generated, settings=lambda value=value: value), "guide://settings.json", protocol)
        (contents,) = answer.pop("contents")
        text = json.loads(contents.pop("text"))
        assert contents == {"uri": "guide://settings.json", "mimeType": "application/json"}
        assert text == {"theme": "dark", "size": 3}
        expected = {"resultType": "complete", "ttlMs": 60000, "cacheScope": "public"} if protocol == NEW else {}
        assert answer == expected


def test_the_rows_of_the_normalization_document_arrive(generated: Any) -> None:
    protocol = get_types(generated)
    text = {"uri": GUIDE, "mimeType": "text/markdown", "text": "x"}
    contents = protocol.TextResourceContents.model_validate(text)
    blob = base64.b64encode(b"x").decode()

    class Named:
        def __init__(self) -> None:
            self.name = "x"

        def __str__(self) -> str:
            return "named"

    rows: list[tuple[Any, list[dict[str, Any]]]] = [
        (protocol.ReadResourceResult.model_validate({"contents": [text]}), [text]),
        (contents, [text]),
        ([contents, contents], [text, text]),
        ({"text": "x"}, [text]),
        (b"x", [{"uri": GUIDE, "mimeType": "text/markdown", "blob": blob}]),
        ("x", [text]),
        (Settings("dark", 3), [{**text, "text": '{"theme":"dark","size":3}'}]),
        (Named(), [{**text, "text": "named"}]),
    ]
    for value, expected in rows:
        assert read(serve(generated, arrival_guide=lambda value=value: value), GUIDE)["contents"] == expected


def test_an_asynchronous_handler_is_awaited(generated: Any) -> None:
    async def chart() -> bytes:
        await asyncio.sleep(0)
        return b"png"

    (contents,) = read(serve(generated, chart=chart), "guide://chart.png")["contents"]
    assert contents == {"uri": "guide://chart.png", "mimeType": "image/png", "blob": base64.b64encode(b"png").decode()}


def test_variables_come_as_keyword_arguments_and_absent_ones_not_at_all(generated: Any) -> None:
    received: list[dict[str, Any]] = []

    def log_page(year: str, berth: str | None = "own", class_: str | None = "own") -> str:
        received.append({"year": year, "berth": berth, "class": class_})
        return "page"

    server = serve(generated, log_page=log_page)
    uri = "guide://log/2026?class=a%20b"
    (contents,) = read(server, uri)["contents"]
    assert contents == {"uri": uri, "mimeType": "text/plain", "text": "page"}
    read(server, "guide://log/1999")
    assert received == [
        {"year": "2026", "berth": "own", "class": "a b"},
        {"year": "1999", "berth": "own", "class": "own"},
    ]
    server = serve(generated, file=lambda path: path)
    assert read(server, "guide://files/a/b.txt")["contents"][0]["text"] == "a/b.txt"


@pytest.mark.parametrize("protocol", VERSIONS)
def test_members_for_caches_are_those_of_the_version(generated: Any, protocol: str) -> None:
    answer = read(serve(generated, log_page=lambda year, **_: year), "guide://log/1", protocol)
    del answer["contents"]
    assert answer == ({"resultType": "complete", "ttlMs": 5, "cacheScope": "private"} if protocol == NEW else {})
    result = {"contents": [{"uri": "x://y", "text": ""}], "_meta": {"a": 1}}
    module = get_types(generated)
    expected = module.ReadResourceResult.model_validate(result)
    answer = read(serve(generated, settings=lambda: expected), "guide://settings.json", protocol)
    cached = {"resultType": "complete", "ttlMs": 60000, "cacheScope": "public"} if protocol == NEW else {}
    assert answer == {**result, **cached}


def test_the_context_is_filled_in(generated: Any) -> None:
    received: list[str] = []

    def log_page(year: str, ctx: Any, **_: Any) -> str:
        received.append(type(ctx).__name__)
        return year

    log_page.__annotations__["ctx"] = exchange.context_type()
    read(serve(generated, log_page=log_page), "guide://log/1")
    assert received == ["Context"]


# --- errors ----------------------------------------------------------------------------------------------------------
def test_failures_of_handlers_are_logged_and_not_told(generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> str:
        raise RuntimeError("swordfish")

    with caplog.at_level(logging.ERROR):
        text = fail(serve(generated, arrival_guide=broken), GUIDE)
    assert "swordfish" not in text
    assert "Error reading resource guide://arrival.md" in text
    assert "swordfish" in caplog.text
    with caplog.at_level(logging.ERROR):
        text = fail(serve(generated, settings=lambda: {"theme": "mauve"}), "guide://settings.json")
    assert "mauve" not in text
    assert "theme\n" in caplog.text


def test_the_sdks_own_error_is_told(generated: Any) -> None:
    def refused() -> str:
        raise exchange.tool_error("closed for the night")

    assert "closed for the night" in fail(serve(generated, arrival_guide=refused), GUIDE)


def test_wrong_handlers_and_missing_ones_are_refused(generated: Any) -> None:
    server = exchange.server()
    resources = generated.bind_resources(server)
    with pytest.raises(TypeError, match=r"the handler of the resource log-page does not fit: .*'berth' may be absent"):
        resources.log_page(lambda year, berth, class_=None: year)
    with pytest.raises(TypeError, match="it takes no 'class_'"):
        resources.log_page(lambda year, berth=None: year)
    with pytest.raises(TypeError, match="'other' is not an argument of the resource"):
        resources.chart(lambda other: other)
    with pytest.raises(AttributeError, match="has no resource 'nothing'"):
        resources.nothing(lambda: "")
    resources.chart(lambda: b"")
    with pytest.raises(TypeError, match="the resource chart has a handler already"):
        resources.chart(lambda: b"")
    module = importlib.import_module(f"{generated.__name__}.server")
    with pytest.raises(module.IncompleteServer) as caught:
        resources.complete()
    assert caught.value.missing == ["arrival_guide", "complete", "file", "log-page", "settings"]
    assert "chart" in resources

    class Handlers:
        arrival_guide = staticmethod(lambda: "")
        complete_ = staticmethod(lambda: "")
        file = staticmethod(lambda path: path)
        log_page = staticmethod(lambda **variables: "")
        settings = staticmethod(lambda: {"theme": "dark"})

    resources.implement(Handlers())
    resources.complete()
    assert read(server, "guide://files/x")["contents"][0]["text"] == "x"


# --- typed client ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", VERSIONS)
def test_the_typed_client_reads_what_the_handler_returned(generated: Any, protocol: str) -> None:
    settings = generated.Settings(theme="light")
    server = serve(generated, settings=lambda: settings, log_page=lambda year, berth="no", **_: f"{year} {berth}")

    async def use(connection: Any) -> None:
        client = await generated.connect(connection)
        assert await client.resources.settings() == settings
        page = await client.resources.log_page(year="2026", berth="A 1")
        assert isinstance(page, generated.LogPage)
        assert page.contents[0].text == "2026 A 1"
        raw = await client.with_raw_response.resources.settings()
        assert json.loads(raw.result.contents[0].text) == {"theme": "light"}
        assert raw.parse() == settings
        with pytest.raises(TypeError, match="year"):
            await client.resources.log_page()

    talk(server, use, protocol)


def test_options_of_the_client_hold_for_resources_with_a_schema(generated: Any) -> None:
    protocol = get_types(generated)
    contents = protocol.TextResourceContents(uri="guide://settings.json", text='{"theme": 5}')
    server = serve(generated, settings=lambda: protocol.ReadResourceResult(contents=[contents]))

    async def use(connection: Any) -> None:
        client = await generated.connect(connection)
        with pytest.raises(generated.ResultError, match=r"^settings: /theme: should be ") as caught:
            await client.resources.settings()
        assert caught.value.result.contents[0].text == contents.text
        with pytest.raises(generated.ResultError, match="/theme"):
            (await client.with_raw_response.resources.settings()).parse()
        assert await client.with_options(on_invalid="raw").resources.settings() == {"theme": 5}
        with pytest.warns(UserWarning, match="settings: an invalid result was read: /theme") as warned:
            settings = await client.with_options(on_invalid="warn").resources.settings()
        assert (type(settings), settings.theme) == (generated.Settings, 5)
        assert [warning.filename for warning in warned] == [__file__], "it is about the line that reads the resource"
        assert await (await generated.connect(connection, on_invalid="raw")).resources.settings() == {"theme": 5}

    talk(server, use)


def test_the_sdks_client_reads_what_is_declared(generated: Any, tmp_path: Path) -> None:
    del tmp_path
    server = serve(generated, settings=lambda: {"theme": "dark"})
    uri: Any = "guide://settings.json"

    async def use(connection: Any) -> Any:
        return await connection.read_resource(uri)

    result = talk(server, use, NEW if MODERN else OLD)
    contents = result[0] if isinstance(result, list) else result.contents[0]
    assert json.loads(contents.text) == {"theme": "dark"}
    assert str(contents.uri) == uri
