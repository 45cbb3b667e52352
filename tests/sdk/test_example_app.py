"""The example's app: its types, its page, and the page in a browser, beside a real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk.installed import SDK
from sdk.wire import ROOT, SDK_TESTS
from support.doc_pages import read_page
from support.packages import mcpgen

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MODULES = Path(os.environ.get("NODE_MODULES", "nowhere"))
PACKAGES = ("@modelcontextprotocol/ext-apps", "esbuild", "typescript")
pytestmark = [
    pytest.mark.skipif(SDK != "mcp", reason="the server is one of mcp 2.x"),
    pytest.mark.skipif(
        not all((MODULES / name).is_dir() for name in PACKAGES), reason=f"NODE_MODULES lacks {PACKAGES}"
    ),
    pytest.mark.skipif(shutil.which("node") is None, reason="node is missing"),
    pytest.mark.ci,
]
SERVER = """
from pathlib import Path

from mcp.server.mcpserver import MCPServer

import generated

BERTHS = {
    "A1": {"lat": 54.1, "lon": 10.1},
    "A2": {"lat": 54.2, "lon": 10.3, "accuracy_m": 2.5},
    "B1": {"lat": 54.4, "lon": 10.2},
}
server = MCPServer("harbour")
tools, resources = generated.bind(server), generated.bind_resources(server)


@tools.berth_map
def berth_map(piers: list[str] | None = None) -> dict[str, dict[str, float]]:
    return {code: place for code, place in BERTHS.items() if piers is None or code[0] in piers}


@resources.berth_map_app
def berth_map_app() -> str:
    return Path("dist/berth-map.html").read_text("utf-8")


server.run()
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the app with a server of its tool, the page built and the types generated anew."""
    folder = tmp_path_factory.mktemp("app")
    source = ROOT / "examples" / "harbour-app"
    shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (folder / "node_modules").symlink_to(MODULES)
    shutil.copytree(ROOT / "schemas", folder / "schemas")
    (folder / "src" / "harbour.d.ts").unlink()
    (folder / "mcpgen.toml").write_text('sdk = "mcp"\napp-types = "src/harbour.d.ts"\n', "utf-8")
    run = mcpgen("build", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert (folder / "src" / "harbour.d.ts").read_bytes() == (source / "src" / "harbour.d.ts").read_bytes()
    (folder / "server.py").write_text(SERVER, "utf-8")
    return folder


def tsc(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["node", str(MODULES / "typescript" / "bin" / "tsc"), "--pretty", "false"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_its_types_are_checked(project: Path) -> None:
    run = tsc(project)
    assert (run.returncode, run.stdout) == (0, "")


def test_the_program_of_the_guide_fits_its_types(project: Path) -> None:
    guide = read_page("guides/apps.md")
    (project / "guide").mkdir()
    for name in ("schemas/water_level.yaml", "mcpgen.toml", "web/app.ts"):
        file = project / "guide" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(guide.find_file(name), "utf-8")
    run = mcpgen("build", cwd=project / "guide")
    assert run.returncode == 0, run.stderr
    (project / "guide" / "tsconfig.json").write_text('{"extends": "../tsconfig.json", "include": ["web"]}', "utf-8")
    assert tsc(project / "guide").stdout == ""


MISTAKES = {
    "export const lat = (berths: BerthMapResult) => berths.A1.latitude;": "Property 'latitude' does not exist",
    'export const a: Tools["berth_map"]["arguments"] = { pier: ["A"] };': "'pier' does not exist in type",
    'export const b: Tools["berth_map"]["arguments"] = { piers: [1] };': "'number' is not assignable to type 'string'",
    'export const c: keyof Tools = "berth_maps";': "is not assignable to type '\"berth_map\"'",
}


def test_mistakes_are_found(project: Path) -> None:
    source = project / "src" / "mistakes.ts"
    lines = ['import type { BerthMapResult, Tools } from "./harbour";', *MISTAKES]
    source.write_text("\n".join(lines) + "\n", "utf-8")
    said = tsc(project).stdout
    source.unlink()
    for number, error in enumerate(MISTAKES.values(), 2):
        assert re.search(rf"mistakes\.ts\({number},\d+\): error .*{re.escape(error)}", said), said


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed here")
@pytest.mark.skipif(not (MODULES / "puppeteer-core").is_dir(), reason="NODE_MODULES has no puppeteer-core")
def test_a_host_shows_it_and_it_calls_the_server(project: Path) -> None:
    def node(*words: str) -> str:
        run = subprocess.run(["node", *words], cwd=project, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        return run.stdout

    node("build.mjs")
    shutil.copy(SDK_TESTS / "ts" / "host.mjs", project)
    said: Any = json.loads(node("host.mjs", str(BROWSER), "view.png", sys.executable, "server.py"))
    assert said["mimeType"] == "text/html;profile=mcp-app"
    assert said["berths"] == ["A1", "A2", "B1"]
    assert said["piers"] == ["Pier A", "Pier B"]
    assert said["calls"] == [{"name": "berth_map", "arguments": {"piers": ["A"]}}]
    assert said["afterClick"] == ["A1", "A2"]
    assert (said["messages"], said["requests"]) == ([], [])
