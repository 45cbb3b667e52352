"""Sessions over a scripted wire."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.session import ConnectionEnded, McpSession
from support.scripted_wire import METHOD_NOT_FOUND, ScriptedWire

TOOLS: dict[str, Any] = {"tools": {}}


def make_session(answers: dict[str, list[Any]], **state: Any) -> tuple[McpSession, ScriptedWire]:
    wire = ScriptedWire(answers)
    return McpSession(wire, Meter(Limits.model_validate({})), **state), wire


def test_discovery() -> None:
    session, wire = make_session(
        {"server/discover": [{"supportedVersions": ["2026-07-28"], "capabilities": TOOLS}], "x": [{}]}
    )
    assert anyio.run(session.discover)
    assert (session.protocol, session.capabilities) == ("2026-07-28", TOOLS)
    anyio.run(session.send_request, "x", {})
    assert wire.sent[-1]["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert wire.headers[-1] == {"mcp-protocol-version": "2026-07-28", "mcp-method": "x"}


@pytest.mark.parametrize("answer", [{"error": METHOD_NOT_FOUND}, {}, {"supportedVersions": ["2030-01-01"]}])
def test_older_servers_cannot_be_discovered(answer: Any) -> None:
    session, _ = make_session({"server/discover": [answer]})
    assert not anyio.run(session.discover)
    assert session.protocol == ""


NEWER = ("2026-07-28", "2030-01-01")


def test_the_newest_version_that_both_sides_know_is_chosen() -> None:
    session, wire = make_session(
        {"server/discover": [{"supportedVersions": [*NEWER], "capabilities": TOOLS}], "x": [{}]}
    )
    assert anyio.run(session.discover, NEWER)
    assert (session.protocol, len(wire.sent)) == ("2030-01-01", 1)
    anyio.run(session.send_request, "x", {})
    assert wire.sent[-1]["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2030-01-01"
    assert wire.headers[-1] == {"mcp-protocol-version": "2030-01-01", "mcp-method": "x"}


def test_a_server_that_refuses_the_newest_version_is_asked_again_with_its_own() -> None:
    refusal = {"code": -32022, "message": "no", "data": {"requested": "2030-01-01", "supported": ["2026-07-28"]}}
    discovery = {"supportedVersions": ["2026-07-28"], "capabilities": TOOLS}
    session, wire = make_session({"server/discover": [{"error": refusal}, discovery]})
    assert anyio.run(session.discover, NEWER)
    assert (session.protocol, session.capabilities) == ("2026-07-28", TOOLS)
    assert [headers["mcp-protocol-version"] for headers in wire.headers] == ["2030-01-01", "2026-07-28"]


def test_the_handshake() -> None:
    session, wire = make_session({"initialize": [{"protocolVersion": "2025-06-18", "capabilities": TOOLS}]})
    anyio.run(session.initialize, "2025-11-25")
    assert (session.protocol, session.capabilities) == ("2025-06-18", TOOLS)
    assert wire.sent[0]["params"]["protocolVersion"] == "2025-11-25"
    assert wire.sent[1] == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert wire.headers == [{}, {"mcp-protocol-version": "2025-06-18"}]


def test_an_unknown_version_is_refused() -> None:
    session, _ = make_session({"initialize": [{"protocolVersion": "1999-01-01"}]})
    with pytest.raises(IntrospectionError, match='names "1999-01-01"'):
        anyio.run(session.initialize, "2025-11-25")


def test_requests_from_the_server_are_replied_to_and_changes_noticed() -> None:
    before = [
        {"method": "ping", "id": 7},
        {"method": "roots/list", "id": 8},
        {"method": "notifications/tools/list_changed"},
        {"id": "stale", "result": {}},
    ]
    session, wire = make_session({"x": [[*before, {"a": 1}]]})
    assert anyio.run(session.send_request, "x", {}) == {"a": 1}
    assert [(message["id"], "result" in message) for message in wire.sent[1:]] == [(7, True), (8, False)]
    assert session.changed
    assert session.pending_method == "x"


def test_invalid_messages_are_kept() -> None:
    session, _ = make_session({"x": [["Welcome!", {"a": 1}]]})
    assert anyio.run(session.send_request, "x", {}) == {"a": 1}
    assert session.invalid_lines == ["Welcome!"]


def test_the_end_of_the_connection() -> None:
    session, _ = make_session({"x": [None]})
    with pytest.raises(ConnectionEnded):
        anyio.run(session.send_request, "x", {})
