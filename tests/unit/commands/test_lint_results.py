"""Rules about results in hosts name the hosts that the table and the readings are about."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.hosts.conversions import read_as
from mcpgen.hosts.table import HOSTS, find_covered_hosts
from mcpgen.lint.linter import LINT_RULES

CLIENTS = {rule.code: {*rule.clients} for rule in LINT_RULES}
BY_PROGRAM = {"fastmcp", "mcp"}
"""Clients of SDKs, whose programs decide what models read."""


def test_hosts_that_hide_texts_are_those_of_the_table() -> None:
    assert CLIENTS["MG951"] == {host.name for host in HOSTS if host.structured_rule in ("instead", "instead of text")}


def test_hosts_that_show_values_are_those_whose_readings_do() -> None:
    wire: dict[str, Any] = {"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}
    shown = {
        host.name
        for host in HOSTS
        if any("structuredContent" in item.sources for item in read_as(host.name, wire, "t").items)
    }
    assert CLIENTS["MG952"] == shown - BY_PROGRAM


def test_hosts_that_cut_are_those_whose_readings_are_cut() -> None:
    wire = {"content": [{"type": "text", "text": "x" * 300_000}]}
    assert CLIENTS["MG953"] == {host.name for host in HOSTS if read_as(host.name, wire, "t").is_cut}


@pytest.mark.parametrize(
    ("names", "covered"),
    [
        (["codex"], {"codex"}),
        (["codex-mcp-client", "my-agent"], {"codex"}),
        (["Visual Studio Code"], {"vscode"}),
        (["pydantic-ai"], set[str]()),
    ],
)
def test_hosts_are_covered_by_the_names_that_they_send(names: list[str], covered: set[str]) -> None:
    assert find_covered_hosts(names) == covered
