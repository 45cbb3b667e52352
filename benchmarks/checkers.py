"""How long mypy and pyright take for a server's module over a generated package of made-up tools, both strict.

`python -m benchmarks.checkers 1000` checks with an empty cache of mypy, and again after an edit of the module. pyright
has no cache, so its two times differ by chance alone. `--old FOLDER` adds the package that the generator of another
checkout writes for the same definitions: `git worktree add FOLDER COMMIT` makes one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.builds import write_project
from benchmarks.figures import Figure
from benchmarks.made import Schema
from benchmarks.table import ABSENT, align_rows, format_cell, number

ROOT = Path(__file__).resolve().parent.parent
NEW, OLD = "new", "old"
COLD, EDITED = "cold", "edited"
MODULES, LINES, SECONDS, PROCESSOR = "modules", "lines", "s", "s of CPU"
HANDLERS = 30
"""How many tools the server has handlers for, at most."""
MODULE, CACHE = "server.py", ".mypy_cache"
PYRIGHT = ("pyright", "--pythonpath", sys.executable)
CHECKERS: dict[str, Sequence[str]] = {
    "mypy": ("mypy", "--strict", "--config-file=", "--cache-dir", CACHE, "."),
    "pyright": PYRIGHT,
    "pyright, the module alone": (*PYRIGHT, MODULE),
}
"""Checkers, and their commands. All but the last check the whole package, too; that one does what editors do."""
SERVER = """\
from mcp.server.mcpserver import MCPServer

import generated

server = MCPServer("made")
tools = generated.bind(server)
"""
HANDLER = """

@tools.{name}
def {name}(*, {parameters}) -> generated.{result}:
    return {value}
"""
EDIT = "\n\nif __name__ == '__main__':\n    server.run()\n"
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list[str]"}
VALUES = {"string": "AB1", "integer": 1, "number": 1.5, "boolean": True}


def measure(count: int, rounds: int, old: Path | None = None) -> list[Figure]:
    """Return sizes and times for a number of tools, of each checkout's package, each one's rounds between the others'.

    Raises:
        RuntimeError: a generator or a checker fails, or a checker finds a mistake.
    """
    checkouts = {NEW: ROOT} if old is None else {NEW: ROOT, OLD: old.resolve()}
    samples: dict[tuple[str, str, str], list[float]] = {}
    with write_project(count) as home:
        for side, checkout in checkouts.items():
            run(("mcpgen", "build", "-q", "--no-cache", "--sdk", "mcp", "--out", f"{side}/generated"), home, checkout)
            (home / side / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', "utf-8")
            modules = [path.read_text("utf-8") for path in (home / side / "generated").rglob("*.py")]
            samples["package", MODULES, side] = [len(modules)]
            samples["package", LINES, side] = [sum(len(text.splitlines()) for text in modules)]
        text = write_server(home / NEW / "generated" / "tools")
        for when in (COLD, EDITED) * rounds:
            for side in checkouts:
                (home / side / MODULE).write_text(text if when == COLD else text + EDIT, "utf-8")
                if when == COLD:
                    shutil.rmtree(home / side / CACHE, ignore_errors=True)
            for checker, command in CHECKERS.items():
                for side, checkout in checkouts.items():
                    for unit, sample in zip((SECONDS, PROCESSOR), run(command, home / side, checkout), strict=True):
                        samples.setdefault((f"{checker}, {when}", unit, side), []).append(sample)
    return [Figure.of(name, f"{count:,} tools", side, unit, found) for (name, unit, side), found in samples.items()]


def run(command: Sequence[str], folder: Path, checkout: Path) -> tuple[float, float]:
    """Run a Python module beside a checkout's generator and library; its seconds, and those of all its processes' CPU.

    Raises:
        RuntimeError: its exit code is not 0.
    """
    places = os.pathsep.join(str(checkout / place) for place in ("codegen", "runtime/src"))
    # otherwise, pyright asks the network whether there is a newer version
    environment = {**os.environ, "PYTHONPATH": places, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    words = [sys.executable, "-m", *command]
    before, start = os.times(), time.perf_counter()
    process = subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        output, _ = process.communicate()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    seconds, after = time.perf_counter() - start, os.times()
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)}: exit code {process.returncode}\n{output.decode('utf-8', 'replace')}")
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, processor


def write_server(tools: Path) -> str:
    """Return a module that binds handlers to tools whose results are objects, from the definitions in a folder."""
    definitions: Iterator[Schema] = (json.loads(path.read_bytes())["tool"] for path in sorted(tools.glob("*.json")))
    chosen = [tool for tool in definitions if tool.get("outputSchema", {}).get("type") == "object"][:HANDLERS]
    return SERVER + "".join(map(_write_handler, chosen))


def _write_handler(tool: Schema) -> str:
    """Return a handler: its result is an instance if all its values are plain, otherwise a typed dict."""
    arguments, value = tool["inputSchema"], make_value(tool["outputSchema"])
    parameters = [
        _write_parameter(name, schema, name in arguments["required"])
        for name, schema in arguments["properties"].items()
    ]
    result = "".join(map(str.capitalize, tool["name"].split("_"))) + "Result"
    text = f"generated.{result}({', '.join(f'{name}={item!r}' for name, item in value.items())})"
    if any(isinstance(item, dict | list) for item in value.values()):
        result, text = f"{result}Dict", repr(value)
    return HANDLER.format(name=tool["name"], parameters=", ".join(parameters), result=result, value=text)


def _write_parameter(name: str, schema: Schema, is_required: bool) -> str:
    kind = schema.get("type", "string")  # a choice has none
    annotation = TYPES[kind] if isinstance(kind, str) else TYPES[kind[0]]
    if isinstance(kind, list) or not is_required:
        annotation += " | None"
    return f"{name}: {annotation}" if is_required else f"{name}: {annotation} = None"


def make_value(schema: Schema) -> Any:
    """Return a value that fits a made-up schema, for type checkers, without what is optional."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: make_value(schema["properties"][name]) for name in schema["required"]}
        case "array":
            return [make_value(schema["items"])]
        case kind:
            return VALUES[kind if isinstance(kind, str) else kind[0]]


def render(figures: Sequence[Figure]) -> str:
    """Return a table with a row for each thing measured: both sides' figures, and the new one divided by the old."""
    rows: dict[str, list[Figure]] = {}
    for figure in figures:
        rows.setdefault(f"{figure.section}, {figure.unit}", []).append(figure)
    table = [[figures[0].value, *dict.fromkeys(figure.contestant for figure in figures), f"{NEW}/{OLD}"]]
    for name, sides in rows.items():
        cells = [f"{side.median:,.0f}" if side.unit in (MODULES, LINES) else format_cell(side) for side in sides]
        ratio = number(sides[0].median / sides[1].median) if len(sides) > 1 else ABSENT
        table.append([name, *cells, ratio])
    return align_rows(table)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checkers", description=__doc__)
    parser.add_argument("tools", nargs="?", type=int, default=1000, help="how many tools")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each")
    parser.add_argument("--old", type=Path, metavar="FOLDER", help="a checkout of another commit")
    options = parser.parse_args()
    if options.old and not (options.old / "codegen" / "mcpgen").is_dir():
        parser.error(f"no checkout of mcpgen: {options.old}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started ends, too
    print(render(measure(options.tools, options.rounds, options.old)))


if __name__ == "__main__":
    main()
