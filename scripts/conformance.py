"""Runs the official conformance suite's tool scenarios against a server with bound tools: `conformance.py [SDK]`.

It needs npm, which installs the suite and the Node that it runs on into a temporary folder (or, where the variable
NODE_MODULES names one, uses that), and the SDK in this environment. A line a scenario, and a closing line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from sdk import node, wire
from support import packages

PACKAGES = ("@modelcontextprotocol/conformance", "node")
TESTS = ROOT / "tests" / "sdk"
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-logging",
    "tools-call-with-progress",
    "json-schema-2020-12",
)


def _run_scenario(modules: Path, url: str, scenario: str) -> str | None:
    """Run a scenario; return what went wrong, None if nothing did."""
    script = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [node.binary(modules), str(script), "server", "--url", url, "--scenario", scenario]
    environment = {**os.environ, "NO_COLOR": "1"}
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, cwd=modules.parent)
    if run.returncode == 0:
        return None
    lines = [line.strip() for line in (run.stdout + run.stderr).splitlines()]
    return "; ".join(line for line in lines if line.startswith(("Error", "Failed"))) or "; ".join(lines)[:400]


def check_server(sdk: str, modules: Path, folder: Path) -> int:
    """Run all scenarios against a server in a folder, print the results, and return the exit code."""
    built = packages.mcpgen("build", str(TESTS / "conformance"), "--out", "conformance", "--sdk", sdk, cwd=folder)
    assert built.returncode == 0, built.stderr
    line = [sys.executable, str(TESTS / "conformance_server.py"), sdk, str(folder)]
    with wire.http(lambda port: [*line, port], folder / "server.log") as url:
        return _run_scenarios(modules, url, sdk)


def _run_scenarios(modules: Path, url: str, sdk: str) -> int:
    failures = 0
    for scenario in SCENARIOS:
        problem = _run_scenario(modules, url, scenario)
        failures += problem is not None
        print(f"{scenario}: {problem or 'ok'}", flush=True)
    print(f"conformance on {sdk}: {len(SCENARIOS)} scenarios, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(node.run_script(check_server, *PACKAGES))
