"""A decorator server with twelve tools, as its owner wrote it, and each tool on its way to generated results."""

from __future__ import annotations

from dataclasses import dataclass

HEADS: dict[str, str] = {
    "mcp": """\
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("coast")
PICTURE = Image(data=b"\\x89PNG\\r\\n\\x1a\\n", format="png")
""",
    "mcp1": """\
from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.server.fastmcp.exceptions import ToolError

server = FastMCP("coast")
PICTURE = Image(data=b"\\x89PNG\\r\\n\\x1a\\n", format="png")
""",
    "fastmcp": """\
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image

server = FastMCP("coast")
PICTURE = Image(data=b"\\x89PNG\\r\\n\\x1a\\n", format="png")
""",
    "dedalus": """\
from dedalus_mcp import Context, MCPServer, ToolError, get_context, tool
from dedalus_mcp.types import ImageContent as Image

server = MCPServer("coast")
PICTURE = Image(type="image", data="iVBORw0KGgo=", mimeType="image/png")
""",
}
HEADS["fastmcp3"] = HEADS["fastmcp"]
BODY = '''

class Station(BaseModel):
    """A measuring station."""

    name: str
    height: float
    note: str | None = None
    tags: list[str] = Field(default_factory=list)


class Ferry(BaseModel):
    """A ferry between two stations."""

    line: int
    calls: list[str]


class Point(BaseModel):
    """A place on the map."""

    x: float
    y: float


@dataclass
class Position:
    """Where a station is."""

    x: float
    y: float
    accuracy: float | None = None


class Reading(TypedDict):
    """What a station measures."""

    celsius: float
    wind: float | None
    gusts: NotRequired[float]


STATIONS = {
    "Byrum": Station(name="Byrum", height=12.5, note="Æ, on the hill", tags=["wind", "rain"]),
    "Rona": Station(name="Rona", height=70.25),
}
FERRIES = [Ferry(line=7, calls=["Byrum", "Rona"])]


def station_of(name: str) -> Station:
    if name not in STATIONS:
        raise ToolError(f"there is no station {name}")
    return STATIONS[name]
'''
IDIOMS: dict[str, dict[str, str]] = {
    "mcp": {},
    "mcp1": {
        "ctx: Context": "ctx: Context[Any, Any, Any]",
        "@server.tool()\ndef draw_map": "@server.tool(structured_output=False)\ndef draw_map",
    },
    "fastmcp": {"generated.tools.nearest.Point": "generated.tools.nearest.At"},
    "dedalus": {
        "at: Point": "at: dict[str, float]",
        "at: generated.tools.nearest.Point": "at: dict[str, float]",
        "at.x - at.y": 'at["x"] - at["y"]',
        "@server.tool()": "@tool()",
        'report(ctx: Context, name: str) -> str:\n    "': 'report(name: str) -> str:\n    "',
        '"""A report in words."""\n': '"""A report in words."""\n    ctx = get_context()\n',
    },
}
"""What is written in another way on an SDK."""
IDIOMS["fastmcp3"] = IDIOMS["fastmcp"]
IMPORTS = """\
import math
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field
from typing_extensions import NotRequired, TypedDict
"""


@dataclass(frozen=True)
class Moved:
    """A tool: its code before, with its return annotated where that keeps the wire, and bound."""

    name: str
    before: str
    bound: str
    annotated: str | None = None


def _move(
    head: str, doc: str, body: str, bound_head: str = "", bound_body: str = "", is_annotated: bool = False
) -> Moved:
    """Return a tool of its head and body before, and when it is bound, where that is different."""
    bound_head, bound_body = bound_head or head, bound_body or body
    name = head.partition("def ")[2].partition("(")[0]
    before, annotated = (
        f'\n@server.tool()\n{head}:\n    """{doc}"""\n{body}' for head, body in ((head, body), (bound_head, bound_body))
    )
    return Moved(name, before, f"\n@tools.{name}\n{bound_head}:\n{bound_body}", annotated if is_annotated else None)


NEAREST = "sorted(STATIONS.values(), key=lambda one: abs(one.height - at.x - at.y))[:most]"
LEVELS = _move(
    "def get_levels(name: str) -> dict[str, float]",
    "Water levels by gauge, in metres.",
    '    return {"pier": station_of(name).height, "basin": 0.5}\n',
)
TOOLS = (
    _move("def count_words(text: str) -> int", "How many words a text has.", "    return len(text.split())\n"),
    _move(
        'def list_stations(prefix: str = "") -> list[str]',
        "The names of the stations.",
        "    return [name for name in STATIONS if name.startswith(prefix)]\n",
    ),
    _move(
        "def get_station(name: str) -> Station",
        "A station.",
        "    return station_of(name)\n",
        "def get_station(name: str) -> generated.GetStationResult",
        "    found = station_of(name)\n"
        "    return generated.GetStationResult("
        "name=found.name, height=found.height, note=found.note, tags=found.tags)\n",
        is_annotated=True,
    ),
    _move(
        "async def nearest(at: Point, most: int = 2) -> list[Station]",
        "The stations nearest to a place.",
        f"    return {NEAREST}\n",
        "async def nearest(at: generated.tools.nearest.Point, most: int = 2) -> generated.NearestResult",
        f"    found = {NEAREST}\n"
        '    return generated.NearestResult.from_structured_content({"result": [one.model_dump() for one in found]})\n',
    ),
    _move(
        "def get_position(name: str) -> Position",
        "Where a station is.",
        "    return Position(x=station_of(name).height, y=1.5)\n",
        "def get_position(name: str) -> generated.GetPositionResult",
        "    return generated.GetPositionResult(x=station_of(name).height, y=1.5, accuracy=None)\n",
        is_annotated=True,
    ),
    _move(
        "def get_reading(name: str) -> Reading",
        "What a station measures right now.",
        "    gusts = 14.5 if station_of(name).tags else math.nan\n"
        '    return {"celsius": 3.25, "wind": None, "gusts": gusts}\n',
        "def get_reading(name: str) -> generated.GetReadingResult",
        "    gusts = 14.5 if station_of(name).tags else None\n"
        "    return generated.GetReadingResult(celsius=3.25, wind=None, gusts=gusts)\n",
        is_annotated=True,
    ),
    _move(
        "def find(key: int | str) -> Station | Ferry",
        "The ferry of a line, or the station of a name.",
        "    return FERRIES[0] if isinstance(key, int) else station_of(key)\n",
        "def find(key: int | str) -> generated.FindResult",
        "    found = FERRIES[0] if isinstance(key, int) else station_of(key)\n"
        '    return generated.FindResult.from_structured_content({"result": found.model_dump()})\n',
    ),
    _move("def forget(name: str) -> None", "Forget a station.", "    station_of(name)\n"),
    _move(
        "def draw_map(name: str) -> list[str | Image]",
        "A map, and what it shows.",
        '    return [f"Around {station_of(name).name}", PICTURE]\n',
    ),
    Moved(
        "get_levels",
        LEVELS.before,
        LEVELS.bound,
        _move(
            "def get_levels(name: str) -> generated.GetLevelsResult",
            "Water levels by gauge, in metres.",
            '    return generated.GetLevelsResult(extras={"pier": station_of(name).height, "basin": 0.5})\n',
        ).before,
    ),
    _move(
        "def describe(name: str, short: bool = False) -> Any",
        "Whatever is known of a station.",
        '    return station_of(name).name if short else {"known": [station_of(name)], "since": 1887}\n',
    ),
    _move(
        "async def report(ctx: Context, name: str) -> str",
        "A report in words.",
        '    return f"{station_of(name).name} reports to {type(ctx).__name__}: {1 / len(STATIONS[name].tags)}"\n',
    ),
)
