"""Options about a running server, as queries."""

from __future__ import annotations

import pytest
import typer
from mcpgen.commands.server_options import CallOptions, DiffQueryOptions, QueryOptions, ServerCheckOptions
from mcpgen.diagnostics import Findings
from mcpgen.introspect.server_address import Command, Url
from support.documents import list_messages


def test_queries_carry_the_options() -> None:
    findings = Findings()
    query = QueryOptions(header=["X: y"], timeout=3, protocol="2025-06-18").make_query(["https://a.test/mcp"], findings)
    assert query is not None
    assert (query.source, query.credentials.headers) == (Url("https://a.test/mcp"), {"X": "y"})
    assert (query.timeout, query.protocol) == (3, "2025-06-18")
    for options in (DiffQueryOptions(env=["A=b"]), ServerCheckOptions(env=["A=b"]), CallOptions(env=["A=b"])):
        match options:
            case DiffQueryOptions():
                query = options.make_query(["serve it"], findings)
            case ServerCheckOptions():
                query = options.make_query("serve it", None, findings)
            case CallOptions():
                query = CallOptions(server="serve it", env=["A=b"]).make_query(findings)
        assert query is not None
        assert isinstance(query.source, Command)
        assert query.credentials.env == {"A": "b"}
    assert list_messages(findings) == []


def test_malformed_options_are_findings() -> None:
    findings = Findings()
    assert QueryOptions(header=["X"]).make_query(["https://a.test/mcp"], findings) is None
    assert CallOptions(server="https://a.test/mcp", env=["A=b"]).make_query(findings) is None
    assert [code for code, _ in list_messages(findings)] == ["MG701", "MG701"]


@pytest.mark.parametrize("options", [{"call": ["a"]}, {"header": ["X: y"]}, {"env": ["A"]}, {"timeout": 3.0}])
def test_options_without_a_server(options: dict[str, list[str]]) -> None:
    assert CallOptions().make_query(Findings()) is None
    with pytest.raises(typer.BadParameter, match="--server"):
        CallOptions(**options).make_query(Findings())  # type: ignore[arg-type]
