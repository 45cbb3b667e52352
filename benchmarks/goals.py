"""What the speed has to be, as ratios of figures of one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from benchmarks.cases import CALL, DATACLASS, DICT, HAND, MODEL, OBJECT, READ, READ_TEXT, WIRE, format_section
from benchmarks.contestants import checks, clients, generated, mcp1, mcp2, plain
from benchmarks.figures import Figure
from benchmarks.values import BINARY, LARGE, MIDDLE, SMALL, TEXT

Key = tuple[str, str, str]
"""A figure's section, value and contestant."""
CALLS, IN_FLIGHT = "calls per second over {transport}", "calls per second over {transport}, 8 in flight"
CPU = "CPU milliseconds of the server a call over {transport}"
TIMES = "calls per second over {transport}, in times of the SDK's own decorators"
LESS = "CPU time of the server a call over {transport}, the SDK's own in times of it"
LOW_LEVEL_TIMES = "calls per second over {transport}, in times of the low-level server with a dict"
LOW_LEVEL_LESS = "CPU time of the server a call over {transport}, the low-level server's in times of it"
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
    """Of a handler's value on its way to a result, and back."""
    ours, theirs, floor = generated.name_contestant("mcp"), mcp2.NAME, plain.FLOOR
    wire, objects = format_section(WIRE, MODEL), format_section(OBJECT, MODEL)
    goals = [
        Goal(f"wire bytes, {value}: times faster than mcp 2.x", (wire, value, theirs), (wire, value, ours), least=least)
        for value, least in ((SMALL, 20), (MIDDLE, 12), (LARGE, 22))
    ]
    for value, most in ((SMALL, 1.3), (MIDDLE, 0.95), (LARGE, 0.9)):
        goals.append(
            Goal(f"wire bytes, {value}: times the floor", (wire, value, ours), (wire, value, floor), most=most)
        )
    for value, least in ((SMALL, 4.5), (MIDDLE, 3.0), (LARGE, 3.0)):
        text = f"CallToolResult, {value}: times faster than mcp 2.x"
        goals.append(Goal(text, (objects, value, theirs), (objects, value, ours), least=least))
    for form, target in product((DICT, DATACLASS, HAND), (OBJECT, WIRE)):
        heading, same = format_section(target, form), format_section(target, MODEL if form == HAND else form)
        for value in (SMALL, MIDDLE, LARGE):
            text = f"{heading}, {value}: times faster than mcp 2.x"
            goals.append(
                Goal(text, (same, value, theirs), (heading, value, ours), least=1.5 if target == OBJECT else 3)
            )
    dedalus = generated.name_contestant("dedalus")
    for value, least in ((SMALL, 5.0), (MIDDLE, 12.0), (LARGE, 12.0)):
        text = f"CallToolResult, {value}: times faster than dedalus-mcp"
        goals.append(Goal(text, (objects, value, mcp1.DEDALUS), (objects, value, dedalus), least=least))
    alone = generated.name_contestant("none")
    for value in (SMALL, MIDDLE, LARGE):
        text = f"{READ}, {value}: times what pydantic's classes take"
        goals.append(Goal(text, (READ, value, alone), (READ, value, checks.PYDANTIC), most=1.2))
        text = f"{READ_TEXT}, {value}: times two steps"
        goals.append(Goal(text, (READ_TEXT, value, alone), (READ_TEXT, value, checks.TWO_STEPS), most=0.85))
        text = f"{CALL}, {value}: times the SDK's own"
        goals.append(Goal(text, (CALL, value, clients.TYPED), (CALL, value, clients.OWN), most=1.15))
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
    from benchmarks.imports import BEYOND, IMPORT, LIST, MODULES, SERVER

    name, own, many, few = generated.name_contestant("mcp"), mcp2.NAME, "1,000 tools", "30 tools"
    return [
        Goal(f"{IMPORT}, {many}: ms", (IMPORT, many, name), None, most=10),
        Goal(f"{BEYOND}, {many}: ms", (BEYOND, many, name), None, most=15),
        Goal(f"{LIST}, {many}: ms", (LIST, many, name), None, most=50),
        Goal(f"{MODULES}, {many}: times that of {few}", (MODULES, many, name), (MODULES, few, name), most=1),
        Goal(f"{SERVER}, {few}: times the SDK's own", (SERVER, few, name), (SERVER, few, own), most=1.2),
    ]


def list_build_goals() -> list[Goal]:
    """Of `mcpgen build`, on two cores."""
    from benchmarks.builds import (
        ADDED,
        CHANGED,
        COLD,
        IMPORTS,
        MEMORY,
        PROCESSOR,
        PROPERTY,
        REMOVED,
        SAME,
        SHARING,
        TIME,
        WATCH,
        WATCH_ADDED,
        WATCH_REMOVED,
    )

    one, some, many, most = "1 tools", "300 tools", "1,000 tools", "10,000 tools"
    edits = (CHANGED, PROPERTY, ADDED, REMOVED, SHARING)
    return [
        Goal(f"{COLD}, {one}: s of CPU", (PROCESSOR, one, COLD), None, most=0.9),
        Goal(
            f"{COLD}, {some}: times the CPU of the imports",
            (PROCESSOR, some, COLD),
            (PROCESSOR, some, IMPORTS),
            most=22,
        ),
        Goal(f"{COLD}, {many}: s", (TIME, many, COLD), None, most=7),
        Goal(f"{COLD}, {many}: MiB", (MEMORY, many, COLD), None, most=250),
        Goal(f"{SAME}, {many}: s", (TIME, many, SAME), None, most=0.2),
        *(Goal(f"{edit}, {many}: s", (TIME, many, edit), None, most=1) for edit in edits),
        *(Goal(f"{edit}, {many}: s of CPU", (PROCESSOR, many, edit), None, most=1.2) for edit in edits),
        *(
            Goal(f"{watch}, {many}: s", (watch, many, "mcpgen"), None, most=0.3)
            for watch in (WATCH, WATCH_ADDED, WATCH_REMOVED)
        ),
        Goal(f"{COLD}, {most}: times the time of {many}", (TIME, most, COLD), (TIME, many, COLD), most=10),
        Goal(f"{COLD}, {most}: MiB", (MEMORY, most, COLD), None, most=1536),
    ]


def list_command_goals() -> list[Goal]:
    """Of the other commands, on two cores."""
    from benchmarks.commands import BUILD, CACHED, COMMANDS_WALL, UNCACHED

    many, wall = "1,000 tools", COMMANDS_WALL
    return [
        Goal(f"{CACHED}, {many}: s", (wall, many, CACHED), None, most=1),
        Goal(f"{UNCACHED}, {many}: times a build", (wall, many, UNCACHED), (wall, many, BUILD), most=1),
    ]


def list_server_goals() -> list[Goal]:
    """Of calls through servers on mcp 2.x: calls a second, and the CPU time, which busy machines leave alone."""
    ours = generated.name_contestant("mcp")
    goals: list[Goal] = []
    for heading in (LOW_LEVEL_TIMES, LOW_LEVEL_LESS):
        for transport, value in product((STDIO, HTTP), SERVED):
            name = heading.format(transport=transport)
            goals.append(Goal(f"{name}, {value}", (name, value, ours), None, least=1))
    for heading in (TIMES, LESS):
        for transport in (STDIO, HTTP):
            name = heading.format(transport=transport)
            for value in SERVED:
                least = {SMALL: 1.1, MIDDLE: 1.0, LARGE: 2.5}[value]
                goals.append(Goal(f"{name}, {value}", (name, value, ours), None, least=least))
    return goals
