"""docs/guides/many-servers.md: its file is read, and its options exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.client_config import ServerChoice, read_client_config
from mcpgen.introspect.config_variables import INPUT_PREFIX
from support.doc_pages import read_page
from support.packages import mcpgen
from support.repository import ROOT

PAGE = (ROOT / "docs" / "guides" / "many-servers.md").read_text("utf-8")


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mcp.json").write_text(read_page("guides/many-servers.md").find_file("examples/mcp.json"), "utf-8")
    monkeypatch.setenv("NOTES_KEY", "k")
    monkeypatch.delenv("TEAM", raising=False)
    servers = read_client_config(ServerChoice(tmp_path / "mcp.json"), Limits.model_validate({}), Findings())
    queries = {server.name: server.query for server in servers}
    assert [*queries] == ["files", "issues", "notes"]
    assert all(isinstance(query, ServerQuery) for query in queries.values())
    assert isinstance(queries["issues"], ServerQuery)
    assert queries["issues"].credentials.headers == {"X-Team": "blue"}


def test_names_are_those_of_the_code() -> None:
    assert f"`{INPUT_PREFIX}ID`" in PAGE
    pages = {command: mcpgen(command, "--help", cwd=ROOT, COLUMNS="200").stdout for command in ("pull", "check")}
    for option in set(re.findall(r"--[a-z]+(?:-[a-z]+)*", PAGE)):
        assert any(option in page for page in pages.values()), option
