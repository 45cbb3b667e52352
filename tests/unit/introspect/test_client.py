"""Queries of scripted servers: negotiation, a second attempt, failures in words."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.introspect import client
from mcpgen.introspect.client import query_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import Command, Url
from mcpgen.introspect.server_query import Credentials, ServerQuery, parse_server_query
from mcpgen.introspect.transports import SdkTransports
from support.scripted_wire import ScriptedTransports, ScriptedWire

URL = Url("https://example.com/mcp")
LIST = {"tools/list": [{"tools": [{"name": "a"}]}]}
DISCOVERY: dict[str, Any] = {"server/discover": [{"supportedVersions": ["2026-07-28"], "capabilities": {}}], **LIST}
HANDSHAKE: dict[str, Any] = {"initialize": [{"protocolVersion": "2025-06-18", "capabilities": {}}], **LIST}


def query(
    monkeypatch: pytest.MonkeyPatch, *scripts: dict[str, list[Any]], protocol: str | None = None, discovery: bool = True
) -> Any:
    """Return the version of a listing, or the code and message of an error, and the connections."""
    wires = iter([ScriptedWire(script) for script in scripts])
    transports = ScriptedTransports(lambda: next(wires), discovery)

    def select_transports() -> SdkTransports:
        return transports

    monkeypatch.setattr(client, "select_transports", select_transports)
    try:
        listing = query_server(ServerQuery(URL, Credentials({"X": "s3cret-s3cret"}), 5.0, protocol))
    except IntrospectionError as error:
        return error.code, error.message, transports.opened
    assert listing.lists["tools"] == [{"name": "a"}]
    return listing.protocol, transports.opened


def test_negotiation(monkeypatch: pytest.MonkeyPatch) -> None:
    assert query(monkeypatch, DISCOVERY) == ("2026-07-28", 1)
    assert query(monkeypatch, HANDSHAKE) == ("2025-06-18", 1)
    assert query(monkeypatch, {**DISCOVERY, **HANDSHAKE}, discovery=False) == ("2025-06-18", 1)


def test_a_version_without_a_handshake_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "STATELESS_PROTOCOLS", ("2026-07-28", "2030-01-01"))
    answers = {
        **DISCOVERY,
        "server/discover": [{"supportedVersions": ["2026-07-28", "2030-01-01"], "capabilities": {}}],
    }
    assert query(monkeypatch, answers) == ("2030-01-01", 1)
    assert query(monkeypatch, answers, protocol="2026-07-28") == ("2026-07-28", 1)


def test_a_server_that_ends_at_discovery_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert query(monkeypatch, {"server/discover": [None]}, HANDSHAKE) == ("2025-06-18", 2)


def test_a_version_that_is_not_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = "2026-07-28", "2025-11-25"
    message = f"the server does not speak {new}"
    assert query(monkeypatch, HANDSHAKE, protocol=new) == ("MG709", message, 1)
    message = f"the installed an SDK does not speak {new}"
    assert query(monkeypatch, HANDSHAKE, protocol=new, discovery=False) == ("MG709", message, 0)
    message = f"the server does not speak {old}, but 2025-06-18"
    assert query(monkeypatch, HANDSHAKE, protocol=old) == ("MG709", message, 1)


def test_failures_are_described_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = {"error": {"code": 1, "message": "no s3cret-s3cret here"}}
    script = {**HANDSHAKE, "tools/list": [refusal]}
    message = "the server answers tools/list with an error: no *** here"
    assert query(monkeypatch, script) == ("MG708", message, 1)
    message = "the server closed the connection before it answered tools/list"
    assert query(monkeypatch, {**HANDSHAKE, "tools/list": [None]}) == ("MG705", message, 1)


def test_options_become_a_query() -> None:
    parsed = parse_server_query(["https://example.com/mcp"], ["A: b"], [], [], 3.0, "2025-11-25")
    assert parsed == ServerQuery(URL, Credentials({"A": "b"}), 3.0, "2025-11-25")
    assert parse_server_query(["serve", "it"], [], [], ["A=b"], None, None).source == Command(("serve", "it"))


@pytest.mark.parametrize(
    ("command", "headers", "env", "protocol"),
    [(["serve"], ["A: b"], [], None), (["https://example.com"], [], ["A=b"], None), (["serve"], [], [], "2025-01-01")],
)
def test_options_that_do_not_fit(command: list[str], headers: list[str], env: list[str], protocol: str | None) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_server_query(command, headers, [], env, None, protocol)
    assert caught.value.code == "MG701"
