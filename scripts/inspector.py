"""Has the official MCP Inspector's command line list and call the tools of the example's server: `inspector.py [SDK]`.

It needs npm, which installs the Inspector and the Node that it runs on into a temporary folder (or, where the
variable NODE_MODULES names one, uses that), and the SDK in this environment. A line a tool, and a closing line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from sdk import harbour, node, wire

PACKAGES = ("@modelcontextprotocol/inspector", "node")
FAILS = {"refuse_pilot", "lose_radio", "misread_depth"}
"""Tools whose handlers fail, and which have to say so."""
ASKS = "ask_captain"
"""It asks for input where the SDK knows of that: an error in the legacy era, and in the modern one nobody is there."""
_NO_NULL = "declares an output schema but returned no structured content"
"""What the Inspector says of structured content that is null, which it takes for none; 2026-07-28 allows it."""


def _format_arguments(arguments: dict[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        yield f"{name}={value if isinstance(value, str) else json.dumps(value)}"


def _inspect(modules: Path, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    command = [node.binary(modules), str(script), "--cli", url, "--transport", "http", *arguments]
    home = {"HOME": str(modules.parent), "PATH": f"{modules / '.bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **home})


def _find_problem(run: subprocess.CompletedProcess[str], fails: bool) -> str | None:
    try:
        result = json.loads(run.stdout)
    except ValueError:
        return f"exit {run.returncode}: {(run.stderr or run.stdout).strip()[-300:]}"
    failed = bool(result.get("isError"))
    return None if failed == fails else f"isError is {failed}: {json.dumps(result)[:300]}"


def _is_null(name: str) -> bool:
    """Return whether the first answer of a tool is null."""
    return name in harbour.VALUES and harbour.VALUES[name]["valid"][0] is None


def check_server(sdk: str, modules: Path, folder: Path) -> int:
    """List and call the tools of a server in a folder, print the results, and return the exit code."""
    wire.build(folder, sdk)
    tools: dict[str, Any] = {}
    for name in ("harbour", "pilotage"):
        for path in sorted((folder / name / "tools").glob("*.json")):
            tool = json.loads(path.read_text("utf-8"))["tool"]
            tools[tool["name"]] = tool
    with wire.http(lambda port: wire.command(sdk, folder, port), folder / "server.log") as url:
        eras = ("legacy", "modern") if wire.MODERN in wire.versions(sdk) else ("legacy",)
        failures = sum(_call_tools(modules, url, era, len(eras) > 1, tools) for era in eras)
    print(f"inspector on {sdk}: {len(tools)} tools called ({', '.join(eras)}), {failures} failures")
    return 1 if failures else 0


def _call_tools(modules: Path, url: str, era: str, asks: bool, tools: dict[str, Any]) -> int:
    """List and call the tools in a protocol era; return the number of failures."""
    spoken = ("--protocol-era", era)
    run = _inspect(modules, url, *spoken, "--method", "tools/list")
    try:
        listed = {tool["name"] for tool in json.loads(run.stdout)["tools"]}
    except ValueError:
        print(f"tools/list: exit {run.returncode}: {run.stderr.strip()[-500:]}")
        return 1
    missing = tools.keys() - listed
    print(f"{era} tools/list: {len(listed)} tools" + (f", without {sorted(missing)}" if missing else ""))
    failures = len(missing)
    for name, tool in tools.items():
        if name == ASKS and era == "modern":
            continue
        arguments = ValueGenerator(tool["inputSchema"], DRAFT_2020_12).find_example()
        assert isinstance(arguments, dict)
        tool_options = ["--tool-arg", *_format_arguments(arguments)] if arguments else []
        called = _inspect(modules, url, *spoken, "--method", "tools/call", "--tool-name", name, *tool_options)
        problem = _find_problem(called, name in FAILS or (name == ASKS and asks))
        if problem and era == "modern" and _is_null(name) and _NO_NULL in problem:
            print(f"{era} {name}: the Inspector takes null for no structured content", flush=True)
            continue
        failures += problem is not None
        print(f"{era} {name}: {problem or 'ok'}", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(node.run_script(check_server, *PACKAGES))
