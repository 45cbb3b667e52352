"""Calls through real servers: how many a second, and how long one takes, over stdio and Streamable HTTP."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks import client, values
from benchmarks.client import Client
from benchmarks.contestants import generated, mcp1, mcp2
from benchmarks.environments import CACHE, make_variables
from benchmarks.figures import Figure
from benchmarks.goals import CALLS, CPU, HTTP, IN_FLIGHT, LESS, LOW_LEVEL_LESS, LOW_LEVEL_TIMES, STDIO, TIMES

SECONDS, QUICK_SECONDS = 0.12, 0.02
"""How long a server is driven with a value in a round."""
TWICE = 2
"""As many rounds for one of the conversions: what is measured here is the time of the clock, which is less steady."""
COPIES = 3
"""As many servers of mcp 2.x: one process is faster than another of the same kind by a few in a hundred."""
CORES = 2
FLIGHT = 8
OWN = {"mcp": mcp2.NAME, "mcp1": mcp1.NAME, "fastmcp": mcp2.FASTMCP, "dedalus": mcp1.DEDALUS}
EXPLAINING = {
    "ready": "mcp 2.x, result made before",
    "bound-low-level": "mcpgen on mcp 2.x, low-level",
    "bound-without-gc": "mcpgen on mcp 2.x, no garbage collector",
    "own-without-gc": "mcp 2.x, no garbage collector",
}
"""Kinds of servers that explain where the time goes, and what each is called."""
SERVERS = [
    *((sdk, kind) for sdk in OWN for kind in ("bound", "own")),
    *(("mcp", kind) for kind in ("low-level", *EXPLAINING)),
]
ARGUMENTS: dict[str, dict[str, int]] = {values.SMALL: {}, **{name: {"rows": n} for name, n in values.ROWS.items()}}
LATENCY = "milliseconds of a call over {transport}, {part}"


@dataclass
class Cell:
    """A value through a server, some calls in flight; with what was measured of it."""

    client: Client
    transport: str
    value: values.Value
    sdk: str
    kind: str
    flight: int
    copy: int = 0
    length: int = 0
    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    latencies: list[list[float]] = field(default_factory=list)

    @property
    def contestant(self) -> str:
        """Return what the server is called in tables."""
        names = {"bound": generated.name_contestant(self.sdk), "own": OWN[self.sdk], "low-level": mcp2.LOW_LEVEL}
        return {**names, **EXPLAINING}[self.kind]

    @property
    def body(self) -> bytes:
        """Return the call."""
        return client.call(self.value.tool, ARGUMENTS[self.value.name])

    async def check(self, exact: bool) -> None:
        """Call once and hold the result against the value.

        Raises:
            AssertionError: another one came.
        """
        values.check(self.value, await self.client.request(*_make_request(self.value)), exact)
        self.length = len(await self.client.raw(self.body))

    async def drive(self, seconds: float) -> None:
        """Call for so long, at least once for each call in flight."""
        body, took, clock = self.body, list[float](), time.perf_counter
        spent, start = read_processor_time(self.client.process), clock()
        until = start + seconds

        async def one() -> None:
            while True:
                call_start = clock()
                answer = await self.client.raw(body)
                call_end = clock()
                took.append((call_end - call_start) * 1000)
                assert abs(len(answer) - self.length) < 10, answer[:500]  # another result, such as an error
                if call_end >= until:
                    return

        await asyncio.gather(*(one() for _ in range(self.flight)))
        self.rates.append(len(took) / (clock() - start))
        self.costs.append((read_processor_time(self.client.process) - spent) * 1000 / len(took))
        self.latencies.append(took)

    def figures(self) -> list[Figure]:
        """Calls a second and, of one at a time, what they took the server and the percentiles of what they took."""
        heading = (CALLS if self.flight == 1 else IN_FLIGHT).format(transport=self.transport)
        figures = [Figure.of(heading, self.value.name, self.contestant, "calls/s", self.rates)]
        if self.flight == 1:
            figures += [self._percentile(50), self._percentile(99)]
            if any(self.costs):
                name = CPU.format(transport=self.transport)
                figures.append(Figure.of(name, self.value.name, self.contestant, "ms", self.costs))
        return figures

    def _percentile(self, part: int) -> Figure:
        """Of the calls of all rounds; the quartiles are those of the rounds' own percentiles."""
        heading = LATENCY.format(transport=self.transport, part="median" if part == 50 else f"p{part}")
        of_rounds = Figure.of("", "", "", "ms", [_compute_quantile(took, part) for took in self.latencies])
        overall = _compute_quantile([latency for took in self.latencies for latency in took], part)
        low, high = of_rounds.low, of_rounds.high
        return Figure(heading, self.value.name, self.contestant, "ms", overall, low, high, of_rounds.rounds)


def read_processor_time(process: int) -> float:
    """Seconds of CPU time that a process has had, all of its threads; 0 where the system does not say."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(thread.read_text("ascii").split()[0]) for thread in threads) / 1e9


def _make_request(value: values.Value) -> tuple[str, dict[str, object]]:
    return "tools/call", {"name": value.tool, "arguments": ARGUMENTS[value.name]}


def _compute_quantile(took: list[float], part: int) -> float:
    return statistics.quantiles(took, n=100, method="inclusive")[part - 1] if len(took) > 1 else took[0]


def measure(pythons: Mapping[str, Path], rounds: int, quick: bool) -> list[Figure]:
    """Return the figures of all servers, which are all up while each is driven in turn.

    Args:
        pythons: the interpreter of each SDK's environment.
        rounds: how often each is driven with each value.
        quick: only for a moment, and only mcp 2.x.
    """
    if quick:
        pythons = {sdk: python for sdk, python in pythons.items() if sdk == "mcp"}
    return asyncio.run(_measure(pythons, rounds if quick else rounds * TWICE, QUICK_SECONDS if quick else SECONDS))


async def _measure(pythons: Mapping[str, Path], rounds: int, seconds: float) -> list[Figure]:
    async with AsyncExitStack() as stack:
        cells: list[Cell] = []
        client_cores, server_cores = stack.enter_context(_divide_cores())
        _keep_to(server_cores)
        for transport in (STDIO, HTTP):
            for sdk, kind in SERVERS:
                for copy in range(_copies(sdk, kind, rounds) if sdk in pythons else 0):
                    opened = await stack.enter_async_context(_open(pythons[sdk], sdk, kind, transport))
                    cells += await _open_cells(opened, transport, sdk, kind, copy)
        _keep_to(client_cores)
        chance, servers = random.Random(0), {cell.client.process for cell in cells}
        for number in range(rounds):
            for cell in _order(cells, chance):
                await cell.drive(seconds)
            print(f"{number + 1} of {rounds} rounds of calls through {len(servers)} servers", file=sys.stderr)
    together = _merge_copies(cells)
    return [figure for cell in together for figure in cell.figures()] + [*compute_ratios(together)]


@contextmanager
def _divide_cores() -> Iterator[tuple[set[int], set[int]]]:
    """A core for the client and the others for the servers, as what moves about is less steady."""
    if not hasattr(os, "sched_getaffinity") or len(all_cores := os.sched_getaffinity(0)) < CORES:
        yield set(), set()
        return
    server_core = {min(all_cores)}
    try:
        yield server_core, all_cores - server_core
    finally:
        os.sched_setaffinity(0, all_cores)


def _keep_to(cores: set[int]) -> None:
    """Keep this process, and those that it starts from now on, to some cores."""
    if cores:
        os.sched_setaffinity(0, cores)


def _copies(sdk: str, kind: str, rounds: int) -> int:
    return COPIES if sdk == "mcp" and kind not in EXPLAINING and rounds > 1 else 1


def _merge_copies(cells: list[Cell]) -> list[Cell]:
    """Return the cells of one server each, with what was measured of all its copies."""
    copies: dict[tuple[str, str, int, str], list[Cell]] = {}
    for cell in cells:
        copies.setdefault((cell.transport, cell.value.name, cell.flight, cell.contestant), []).append(cell)
    return [
        replace(
            same_cells[0],
            rates=[rate for cell in same_cells for rate in cell.rates],
            costs=[cost for cell in same_cells for cost in cell.costs],
            latencies=[took for cell in same_cells for took in cell.latencies],
        )
        for same_cells in copies.values()
    ]


def _group_cells(cells: list[Cell]) -> list[list[Cell]]:
    """Those that are compared: the bound tools, the SDK's own, and those of the low-level server."""
    pairs: dict[tuple[str, str, int, str, int], list[Cell]] = {}
    for cell in cells:
        pairs.setdefault((cell.transport, cell.value.name, cell.flight, cell.sdk, cell.copy), []).append(cell)
    return [*pairs.values()]


def _order(cells: list[Cell], chance: random.Random) -> list[Cell]:
    """Those that are compared one after the other, else by chance."""
    groups = _group_cells(cells)
    return [cell for group in chance.sample(groups, len(groups)) for cell in chance.sample(group, len(group))]


def compute_ratios(cells: list[Cell]) -> Iterator[Figure]:
    """Ratios of bound tools to each other kind in each round, when they were driven one after the other."""
    headings = {"own": (TIMES, LESS), "low-level": (LOW_LEVEL_TIMES, LOW_LEVEL_LESS)}
    for group in _group_cells(cells):
        ours, *others = sorted(group, key=lambda cell: cell.kind != "bound")
        for theirs in (other for other in others if ours.flight == 1 and other.kind in headings):
            more = [our_value / their_value for our_value, their_value in zip(ours.rates, theirs.rates, strict=True)]
            less = [
                their_value / our_value
                for our_value, their_value in zip(ours.costs, theirs.costs, strict=True)
                if our_value
            ]
            for heading, ratio_values in zip(headings[theirs.kind], (more, less), strict=True):
                if ratio_values:
                    name = heading.format(transport=ours.transport)
                    yield Figure.of(name, ours.value.name, ours.contestant, "times", ratio_values)


def _open(python: Path, sdk: str, kind: str, transport: str) -> client.Opened:
    command = [str(python), "-m", "benchmarks.serving", sdk, kind]
    CACHE.mkdir(exist_ok=True)
    connect = client.connect_stdio if transport == STDIO else client.connect_http
    return connect(command, make_variables(), CACHE / "servers.log")


async def _open_cells(opened: Client, transport: str, sdk: str, kind: str, copy: int) -> list[Cell]:
    """Return the cells of a server, whose results are checked against the values."""
    cells: list[Cell] = []
    for value in values.make_values():
        if value.name in ARGUMENTS:
            for flight in (1, FLIGHT) if value.name != values.LARGE else (1,):
                cell = Cell(opened, transport, value, sdk, kind, flight, copy)
                await cell.check(exact=kind.startswith("bound"))
                cells.append(cell)
    return cells
