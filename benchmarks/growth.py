"""How costs grow with rows, fields, depth and tools: the points, and the slope through them on logarithmic scales.

As a program, it times the made-up tools of the package `grown` in the working folder, and prints the figures as JSON.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, create_model
from pydantic_core import to_json

from benchmarks.figures import Figure, exponent

Json = dict[str, Any]
FITTED = "growth, fitted"
STEEP, STEP = 1.15, 1.3
"""An exponent above which growth is called super-linear: over all sizes, or between one and the next."""
OBJECT, WIRE, READ = "to a CallToolResult", "to wire bytes", "from a dict to a CallToolResult"
OURS, SDK = "mcpgen on mcp 2.x", "mcp 2.x"
VERSION = "2026-07-28"
SIZES = {"rows": (50, 200, 1_000, 5_000, 20_000), "fields": (4, 16, 64, 256), "depth": (1, 4, 16, 64)}
QUICK = {"rows": (50, 200, 1_000), "fields": (4, 16, 64), "depth": (1, 4, 16)}
SECONDS = 0.03
"""How long a case is timed in a round, at least."""
SIZE = re.compile(r"([\d,]+) (\w+)")
TYPES: tuple[tuple[type, str, Any], ...] = (
    (str, "string", "north pier"),
    (int, "integer", 1204),
    (float, "number", 54.1203),
    (bool, "boolean", True),
)


# --- what is measured ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Shape:
    """A tool's result of some size: its schema, a value, and the class that one writes by hand for it."""

    kind: str
    size: int

    @property
    def tool(self) -> str:
        """Return the tool's name; rows of all numbers share one."""
        return "rows" if self.kind == "rows" else f"{self.kind}_{self.size}"

    @property
    def value(self) -> str:
        """Return what figures call it."""
        return f"{self.size:,} {self.kind}"

    def parts(self) -> tuple[Json, Json, type[BaseModel]]:
        """Return the schema, a value, the class."""
        match self.kind:
            case "fields":
                return _make_flat(self.size)
            case "rows":
                schema, value, model = _make_flat(len(TYPES))
                rows_model = create_model("Rows", rows=(list[model], ...))  # type: ignore[valid-type]
                return (
                    _make_object({"rows": {"type": "array", "items": schema}}),
                    {"rows": [value] * self.size},
                    rows_model,
                )
            case _:
                schema, value, model = _make_flat(len(TYPES))
                for _ in range(self.size - 1):
                    inner, (outer, around, _model) = schema, _make_flat(len(TYPES))
                    schema = _make_object({**outer["properties"], "inner": inner})
                    model = create_model("Outer", __base__=_model, inner=(model, ...))
                    value = {**around, "inner": value}
                return schema, value, model


def _make_flat(fields: int) -> tuple[Json, Json, type[BaseModel]]:
    kinds = {f"field_{number}": TYPES[number % len(TYPES)] for number in range(fields)}
    schema = _make_object({name: {"type": kind} for name, (_, kind, _) in kinds.items()})
    model: type[BaseModel] = create_model("Flat", **{name: (kind, ...) for name, (kind, _, _) in kinds.items()})  # type: ignore[call-overload]
    return schema, {name: value for name, (_, _, value) in kinds.items()}, model


def _make_object(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def list_shapes(sizes: dict[str, tuple[int, ...]]) -> list[Shape]:
    """All shapes of all sizes."""
    return [Shape(kind, size) for kind, numbers in sizes.items() for size in numbers]


# --- points ----------------------------------------------------------------------------------------------------------
def measure(rounds: int, quick: bool) -> list[Figure]:
    """Times against rows, fields and depth, in an interpreter of its own; the points only, see `fits`."""
    sizes: dict[str, tuple[int, ...]] = {**(QUICK if quick else SIZES)}
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as name:
        folder = Path(name)
        (folder / "schemas").mkdir()
        for shape in list_shapes(sizes):
            tool = {"name": shape.tool, "inputSchema": {"type": "object"}, "outputSchema": shape.parts()[0]}
            (folder / "schemas" / f"{shape.tool}.json").write_text(json.dumps(tool), "utf-8")
        build = [sys.executable, "-m", "mcpgen", "build", "-q", "--sdk", "mcp", "--out", "grown", "--no-cache"]
        subprocess.run(build, cwd=folder, check=True)
        places = [str(folder), str(Path(__file__).resolve().parent.parent)]
        command = [sys.executable, "-m", "benchmarks.growth", json.dumps(sizes), str(rounds)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
        out = subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE).stdout
    return [Figure(**figure) for figure in json.loads(out)]


def make_cases(shape: Shape) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Section, contestant and function, of the package `grown` and of the SDK itself."""
    _, value, model = shape.parts()
    cls: Any = importlib.import_module("grown").RESULT_TYPES[shape.tool]
    metadata: Any = importlib.import_module("mcp.server.mcpserver.utilities.func_metadata")
    methods: Any = importlib.import_module("mcp_types.methods")

    def handler() -> Any: ...

    handler.__annotations__["return"] = model
    convert = metadata.func_metadata(handler).convert_result
    ours, theirs = cls.from_structured_content(value), model.model_validate(value)

    def served() -> bytes:
        dumped = convert(theirs).model_dump(by_alias=True, mode="json", exclude_none=True)
        return to_json(methods.serialize_server_result("tools/call", VERSION, dumped))

    wire = json.loads(ours.to_wire_json())
    assert wire["structuredContent"] == json.loads(served())["structuredContent"] == value
    yield f"{OBJECT}, against {shape.kind}", OURS, ours.to_call_tool_result
    yield f"{OBJECT}, against {shape.kind}", SDK, lambda: convert(theirs)
    yield f"{WIRE}, against {shape.kind}", OURS, ours.to_wire_json
    yield f"{WIRE}, against {shape.kind}", SDK, served
    yield f"{READ}, against {shape.kind}", OURS, lambda: cls.normalize(value)
    yield f"{READ}, against {shape.kind}", SDK, lambda: convert(value)


def time_shapes(shapes: Iterable[Shape], rounds: int, seconds: float = SECONDS) -> list[Figure]:
    """Return the figures of shapes, each case timed once a round, in another order every round."""
    runs = [(shape, *case) for shape in shapes for case in make_cases(shape)]
    gc.collect()
    gc.freeze()  # the values of all cases are no part of what one case's garbage costs
    loops = [max(1, round(seconds / _measure_seconds(case[-1], 2))) for case in runs]
    times: list[list[float]] = [[] for _ in runs]
    order, chance = list(range(len(runs))), random.Random(0)
    for _ in range(rounds):
        chance.shuffle(order)
        for index in order:
            times[index].append(1e6 * _measure_seconds(runs[index][-1], loops[index]))
    return [
        Figure.of(section, shape.value, contestant, "µs", took)
        for (shape, section, contestant, _), took in zip(runs, times, strict=True)
    ]


def _measure_seconds(run: Callable[[], object], loops: int) -> float:
    """Processor time of one loop: other processes on the machine don't count."""
    gc.collect()
    start = time.process_time()
    for _ in range(loops):
        run()
    return max((time.process_time() - start) / loops, 1e-7)


# --- slopes ----------------------------------------------------------------------------------------------------------
def fits(figures: Iterable[Figure]) -> list[Figure]:
    """Return the exponent of each contestant's cost in each section that was measured at three sizes or more.

    Of the figure that is given for it, `median` is the exponent over all sizes, `low` and `high` the least and the
    greatest between one size and the next. Sizes are what the values begin with, `2,000 rows` or `10 tools`.
    """
    series: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for figure in figures:
        if (size := SIZE.fullmatch(figure.value)) and figure.unit != "calls/s" and figure.median > 0:
            key = (figure.section, size[2], figure.contestant)
            series.setdefault(key, []).append((float(size[1].replace(",", "")), figure.median))
    return [_fit(*key, sorted(points)) for key, points in series.items() if len(dict(points)) > 2]


def _fit(section: str, noun: str, contestant: str, points: list[tuple[float, float]]) -> Figure:
    steps = [exponent(pair) for pair in itertools.pairwise(points)]
    name = section if noun in section else f"{section}, against {noun}"
    return Figure(FITTED, name, contestant, "exponent", exponent(points), min(steps), max(steps), len(points))


def is_steep(fit: Figure) -> bool:
    """Return whether a fitted figure says that the cost grows faster than the size."""
    return fit.unit == "exponent" and (fit.median > STEEP or fit.high > STEP)


def format_fits(fit: Figure) -> str:
    """A fitted figure in a table's cell; what is super-linear is marked."""
    text = f"{fit.median:.2f} ({fit.low:.2f} to {fit.high:.2f})"
    return f"{text} SUPER-LINEAR" if is_steep(fit) else text


def main() -> None:
    """Print the points as JSON: of the sizes that the first argument holds, in as many rounds as the second says."""
    sys.setrecursionlimit(10_000)  # pydantic writes the JSON schema of 64 nested classes with more calls than 1,000
    sizes: dict[str, tuple[int, ...]] = json.loads(sys.argv[1])
    print(json.dumps([asdict(figure) for figure in time_shapes(list_shapes(sizes), int(sys.argv[2]))]))


if __name__ == "__main__":
    main()
