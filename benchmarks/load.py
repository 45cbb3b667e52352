"""A load over Streamable HTTP, on tools that are bound and on the SDK's own.

`python -m benchmarks.load` starts two servers on mcp 2.x, both with the Python that it runs in, and drives each for the
minutes that are asked for, by turns of some seconds, with all connections and one value at a time. It prints what calls
took, and the memory of the servers. The first turn of each server with each value is a warm-up, beyond those minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import statistics
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from benchmarks import client, environments, table, values
from benchmarks.goals import HTTP
from benchmarks.servers import Cell

KINDS = ("bound", "own")
VALUES = (values.SMALL, values.LARGE)
SECONDS = 10.0
"""How long a turn takes, about."""
CALLS = ("calls/s", "p50, ms", "p99, ms", "CPU of the server, ms")
MEMORY = ("start", "middle", "end", "growth")
"""After the warm-up, half the turns and all; growth is from the second quarter of the turns to the last, of medians."""
RATIO = "own / bound"
KIB = 1024
Rows: TypeAlias = dict[str, list[float]]


@dataclass
class Server:
    """A server, with a cell for each value; and its memory in MiB after each turn."""

    cells: list[Cell]
    resident: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)

    async def take_turn(self, index: int, seconds: float) -> None:
        """Drive it with the value of that index."""
        await self.cells[index].drive(seconds)
        resident, peak = read_memory(self.cells[index].client.process)
        self.resident.append(resident)
        self.peak.append(peak)


def read_memory(process: int) -> tuple[float, float]:
    """MiB that a process has in memory, and the most that it had (Linux; 0 elsewhere)."""
    status = Path(f"/proc/{process}/status")
    sizes = dict(re.findall(r"(VmRSS|VmHWM):\s*(\d+)", status.read_text("utf-8") if status.exists() else ""))
    return int(sizes.get("VmRSS", 0)) / KIB, int(sizes.get("VmHWM", 0)) / KIB


@asynccontextmanager
async def open_server(kind: str, connections: int) -> AsyncIterator[Server]:
    """A server that it starts, whose results are checked against the values."""
    command = [sys.executable, "-m", "benchmarks.serving", "mcp", kind]
    log = environments.CACHE / "servers.log"
    async with client.connect_http(command, environments.make_variables(), log) as opened:
        held = {value.name: value for value in values.make_values()}
        server = Server([Cell(opened, HTTP, held[name], "mcp", kind, connections) for name in VALUES])
        for cell in server.cells:
            await cell.check(exact=kind == "bound")
        yield server


def measure(minutes: float, connections: int, seconds: float = SECONDS) -> tuple[Rows, Rows]:
    """Return what calls took and the memory of the servers, as rows with the columns `CALLS` and `MEMORY`.

    Args:
        minutes: how long each server is driven, in halves for the two values.
        connections: how many calls are in flight.
        seconds: about how long a turn takes; there are at least two with each value.
    """
    environments.build_packages(["mcp"])
    each = minutes * 60 / len(VALUES)
    rounds = max(2, round(each / seconds))
    return asyncio.run(_measure(rounds, each / rounds, connections))


async def _measure(rounds: int, seconds: float, connections: int) -> tuple[Rows, Rows]:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(open_server(kind, connections)) for kind in KINDS]
        for number in range(rounds + 1):
            for index in range(len(VALUES)):
                for server in servers if number % 2 else reversed(servers):
                    await server.take_turn(index, seconds)
            print(f"{number} of {rounds} rounds" if number else "warm", file=sys.stderr)
        return describe_calls(servers), describe_memory(servers)


def describe_calls(servers: Sequence[Server]) -> Rows:
    """Return the figures of each value and server, and the ratio of each figure."""
    rows: Rows = {}
    for index, name in enumerate(VALUES):
        cells = [server.cells[index] for server in servers]
        bound, own = described = [_describe_cell(cell) for cell in cells]
        rows |= {f"{name}, {cell.contestant}": row for cell, row in zip(cells, described, strict=True)}
        ratios = [theirs / ours if ours else 0.0 for ours, theirs in zip(bound, own, strict=True)]
        rows[f"{name}, {RATIO}"] = ratios
    return rows


def _describe_cell(cell: Cell) -> list[float]:
    """Leave the warm-up out, and take the calls of all turns together."""
    turns = list(zip(cell.latencies, cell.rates, cell.costs, strict=True))[1:]
    latencies = [latency for took, _, _ in turns for latency in took]
    percentiles = statistics.quantiles(latencies, n=100, method="inclusive")
    rate = len(latencies) / sum(len(took) / rate for took, rate, _ in turns)
    cost = sum(len(took) * cost for took, _, cost in turns) / len(latencies)
    return [rate, percentiles[49], percentiles[98], cost]


def describe_memory(servers: Sequence[Server]) -> Rows:
    """Return the memory of each server."""
    rows: Rows = {}
    for server in servers:
        for what, sizes in (("resident", server.resident), ("peak", server.peak)):
            start, *turns = sizes[len(VALUES) - 1 :]
            quarter = len(turns) // 4
            growth = statistics.median(turns[-quarter:]) - statistics.median(turns[quarter : 2 * quarter])
            rows[f"{server.cells[0].contestant}, {what}"] = [start, turns[len(turns) // 2 - 1], turns[-1], growth]
    return rows


def render_rows(heading: str, columns: Sequence[str], rows: Mapping[str, Sequence[float]]) -> str:
    """Return a table as aligned text."""
    return table.align_rows([[heading, *columns], *([name, *map(table.number, row)] for name, row in rows.items())])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long each server is driven (default: 10)")
    parser.add_argument("--connections", type=int, default=64, help="calls in flight (default: 64)")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the servers are ended then, too
    calls, memory = measure(options.minutes, options.connections)
    print(f"{options.minutes:g} minutes for each server, {options.connections} connections over {HTTP}\n")
    print(render_rows("", CALLS, calls))
    print(f"\n{render_rows('MiB', MEMORY, memory)}")


if __name__ == "__main__":
    main()
