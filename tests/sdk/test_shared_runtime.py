"""Two packages over one run-time package: served by one process, called, type-checked, merged, and told apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from mcpgen.render.runtime_package import INTERFACE
from sdk import exchange
from sdk.exchange import OLD, SDK, VERSIONS
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci

RUNTIME = "shared_acme.mcp_runtime"
FOLDER = Path("shared_acme", "mcp_runtime")
SETTINGS = f"""
runtime = "{RUNTIME}"
sdk = "{SDK or "none"}"
wrap = "legacy"
azure = true

[[package]]
schemas = ["tide-schemas"]
out = "shared_tides"

[[package]]
schemas = ["berth-schemas"]
out = "shared_berths"
"""
NOTE: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TIDE: dict[str, Any] = {
    "type": "object",
    "properties": {"height": {"type": "number"}, "note": {"$ref": "#/$defs/Note"}},
    "required": ["height"],
    "$defs": {"Note": NOTE},
}
PLACE: dict[str, Any] = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
RESOURCE = {"name": "chart", "uriTemplate": "charts://{id}", "x-mcpgen": {"schema": TIDE}}


def write_project(folder: Path, settings: str = SETTINGS) -> None:
    (folder / "mcpgen.toml").write_text(settings, "utf-8")
    tides = [tool("get_tide", TIDE, inputSchema=PLACE), tool("list_tides", {"type": "array", "items": NOTE})]
    for name, definitions in {
        "tide": {"tools": tides, "resources": [], "resourceTemplates": [RESOURCE]},
        "berth": {"tools": [tool("find_berth", {"type": "string"}, inputSchema=PLACE)]},
    }.items():
        schemas = folder / f"{name}-schemas"
        schemas.mkdir()
        (schemas / "tools.json").write_text(json.dumps(definitions), "utf-8")
    (folder / "tide-schemas" / "list_tides.content.j2").write_text("{{ value | length }} tides", "utf-8")


def build(folder: Path, *options: str) -> None:
    run = mcpgen("build", *options, cwd=folder)
    assert run.returncode == 0, run.stderr


def run_python(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    write_project(folder)
    build(folder)
    build(folder, "--runtime")
    return folder


@pytest.fixture(scope="module")
def packages(project: Path) -> Iterator[tuple[Any, Any]]:
    sys.path.insert(0, str(project))
    invalidate_caches()
    yield import_module("shared_tides"), import_module("shared_berths")
    sys.path.remove(str(project))


def test_the_packages_have_one_run_time_package_and_none_of_their_own(project: Path, packages: tuple[Any, Any]) -> None:
    tides, berths = packages
    assert tides.ToolResult is berths.ToolResult
    assert tides.ToolResult.__module__ == f"{RUNTIME}.tool_result"
    assert not [*project.glob("shared_*/runtime")]
    assert not {name for name in sys.modules if name.startswith(("shared_tides.runtime", "shared_berths.runtime"))}
    assert import_module("shared_tides.azure").ToolResult is tides.ToolResult


def test_results_and_resources_of_both(packages: tuple[Any, Any]) -> None:
    tides, berths = packages
    result = tides.GetTideResult.normalize({"height": 1.5, "note": {"text": "low"}})
    assert tides.GetTideResult.from_call_tool_result(result).note.text == "low"
    assert berths.FindBerthResult("A 1").to_structured_content() == "A 1"
    assert tides.ListTidesResult([]).to_content()[0].text == "0 tides"  # a content template, and so its filters
    assert tides.Chart.match("charts://7") == {"id": "7"}
    assert [tool["name"] for tool in berths.list_tools()] == ["find_berth"]
    assert [*tides.TOOLS] == ["get_tide", "list_tides"]


@pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
@pytest.mark.parametrize("version", VERSIONS)
def test_one_server_serves_both(packages: tuple[Any, Any], version: str) -> None:
    server = exchange.server()
    tides, berths = packages
    tide_tools, berth_tools = tides.bind(server), berths.bind(server)

    async def get_tide(place: str) -> Any:
        return {"height": float(len(place))}

    tide_tools.get_tide(get_tide)
    tide_tools.list_tides(lambda: [{"text": "low"}])
    berth_tools.find_berth(lambda place: f"berth of {place}")
    tide_tools.complete()
    berth_tools.complete()

    async def use(connection: Any) -> dict[str, Any]:
        tide_client, berth_client = await tides.connect(connection), await berths.connect(connection)
        assert tide_client.contract.new == ("find_berth",)
        assert not (*tide_client.contract.changed, *berth_client.contract.changed)
        assert (await tide_client.get_tide(place="Oslo")).height == 4.0
        assert (await tide_client.list_tides()).root[0].text == "low"
        assert (await berth_client.find_berth(place="Oslo")).root == "berth of Oslo"
        return await exchange.listed(connection)

    listed = exchange.talk(server, use, version)
    assert listed.keys() == {"get_tide", "list_tides", "find_berth"}
    assert (listed["list_tides"]["outputSchema"]["type"] == "object") == (version == OLD)


# --- what belongs together -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("constant", "value", "message"),
    [
        (
            "INTERFACE",
            0,
            f"shared_tides needs version {INTERFACE} of the run-time package shared_acme.mcp_runtime, which has ver",
        ),
        (
            "OLDEST_INTERFACE",
            INTERFACE + 1,
            f"supports {INTERFACE + 1} and newer. Run `mcpgen build` for shared_tides with the mcpgen that",
        ),
        ("SDK", '"other"', 'its run-time package shared_acme.mcp_runtime for sdk = "other". Give the packages of each'),
    ],
)
def test_another_run_time_package_is_refused_at_import(
    project: Path, tmp_path: Path, constant: str, value: object, message: str
) -> None:
    for path in project.rglob("*.py"):
        copy = tmp_path / path.relative_to(project)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    interface = tmp_path / FOLDER / "interface.py"
    lines = interface.read_text("utf-8").splitlines()
    changed = [f"{constant} = {value}" if line.startswith(f"{constant} = ") else line for line in lines]
    assert lines != changed
    interface.write_text("\n".join(changed), "utf-8")
    run = run_python(tmp_path, "import shared_tides")
    assert "ImportError: shared_tides " in run.stderr
    assert message in run.stderr


def test_settings_that_differ_in_another_project_are_refused_at_import(tmp_path: Path) -> None:
    """Two settings files, as in a monorepo: none of them can tell what the other one says."""
    for name, value in (("library", 300), ("service", 200)):
        folder = tmp_path / name
        folder.mkdir()
        settings = f'schemas = ["tide-schemas"]\nout = "shared_tides"\nruntime = "{RUNTIME}"\n'
        write_project(folder, f"{settings}limits = {{ value-depth = {value} }}\n")
    build(tmp_path / "library", "--runtime")
    build(tmp_path / "service")
    (tmp_path / "library" / "shared_acme").rename(tmp_path / "service" / "shared_acme")
    run = run_python(tmp_path / "service", "import shared_tides")
    message = "shared_tides was generated with limits.value-depth = 200, its run-time package "
    assert f"ImportError: {message}{RUNTIME} with 300." in run.stderr


# --- commands --------------------------------------------------------------------------------------------------------
