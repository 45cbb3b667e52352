"""Server objects of every SDK, pulled in process, built, and checked against their definitions after migration."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from support.packages import files, mcpgen

pytestmark = pytest.mark.ci

HANDLERS = '''
from pydantic import BaseModel


class Day(BaseModel):
    rain: bool
    hint: str | None = None


class Forecast(BaseModel):
    """A forecast."""

    place: str
    days: list[Day]
    first: Day
    after: "Forecast | None" = None


def get_forecast(place: str, days: int = 3) -> Forecast:
    """What is to come."""
    return Forecast(place=place, days=[Day(rain=True)], first=Day(rain=False))


def list_days() -> list[Day]:
    return [Day(rain=True)]


def count() -> int:
    return 3
'''
LOW_1 = """
import mcp.types as types
from mcp.server.lowlevel import Server

server = Server("low")


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    schema = {"type": "object", "properties": {"x-unknown": {"const": 1.0}}}
    return [types.Tool(name="low", inputSchema={"type": "object"}, outputSchema=schema)]
"""
LOW_2 = """
from typing import Any
from mcp.server import Server
from mcp_types import ListToolsResult

days = {"type": "array", "items": {"type": "integer"}}


async def list_tools(context: Any, params: Any) -> ListToolsResult:
    tool = {"name": "low", "inputSchema": {"type": "object"}, "outputSchema": days}
    return ListToolsResult.model_validate({"tools": [tool]})


server = Server("low", on_list_tools=list_tools)
"""


def _version(name: str) -> int:
    try:
        return int(version(name).split(".")[0])
    except PackageNotFoundError:
        return -1


def _decorated() -> str:
    """Return the module of a server with decorated tools, on the installed SDK."""
    if _version("dedalus-mcp") >= 0:
        source = "from dedalus_mcp import MCPServer, tool\nserver = MCPServer('weather')\n"
        return source + "for one in (get_forecast, list_days, count):\n    server.collect(tool()(one))\n"
    if _version("fastmcp") >= 0:
        head = "from fastmcp import FastMCP as MCP"
    else:
        head = "from mcp.server.fastmcp import FastMCP as MCP"
        if _version("mcp") == 2:
            head = "from mcp.server.mcpserver import MCPServer as MCP"
    source = f"{head}\nserver = MCP('weather')\n"
    return source + "for one in (get_forecast, list_days, count):\n    server.tool()(one)\n"


pytest.importorskip("mcp", reason="no MCP SDK is installed")


def pulled(folder: Path, *arguments: str) -> dict[str, Any]:
    run = mcpgen("pull", *arguments, cwd=folder)
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    (path,) = (folder / "schemas" / "pulled").iterdir()
    pulled_tools: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return pulled_tools


def test_a_decorated_server(tmp_path: Path) -> None:
    """Pull, build, annotate: what is advertised stays as it was, by the word of `check --server`."""
    (tmp_path / "weather.py").write_text(HANDLERS + _decorated())
    pulled_tools = pulled(tmp_path, "weather:server")
    assert [tool["name"] for tool in pulled_tools["tools"]] == ["count", "get_forecast", "list_days"]
    assert all(tool["inputSchema"]["type"] == "object" for tool in pulled_tools["tools"])
    before = files(tmp_path / "schemas")
    assert mcpgen("pull", "weather:server", "-q", cwd=tmp_path).stderr == ""
    assert files(tmp_path / "schemas") == before
    assert mcpgen("check", "--server", "weather:server", cwd=tmp_path).returncode == 0
    assert mcpgen("build", "-q", cwd=tmp_path).returncode == 0
    migrated = HANDLERS.replace("from pydantic", "import generated\nfrom pydantic")
    migrated = migrated.replace("-> Forecast", "-> generated.GetForecastResult")
    (tmp_path / "migrated.py").write_text(migrated + _decorated())
    checked = mcpgen("check", "--name", "weather", "--server", "migrated:server", cwd=tmp_path)
    changes = [line.split("Properties ")[-1] for line in checked.stderr.splitlines() if "[MG716]" in line]
    dedalus = ["is missing on the server: false"]  # additionalProperties, when dedalus takes a schema from a class
    assert changes == (dedalus if _version("dedalus-mcp") >= 0 else []), checked.stderr
    assert checked.returncode == (4 if changes else 0), checked.stderr
    (tmp_path / "broken.py").write_text(HANDLERS.replace("days: int = 3", "days: int") + _decorated())
    checked = mcpgen("check", "--name", "weather", "--server", "broken:server", cwd=tmp_path)
    assert checked.returncode == 4
    assert 'error[MG716]: tool "get_forecast": /inputSchema/required also has "days" on the server' in checked.stderr
    assert not checked.stdout, "the message says everything"
    assert not list(tmp_path.rglob("__pycache__/weather*"))


@pytest.mark.skipif(_version("fastmcp") != 4 and _version("mcp") != 2, reason="other SDKs do not show their functions")
def test_a_handler_that_also_has_the_decorator_of_the_sdk_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "weather.py").write_text(HANDLERS + _decorated())
    sdk = "fastmcp" if _version("fastmcp") == 4 else "mcp"
    pulled(tmp_path, "weather:server")
    assert mcpgen("build", "-q", "--sdk", sdk, cwd=tmp_path).returncode == 0
    server = _decorated().replace("(get_forecast, list_days, count)", "(get_forecast, list_days)")
    bound = f"{HANDLERS}{server}import generated\ntools = generated.bind(server)\ntools.count(count)\n"
    (tmp_path / "bound.py").write_text(bound)
    checked = mcpgen("check", "--name", "weather", "--server", "bound:server", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    (tmp_path / "doubled.py").write_text(bound + "server.tool(name='total')(count)\n")
    checked = mcpgen("check", "--name", "weather", "--server", "doubled:server", cwd=tmp_path)
    assert checked.returncode == 4
    line = (tmp_path / "doubled.py").read_text().splitlines().index("def count() -> int:") + 1
    said = (
        f"error[MG716]: the handler of count (doubled.py, line {line}) also has the SDK's decorator: its tool total is"
    )
    assert said in checked.stderr
    assert "help: remove the SDK's decorator" in checked.stderr
    assert "1 new, 1 with two decorators" in checked.stderr
    (tmp_path / "above.py").write_text(bound + "server.tool()(count)\n")
    checked = mcpgen("check", "--name", "weather", "--server", "above:server", cwd=tmp_path)
    assert checked.returncode == (4 if sdk == "fastmcp" else 0), checked.stderr  # mcp keeps the first tool
    assert "mcpgen pull" not in checked.stderr


@pytest.mark.parametrize("form", ["server", "make", "make_later", "holder.server"])
def test_where_a_server_can_be(tmp_path: Path, form: str) -> None:
    extra = "\n\ndef make():\n    return server\n\n\nasync def make_later():\n    return server\n"
    extra += "\n\nclass holder:\n    server = server\n"
    package = tmp_path / "deep" / "inside"
    package.mkdir(parents=True)
    (package / "weather.py").write_text(HANDLERS + _decorated() + extra)
    assert len(pulled(tmp_path, f"deep.inside.weather:{form}")["tools"]) == 3


def test_a_low_level_server(tmp_path: Path) -> None:
    """Check that what is natural on the wire stays natural, what an older version carries is as it was sent."""
    (tmp_path / "low.py").write_text(LOW_2 if _version("mcp") == 2 else LOW_1)
    pulled_tools = pulled(tmp_path, "low:server")
    (tool,) = pulled_tools["tools"]
    if _version("mcp") == 2:
        assert tool["outputSchema"] == {"type": "array", "items": {"type": "integer"}}
        assert pulled_tools["generated"]["protocol"] == "2026-07-28"
        assert mcpgen("build", "-q", cwd=tmp_path).returncode == 0
        (path,) = (tmp_path / "generated" / "tools").glob("*.json")
        assert json.loads(path.read_text("utf-8"))["wrapped"]["when"] == "legacy"
    else:
        assert json.dumps(tool["outputSchema"]["properties"]) == '{"x-unknown": {"const": 1.0}}'
        assert pulled_tools["generated"]["protocol"] == "2025-11-25"
    assert mcpgen("check", "--server", "low:server", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("nowhere:server", 'there is no module "nowhere"'),
        ("broken:server", 'the module "broken" cannot be imported: ValueError: *** is not a token'),
        ("ends:server", 'the module "ends" cannot be imported: SystemExit: 3'),
        ("needy:server", "the module \"needy\" cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("weather:srever", '"weather" has no "srever"'),
        ("weather:get_forecast", '"weather:get_forecast" fails when it is called: TypeError: '),
        ("weather:Day", "this is not an MCP server, but an object of the type ModelMetaclass"),
        ("weather.py:server", 'there is no module "weather.py"'),
    ],
)
def test_where_there_is_no_server(tmp_path: Path, source: str, expected: str) -> None:
    (tmp_path / "weather.py").write_text(HANDLERS + _decorated())
    (tmp_path / "broken.py").write_text("import os\nraise ValueError(os.environ['TOKEN'] + ' is not a token')\n")
    (tmp_path / "ends.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "needy.py").write_text("import nowhere\n")
    run = mcpgen("pull", source, "--env", "TOKEN=s3cret-of-mine", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.startswith(f"{source}: error[MG703]: {expected}")
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "schemas").exists()
