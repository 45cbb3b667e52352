"""Building throw-away packages and importing them."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcpgen_runtime.package import Package
from support.command_server import run_command

_numbers = itertools.count()


def mcpgen(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process."""
    command = run_command([*arguments], cwd, {**os.environ, **environment})
    return subprocess.CompletedProcess(
        command.args, command.returncode, _decode(command.stdout), _decode(command.stderr)
    )


def run_python(folder: Path, *words: str, **environment: str) -> str:
    """Run Python in a folder, which has to end well; return what it prints."""
    command, variables = [sys.executable, *words], {**os.environ, **environment}
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, env=variables)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def _decode(data: bytes) -> str:
    return data.decode("utf-8").replace("\r\n", "\n")


def package(folder: Path, tools: list[dict[str, Any]], *options: str, wrap: str | None = "legacy", **more: Any) -> Any:
    """Build tools (and whatever else a definitions file may hold) into a package and import it.

    Results that are no objects are wrapped as `wrap` says, so that they are the same for every SDK; None: by default.
    """
    settings = folder / "mcpgen.toml"
    if wrap is not None and not settings.exists():
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(f'wrap = "{wrap}"\n', "utf-8")
    schemas = folder / "schemas"
    schemas.mkdir(parents=True, exist_ok=True)
    (schemas / "tools.json").write_text(json.dumps({"tools": tools, **more}), "utf-8")
    return built(folder, *options)


def built(folder: Path, *options: str) -> Any:
    """Build `<folder>/schemas` and import the result under a name of its own."""
    name = f"package_{next(_numbers)}"
    run = mcpgen("build", "schemas", "--out", name, "--jobs", "1", *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


def get_tool(generated: Any, name: str) -> Any:
    """Return the `McpTool` of a generated package that has this exact name."""
    package = get_package(generated)
    return package.get_tool(package.tool_modules[name])


def get_package(generated: Any) -> Package:
    """Return the run-time `Package` of a generated package."""
    return Package.of(f"{generated.__name__}.client")


def get_types(generated: Any) -> Any:
    """Return the module `types` of the facade that a generated package imports."""
    return importlib.import_module(f"{get_package(generated).facade}.types")


def tool(name: str, output: Any = None, **more: Any) -> dict[str, Any]:
    """A Tool object."""
    out = {"name": name, "inputSchema": {"type": "object"}, **more}
    return out if output is None else {**out, "outputSchema": output}


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, compiled Python apart."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
