"""Real servers from npm: pulled, built, checked against themselves, and called, the results read by their classes."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = ("everything", "filesystem", "memory")
SCOPE = "@modelcontextprotocol/server-"


@dataclass(frozen=True)
class Call:
    """A tool with arguments, and what of its result must come out: an attribute of the result class and its value."""

    tool: str
    arguments: dict[str, Any]
    attribute: str = ""
    value: Any = None


def list_calls(server: str, files: Path) -> list[Call]:
    """Return what is called on each server."""
    match server:
        case "everything":
            return [
                Call("echo", {"message": "hello"}),
                Call("get-sum", {"a": 2, "b": 3}),
                Call("get-structured-content", {"location": "Chicago"}, "conditions", "Light rain / drizzle"),
                Call("get-tiny-image", {}),
            ]
        case "filesystem":
            path = str(files / "note.txt")
            return [
                Call("write_file", {"path": path, "content": "one\ntwo\n"}, "content", f"Successfully wrote to {path}"),
                Call("read_text_file", {"path": path}, "content", "one\ntwo\n"),
                Call("list_directory", {"path": str(files)}, "content", "[FILE] note.txt"),
            ]
        case _:
            entity = {"name": "Ada", "entityType": "person", "observations": ["writes programs"]}
            return [
                Call("create_entities", {"entities": [entity]}),
                Call("search_nodes", {"query": "programs"}),
                Call("read_graph", {}, "relations", []),
            ]


async def call_all(command: Sequence[str], package: Any, todo: Sequence[Call]) -> list[str]:
    """Call the tools through the generated client over the SDK's session; a line for the server and one a tool."""
    stdio: Any = importlib.import_module("mcp.client.stdio")
    session_type: Any = importlib.import_module("mcp").ClientSession
    parameters = stdio.StdioServerParameters(command=command[0], args=list(command[1:]))
    lines: list[str] = []
    with tempfile.TemporaryFile("w+") as log:
        async with stdio.stdio_client(parameters, log) as (read, write), session_type(read, write) as session:
            await session.initialize()
            client = await package.connect(session)
            if client.contract.changed or client.contract.new:
                raise SystemExit(f"the server is not what was pulled: {client.contract}")
            lines.append(f"  {len(client.contract.same)} tools are as declared")
            for tool in todo:
                result = await getattr(client, tool.tool.replace("-", "_"))(**tool.arguments)
                if tool.attribute and getattr(result, tool.attribute) != tool.value:
                    raise SystemExit(f"{tool.tool}: {getattr(result, tool.attribute)!r} in place of {tool.value!r}")
                text = repr(result)
                lines.append(f"  {tool.tool}: {text if len(text) < 110 else text[:107] + '...'}")
    return lines


def run(*arguments: str, cwd: Path) -> str:
    """Run mcpgen; what it says, on both streams."""
    run = subprocess.run([sys.executable, "-m", "mcpgen", *arguments], cwd=cwd, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"mcpgen {arguments[0]} ended with {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stderr + run.stdout


def main() -> None:
    """Install, then pull, check, build and call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--npm", type=Path, help="a folder where the servers are installed already")
    npm_folder: Path | None = parser.parse_args().npm
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        npm = npm_folder.resolve() if npm_folder else folder
        if npm_folder is None:
            names = [f"{SCOPE}{package}" for package in PACKAGES]
            subprocess.run([shutil.which("npm") or "npm", "install", "--silent", *names], cwd=folder, check=True)
        files = folder / "files"
        files.mkdir()
        commands = {
            package: ["node", str(npm / "node_modules" / f"{SCOPE}{package}" / "dist" / "index.js")]
            for package in PACKAGES
        }
        commands["filesystem"].append(str(files))
        commands["memory"] = ["env", f"MEMORY_FILE_PATH={folder / 'memory.json'}", *commands["memory"]]
        for server, command in commands.items():
            print(run("pull", "--name", server, "--", *command, cwd=folder), end="")
        for server, command in commands.items():
            line = " ".join(f"'{argument}'" for argument in command)
            print(run("check", "--name", server, "--server", line, cwd=folder).splitlines()[-1])
        print(run("build", "--sdk", "mcp", cwd=folder), end="")
        run("prove", "--max-examples", "20", "--quiet", cwd=folder)
        print("prove: every class holds")
        sys.path.insert(0, str(folder))
        package = importlib.import_module("generated")
        for server, command in commands.items():
            print(f"{server}:")
            print("\n".join(asyncio.run(call_all(command, package, list_calls(server, files)))))
        for path in (folder / "generated" / "tools").glob("*.json"):
            assert "wrapped" not in json.loads(path.read_text("utf-8"))


if __name__ == "__main__":
    main()
