"""guides/servers.md: the server for the installed SDK, as it stands there, checked, and called in plain JSON.

guides/annotations.md: the server of mcp 2.x with a result class under the SDK's own decorator, called in memory.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from sdk import wire
from sdk.installed import SDK
from support.doc_pages import read_page
from support.packages import mcpgen

pytestmark = [pytest.mark.ci, pytest.mark.skipif(SDK is None, reason="no SDK is installed here")]
PAGE = read_page("guides/servers.md")
SCHEMA = "schemas/get_weather.json"
MODULES = {
    "mcp": "server",
    "mcp1": "server_mcp1",
    "fastmcp": "server_fastmcp",
    "fastmcp3": "server_fastmcp",
    "dedalus": "server_dedalus",
}
VERSIONS = ["2024-11-05", "2025-06-18", "2025-11-25"] + (["2026-07-28"] if SDK in ("mcp", "fastmcp") else [])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's schema, built for the SDK, and its server."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "schemas").mkdir()
    (folder / SCHEMA).write_text(PAGE.find_file(SCHEMA), "utf-8")
    run = mcpgen("build", "schemas/", "--sdk", str(SDK), cwd=folder)
    assert run.returncode == 0, run.stderr
    name = f"{MODULES[str(SDK)]}.py"
    (folder / name).write_text(PAGE.find_file(name), "utf-8")
    return folder


def served(project: Path, version: str, requests: list[dict[str, Any]]) -> list[Any]:
    """Return the results of requests to the server, which is a process of its own."""
    command = [sys.executable, str(project / f"{MODULES[str(SDK)]}.py")]
    with wire.stdio(command, project / "server.log") as send:
        session = wire.Session(send, version)
        return [session.request(request["method"], **request["params"]) for request in requests]


def call(**arguments: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": "get_weather", "arguments": arguments}}


@pytest.mark.parametrize("version", VERSIONS)
def test_it_serves_what_is_declared(project: Path, version: str) -> None:
    declared = json.loads(PAGE.find_file(SCHEMA))
    listing, oslo, wrong = served(
        project, version, [{"method": "tools/list", "params": {}}, call(city="Oslo"), call(town="Oslo")]
    )
    if version < "2025-06-18":
        del declared["outputSchema"]
    assert listing["tools"] == [declared]
    structured = json.loads(oslo["content"][0]["text"])
    assert structured in [json.loads(block) for block in PAGE.list_texts("json")]
    if version >= "2025-06-18":
        assert oslo["structuredContent"] == structured
        assert jsonschema_rs.validator_for(declared["outputSchema"]).is_valid(structured)
    assert oslo.get("isError") is not True
    assert wrong["isError"] is True
    assert "/city: is required" in wrong["content"][0]["text"]
    assert "/town: there is no such property" in wrong["content"][0]["text"]


@pytest.mark.skipif(SDK != "mcp1", reason="this server has no such place")
def test_the_text_of_a_tool_error_is_told(project: Path) -> None:
    (answer,) = served(project, "2025-11-25", [call(city="Atlantis")])
    assert answer["isError"] is True
    assert "there is no weather in Atlantis" in answer["content"][0]["text"]


# --- guides/annotations.md ------------------------------------------------------------------------------------------
CLIENT = """
import asyncio, json, sys
from existing_server import server
from mcp.client import Client

async def main():
    async with Client(server, mode=sys.argv[1], raise_exceptions=True) as client:
        (tool,) = (await client.list_tools()).tools
        result = await client.call_tool("get_weather", {"city": "Oslo"})
        print(json.dumps([value.model_dump(by_alias=True, exclude_unset=True) for value in (tool, result)]))

asyncio.run(main())
"""
HUNK = re.compile(r"^@@.*@@\n", re.MULTILINE)


def patch(source: str, diff: str) -> str:
    """Return the source after a unified diff."""
    for hunk in HUNK.split(diff)[1:]:
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        assert source.count(old) == 1
        source = source.replace(old, new)
    return source


@pytest.mark.skipif(SDK != "mcp", reason="guides/annotations.md shows a server of mcp 2.x")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_return_annotation_makes_the_sdk_advertise_the_declared_schema(project: Path, mode: str) -> None:
    page = read_page("guides/annotations.md")
    (diff,) = page.list_texts("diff")
    (project / "existing_server.py").write_text(patch(page.find_file("existing_server.py"), diff), "utf-8")
    command = [sys.executable, "-c", CLIENT, mode]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120)
    (project / "existing_server.py").unlink()  # mypy refuses what it returns, as the page says
    assert run.returncode == 0, run.stderr
    tool, result = json.loads(run.stdout)
    declared = json.loads(PAGE.find_file(SCHEMA))["outputSchema"]
    assert tool["outputSchema"] == declared
    assert result["isError"] is False
    assert jsonschema_rs.validator_for(declared).is_valid(result["structuredContent"])
    assert result["structuredContent"]["windSpeed"] is None
    assert "gusts" not in result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


# --- checkers ---------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed here")
def test_mypy_is_clean(project: Path) -> None:
    files = sorted(path.name for path in project.glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--strict", *files, "generated"]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="pyright is not installed here")
def test_pyright_is_clean(project: Path) -> None:
    (project / "pyrightconfig.json").write_text('{"include": ["."], "typeCheckingMode": "strict"}', "utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
