"""`mcpgen diff --against-server`: what a running server advertises, against the definitions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.diff_comparison import DiffRequest, compare_requested
from mcpgen.introspect.server_query import parse_server_query

pytest.importorskip("mcp.server.mcpserver", reason="the SDK mcp 2.x is not installed")

SERVER = '''
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

class Reading(BaseModel):
    t: float

server = MCPServer("weather")

@server.tool()
def get_weather(city: str) -> Reading:
    """The weather."""
    return Reading(t=1.0)

@server.tool()
def berths() -> list[str]:
    """All berths."""
    return []
'''


def test_a_running_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weather_to_diff.py").write_text(SERVER, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    weather: dict[str, Any] = {
        "name": "get_weather",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "outputSchema": {"type": "object", "properties": {"t": {"type": ["number", "null"]}}, "required": ["t"]},
    }
    berths: dict[str, Any] = {
        "name": "berths",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "array", "items": {"type": "string"}},
        "x-mcpgen": {"wrap": "always", "content": "none"},
    }
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps([weather, berths]), "utf-8")
    server_query = parse_server_query(["weather_to_diff:server"], (), (), (), 60, None)
    result = compare_requested(DiffRequest((), None, (), (), None, 1, server_query))
    sys.modules.pop("weather_to_diff", None)
    assert not result.findings.failed, [finding.message for finding in result.findings]
    assert [(change.name, change.rule.id) for change in result.changes if change.breaking] == [
        ("get_weather", "output-became-nullable")
    ]


def test_a_schema_of_the_settings_is_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = "from mcp.server.mcpserver import MCPServer\n\nserver = MCPServer('x')\n\n"
    server += "@server.tool(structured_output=False)\ndef count(word: str) -> str:\n    return '{}'\n"
    (tmp_path / "untyped_to_diff.py").write_text(server, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    parameters = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "count.json").write_text(json.dumps({"name": "count", "inputSchema": parameters}), "utf-8")
    (tmp_path / "mcpgen.toml").write_text("[tools.count]\noutputSchema = 'learned.json'\n", "utf-8")
    (tmp_path / "learned.json").write_text('{"type": "object", "required": ["n"]}', "utf-8")
    server_query = parse_server_query(["untyped_to_diff:server"], (), (), (), 60, None)
    result = compare_requested(DiffRequest((), None, (), (), None, 1, server_query))
    sys.modules.pop("untyped_to_diff", None)
    assert not result.findings.failed, [finding.message for finding in result.findings]
    assert [change.rule.id for change in result.changes if "output" in change.rule.id] == []


PACKAGES = """
[[package]]
schemas = ["schemas/shop"]
out = "generated/shop"

[[package]]
schemas = ["schemas/weather"]
out = "generated/weather"
"""


@pytest.mark.parametrize(
    ("file", "paths", "is_found"),
    [
        ("schemas/weather/pulled/mine.json", (), True),  # it says from which server it was pulled
        ("schemas/weather/tools.json", ("schemas/weather",), True),
        ("schemas/weather/tools.json", (), False),
        ("schemas/weather/tools.json", ("schemas",), False),
    ],
)
def test_several_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, paths: tuple[str, ...], is_found: bool
) -> None:
    (tmp_path / "weather_of_many.py").write_text(SERVER, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mcpgen.toml").write_text(PACKAGES, "utf-8")
    text = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    pulled = {"by": "mcpgen pull", "server": "weather_of_many:server"} if "pulled" in file else {}
    document = {"generated": pulled, "tools": [{"name": "get_weather", "inputSchema": text, "outputSchema": text}]}
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(json.dumps(document if pulled else document["tools"]), "utf-8")
    (tmp_path / "schemas" / "shop").mkdir()
    (tmp_path / "schemas" / "shop" / "tools.json").write_text("[]", "utf-8")
    query = parse_server_query(["weather_of_many:server"], (), (), (), 60, None)
    result = compare_requested(DiffRequest(tuple(map(Path, paths)), None, (), (), None, 1, query))
    sys.modules.pop("weather_of_many", None)
    errors = [(error.code, error.help) for error in result.findings if error.code == "MG302"]
    if is_found:
        assert not errors
        assert {change.name for change in result.changes} >= {"get_weather", "berths"}
    else:
        assert errors == [("MG302", "name the definitions of one package: schemas/shop, schemas/weather")]
        assert not result.changes
