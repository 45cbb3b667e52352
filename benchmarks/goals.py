"""What the speed has to be, as ratios of figures of one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from benchmarks.cases import DATACLASS, DICT, HAND, MODEL, OBJECT, WIRE, format_section
from benchmarks.contestants import generated, mcp1, mcp2, plain
from benchmarks.figures import Figure
from benchmarks.values import BINARY, LARGE, MIDDLE, SMALL, TEXT

Key = tuple[str, str, str]
"""A figure's section, value and contestant."""
CALLS, IN_FLIGHT = "calls per second over {transport}", "calls per second over {transport}, 8 in flight"
CPU = "CPU milliseconds of the server a call over {transport}"
TIMES = "calls per second over {transport}, in times of the SDK's own decorators"
LESS = "CPU time of the server a call over {transport}, the SDK's own in times of it"
"""Ratios of what was measured one after the other, whose median is taken."""
STDIO, HTTP = "stdio", "Streamable HTTP"
SERVED = (SMALL, MIDDLE, LARGE)


@dataclass(frozen=True)
class Goal:
    """What one figure, divided by another, has to be; `by` None: what the figure itself has to be."""

    name: str
    figure: Key
    by: Key | None
    least: float | None = None
    most: float | None = None

    def judge(self, figures: Mapping[Key, Figure]) -> Outcome | None:
        """How it came out, None where what it is about was not measured."""
        over = figures.get(self.figure)
        under = None if self.by is None else figures.get(self.by)
        if over is None or (self.by is not None and under is None):
            return None
        ratio = over.median / (1.0 if under is None else under.median)
        is_met = (self.least is None or ratio >= self.least) and (self.most is None or ratio <= self.most)
        return Outcome(self, ratio, is_met)


@dataclass(frozen=True)
class Outcome:
    """A goal and what was measured."""

    goal: Goal
    ratio: float
    met: bool


def judge_goals(goals: Iterable[Goal], figures: Sequence[Figure]) -> list[Outcome]:
    """Return the outcomes of all goals whose figures there are."""
    known = {(figure.section, figure.value, figure.contestant): figure for figure in figures}
    return [outcome for goal in goals if (outcome := goal.judge(known)) is not None]


def list_conversion_goals() -> list[Goal]:
    """Of a handler's value on its way to a result."""
    ours, theirs, floor = generated.name_contestant("mcp"), mcp2.NAME, plain.FLOOR
    wire, objects = format_section(WIRE, MODEL), format_section(OBJECT, MODEL)
    goals = [
        Goal(f"wire bytes, {value}: times faster than mcp 2.x", (wire, value, theirs), (wire, value, ours), least=least)
        for value, least in ((SMALL, 15), (MIDDLE, 6), (LARGE, 8))
    ]
    for value in (MIDDLE, LARGE):
        for row, most in ((value, 2), (f"{value}, template", 1.4), (f"{value}, no text", 1.4)):
            text = f"wire bytes, {row if row != value else f'{value}, JSON text'}: times the floor"
            goals.append(Goal(text, (wire, row, ours), (wire, value, floor), most=most))
    for value, least in ((SMALL, 4.0), (MIDDLE, 1.5), (LARGE, 1.5)):
        text = f"CallToolResult, {value}: times faster than mcp 2.x"
        goals.append(Goal(text, (objects, value, theirs), (objects, value, ours), least=least))
    dedalus = generated.name_contestant("dedalus")
    for value, least in ((SMALL, 5.0), (MIDDLE, 12.0), (LARGE, 12.0)):
        text = f"CallToolResult, {value}: times faster than dedalus-mcp"
        goals.append(Goal(text, (objects, value, mcp1.DEDALUS), (objects, value, dedalus), least=least))
    return goals


def list_ahead_goals() -> list[Goal]:
    """Of all that no other goal speaks of: ahead of the run-time normalizer of the same SDK."""
    pairs = {"mcp": mcp2.NAME, "mcp1": mcp1.NAME, "fastmcp": mcp2.FASTMCP, "dedalus": mcp1.DEDALUS}
    goals: list[Goal] = []
    for form, target in product((MODEL, DICT, DATACLASS, HAND), (OBJECT, WIRE)):
        heading, same = format_section(target, form), format_section(target, MODEL if form == HAND else form)
        for value in (SMALL, MIDDLE, LARGE, TEXT, BINARY):
            for sdk, theirs in pairs.items():
                text = f"{heading}, {value}: times faster than {theirs}"
                goals.append(
                    Goal(text, (same, value, theirs), (heading, value, generated.name_contestant(sdk)), least=1)
                )
    return goals


def list_import_goals() -> list[Goal]:
    """Of what a package adds to a server's start."""
    from benchmarks.imports import IMPORT, MODULES

    name, many, few = generated.name_contestant("mcp"), "1,000 tools", "10 tools"
    return [
        Goal(f"{IMPORT}, {many}: ms", (IMPORT, many, name), None, most=60),
        Goal(f"{MODULES}, {many}: times that of {few}", (MODULES, many, name), (MODULES, few, name), most=1),
    ]


def list_build_goals() -> list[Goal]:
    """Of `mcpgen build`, on two cores."""
    from benchmarks.builds import COLD, MEMORY, SAME, TIME

    many, most = "1,000 tools", "10,000 tools"
    return [
        Goal(f"{COLD}, {many}: s", (TIME, many, COLD), None, most=20),
        Goal(f"{COLD}, {many}: MiB", (MEMORY, many, COLD), None, most=500),
        Goal(f"{SAME}, {many}: s", (TIME, many, SAME), None, most=0.4),
        Goal(f"{COLD}, {most}: times the time of {many}", (TIME, most, COLD), (TIME, many, COLD), most=11.5),
    ]


def list_server_goals() -> list[Goal]:
    """Of calls through servers on mcp 2.x: calls a second, and the CPU time, which busy machines leave alone."""
    ours = generated.name_contestant("mcp")
    goals: list[Goal] = []
    for heading in (TIMES, LESS):
        for transport in (STDIO, HTTP):
            name = heading.format(transport=transport)
            for value in SERVED:
                least = 1.8 if value == LARGE else 1.0
                goals.append(Goal(f"{name}, {value}", (name, value, ours), None, least=least))
    return goals
