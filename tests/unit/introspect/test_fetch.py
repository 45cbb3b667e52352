"""Validated definitions with diagnostics."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.introspect import fetch
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.fetch import fetch_definitions
from mcpgen.introspect.listing import ServerListing
from mcpgen.introspect.server_address import Command
from support.listings import LIMITS
from support.packages import tool

QUERY = ServerQuery(Command(("serve",)), Credentials({}, {"TOKEN": "s3cret-s3cret"}), None)


def run(monkeypatch: pytest.MonkeyPatch, result: Any, *exclude: str) -> tuple[Any, list[tuple[str, str]]]:
    def query_server(query: Any, limits: Any) -> ServerListing:
        if isinstance(result, IntrospectionError):
            raise result
        return ServerListing("2025-11-25", "an SDK", {"tools": result})

    monkeypatch.setattr(fetch, "query_server", query_server)
    findings = Findings()
    definitions = fetch_definitions(QUERY, exclude, LIMITS, findings)
    return definitions, [(finding.code, finding.message) for finding in findings]


def test_valid_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    definitions, findings = run(monkeypatch, [tool("b"), tool("a"), tool("c")], "c")
    assert [definition["name"] for definition in definitions.tools] == ["a", "b"]
    assert findings == []


def test_a_failed_query_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, IntrospectionError("MG706", "late")) == (None, [("MG706", "late")])


def test_secrets_are_neither_shown_nor_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    definitions, findings = run(monkeypatch, [{"name": "s3cret-s3cret"}])
    assert definitions is None
    assert [code for code, _ in findings] == ["MG710"]
    assert "***" in findings[0][1]
    definitions, findings = run(monkeypatch, [tool("a", description="uses s3cret-s3cret")])
    assert definitions is None
    assert [code for code, _ in findings] == ["MG715"]
