"""Processor time of every command over made-up tools, and of a build against what a schema can have many of.

`python -m benchmarks.commands` prints the figures and the exponents of their growth.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcpgen import app
from mcpgen.config.load import load_packages
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.cached_steps import ignore_progress

from benchmarks.builds import Run, run, write_project
from benchmarks.figures import Figure
from benchmarks.growth import fits, format_fits
from benchmarks.made import change
from benchmarks.table import render_text

SIZES, QUICK = (250, 500, 1000), (10, 20, 40)
COMMANDS_TIME, COMMANDS_WALL = "commands, processor time of all processes", "commands, time"
BUILD_TIME = "build of a schema, processor time"
BUILD, UNCACHED = "build without a cache", "check without a cache"
CACHED = "check with the cache of a build elsewhere"
SERVER = """
import asyncio, json, pathlib
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import ListToolsResult

FILES = sorted(pathlib.Path("generated/tools").glob("*.json"))
ANSWER = ListToolsResult.model_validate({"tools": [json.loads(path.read_bytes())["tool"] for path in FILES]})

async def list_tools(context, parameters):
    return ANSWER

async def main():
    server = Server("made-up", on_list_tools=list_tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

asyncio.run(main())
"""
"""A server that lists what a package declares."""
Json = dict[str, Any]


def measure(rounds: int, quick: bool) -> list[Figure]:
    """Return the figures of all commands for some numbers of tools, and of builds of single schemas."""
    figures = [figure for count in (QUICK if quick else SIZES) for figure in measure_commands(count, rounds)]
    return [*figures, *measure_schemas(rounds, quick)]


# --- commands --------------------------------------------------------------------------------------------------------
def measure_commands(count: int, rounds: int) -> Iterator[Figure]:
    """Yield the figures of every command over a number of tools."""
    runs: dict[str, list[Run]] = {}
    mcpgen = [sys.executable, "-m", "mcpgen"]
    with write_project(count) as folder:
        run([*mcpgen, "build", "-q", "--sdk", "mcp", "--cache-dir", "../cache"], folder)
        (folder / "mcpgen.toml").write_text('sdk = "mcp"\n', "utf-8")
        run([*mcpgen, "build", "-q", "--cache-dir", "../cache"], folder)
        (folder / "server.py").write_text(SERVER, "utf-8")
        shutil.copytree(folder / "schemas", folder.parent / "old" / "schemas")
        change(folder, "Changed.")
        run([*mcpgen, "build", "-q", "--cache-dir", "../cache"], folder)
        server = f"{sys.executable} server.py"
        commands: dict[str, Sequence[str]] = {
            BUILD: ["build", "-q", "--no-cache", "--out", "../elsewhere"],
            UNCACHED: ["check", "-q", "--no-cache"],
            CACHED: ["check", "-q", "--cache-dir", "../copied"],
            "diff": ["diff", "-q", "--no-cache", "../old/schemas", "schemas"],
            "lint": ["lint", "-q"],
            "docs": ["docs", "-q", "--out", "../reference"],
            "prove, 5 examples a tool": ["prove", "-q", "--max-examples", "5"],
            "pull": ["pull", server, "-q", "--out", "../pulled", "--force"],
            "check --server": ["check", "-q", "--server", server],
        }
        for _ in range(rounds):
            for name, arguments in commands.items():
                shutil.rmtree(folder.parent / "elsewhere", ignore_errors=True)
                if name == CACHED:
                    copy_results(folder.parent / "cache", folder.parent / "copied")
                codes = (0, 7) if name == "lint" else (0,)  # made-up tools have names that rules report
                runs.setdefault(name, []).append(run([*mcpgen, *arguments], folder, codes))
    for name, samples in runs.items():
        value = f"{count:,} tools"
        yield Figure.of(COMMANDS_TIME, value, name, "s", [sample.processor for sample in samples])
        yield Figure.of(COMMANDS_WALL, value, name, "s", [sample.seconds for sample in samples])


def copy_results(cache: Path, copied: Path) -> None:
    """Copy a cache as CI restores it: without the runs, which were another checkout's."""
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(cache, copied, ignore=shutil.ignore_patterns("v1-run"))
    copied.chmod(0o700)


# --- single schemas --------------------------------------------------------------------------------------------------
def _make_fields(size: int) -> list[Json]:
    properties = {f"field_{number}": {"type": "string"} for number in range(size)}
    return [{"type": "object", "properties": properties, "required": [*properties][: size // 2]}]


def _make_depth(size: int) -> list[Json]:
    schema: Json = {"type": "object", "properties": {"value": {"type": "string"}}}
    for number in range(size - 1):
        schema = {"type": "object", "properties": {f"level_{number}": schema, "value": {"type": "string"}}}
    return [schema]


def _make_members(size: int) -> list[Json]:
    members = [f"member {number}" for number in range(size)]
    return [{"type": "object", "properties": {"chosen": {"enum": members}}}]


def _make_shared(size: int) -> list[Json]:
    """Two tools with the same objects, which become shared classes."""
    parts = {
        f"part_{number}": {"type": "object", "properties": {f"a_{number}": {"type": "string"}}}
        for number in range(size)
    }
    return [{"type": "object", "properties": {**parts, extra: {"type": "string"}}} for extra in ("first", "second")]


AXES: dict[str, tuple[Callable[[int], list[Json]], tuple[int, ...]]] = {
    "fields": (_make_fields, (64, 256, 1024)),
    "levels": (_make_depth, (8, 16, 32)),
    "members": (_make_members, (256, 1024, 4096)),
    "classes": (_make_shared, (32, 128, 512)),
}
"""What a schema can have many of, such as members of an enum and classes that two tools share: a function that makes
the outputSchemas of some size, and the sizes.
"""


def measure_schemas(rounds: int, quick: bool) -> Iterator[Figure]:
    """Yield what a build costs in a process that has built before, by what the schema has many of."""
    with _write_schemas([{"type": "object"}]) as folder:
        _generate(folder)
    for noun, (make_schemas, sizes) in AXES.items():
        for size in [max(1, size // 8) for size in sizes] if quick else sizes:
            with _write_schemas(make_schemas(size)) as folder:
                costs = [_generate(folder) for _ in range(rounds)]
            yield Figure.of(BUILD_TIME, f"{size:,} {noun}", "mcpgen", "s", costs)


@contextmanager
def _write_schemas(schemas: Sequence[Json]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as name:
        folder = Path(name)
        (folder / "schemas").mkdir()
        (folder / "mcpgen.toml").write_text("", "utf-8")
        for number, schema in enumerate(schemas):
            tool = {"name": f"tool_{number}", "inputSchema": {"type": "object"}, "outputSchema": schema}
            (folder / "schemas" / f"{number}.json").write_text(json.dumps(tool), "utf-8")
        yield folder


def _generate(folder: Path) -> float:
    """Return the processor time that all passes over a package take, in seconds."""
    (package,) = load_packages(folder / "mcpgen.toml", folder, Findings())
    start = time.process_time()
    outcome = app.generate_package(package, 1, ignore_progress)
    seconds = time.process_time() - start
    assert outcome.generated is not None, [*outcome.findings]
    return seconds


def main() -> None:
    """Measure, and print the tables and the exponents."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each")
    parser.add_argument("--quick", action="store_true", help="small numbers")
    options = parser.parse_args()
    figures = measure(options.rounds, options.quick)
    print(render_text(figures))
    for fit in fits(figures):
        print(f"{fit.value}: {fit.contestant}: {format_fits(fit)}")


if __name__ == "__main__":
    main()
