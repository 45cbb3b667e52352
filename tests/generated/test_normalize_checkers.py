"""What type checkers say of values given to `normalize`: each mistake on its line, nothing against the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import checkers
from support.packages import mcpgen, tool

STOP: dict[str, Any] = {
    "type": "object",
    "properties": {"port": {"type": "string"}, "minutes": {"type": "integer"}},
    "required": ["port"],
    "additionalProperties": False,
}
ROUTE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "distance-km": {"type": "number"},
        "note": {"type": "string"},
        "closed": {"type": ["boolean", "null"]},
        "start": {"$ref": "#/$defs/Stop"},
        "stops": {"type": "array", "items": {"$ref": "#/$defs/Stop"}},
        "by": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Stop"}},
    },
    "required": ["name", "distance-km", "start", "stops"],
    "$defs": {"Stop": STOP},
}
PLACE = {
    "oneOf": [{"$ref": "#/$defs/Pier"}, {"$ref": "#/$defs/Buoy"}],
    "$defs": {
        "Pier": {
            "type": "object",
            "properties": {"kind": {"const": "pier"}, "length": {"type": "number"}},
            "required": ["kind", "length"],
            "additionalProperties": False,
        },
        "Buoy": {
            "type": "object",
            "properties": {"kind": {"const": "buoy"}, "chain": {"type": "integer"}},
            "required": ["kind", "chain"],
            "additionalProperties": False,
        },
    },
}
TREE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name"],
    "additionalProperties": False,
}
TOOLS = [
    tool("route", ROUTE),
    tool("stops", {"type": "array", "items": {"$ref": "#/$defs/Stop"}, "$defs": {"Stop": STOP}}),
    tool("word", {"type": "string"}),
    tool("level", {"type": ["number", "null"]}),
    tool("place", PLACE),
    tool("tree", TREE),
    tool(
        "names",
        {
            "type": "object",
            "properties": {"result": {"type": "array", "items": {"type": "string"}}},
            "required": ["result"],
            "title": "namesOutput",
        },
    ),
    tool("plain"),
]
USER = """\
from harbour import (
    LevelResult,
    NamesResult,
    PlaceResult,
    PlainResult,
    RouteResult,
    RouteResultDict,
    StopsResult,
    TreeResult,
    WordResult,
)
from mcpgen_runtime.sdk.none.types import CallToolResult, TextContent
from harbour import Stop

stop = Stop(port="Bergen", minutes=5)
route = RouteResult(name="a", distance_km=1.5, start=stop, stops=[stop])
held: RouteResultDict = {"name": "a", "distance-km": 1, "start": stop, "stops": [stop]}
text = TextContent(type="text", text="a")
done = CallToolResult(content=[text])

results: list[CallToolResult] = [
    RouteResult.normalize(route),
    RouteResult.normalize(held),
    RouteResult.normalize({"name": "a", "distance-km": 1.5, "start": stop, "stops": []}),
    RouteResult.normalize(
        {
            "name": "a",
            "distance-km": 2,
            "note": "b",
            "closed": None,
            "start": {"port": "Oslo"},
            "stops": [{"port": "Oslo"}, {"port": "Bergen", "minutes": 3}],
            "by": {"sea": {"port": "Oslo"}},
        },
        protocol="2025-06-18",
    ),
    RouteResult.normalize(done),
    RouteResult.normalize(("said", route)),
    RouteResult.normalize((["said", text, {"a": 1}], held)),
    RouteResult.normalize((None, {"name": "a", "distance-km": 1.5, "start": stop, "stops": []})),
    StopsResult.normalize([{"port": "Oslo"}]),
    StopsResult.normalize([stop]),
    StopsResult.normalize(StopsResult([stop])),
    WordResult.normalize("a"),
    WordResult.normalize(("said", "a")),
    LevelResult.normalize(None),
    LevelResult.normalize(1.5),
    PlaceResult.normalize({"kind": "pier", "length": 2}),
    PlaceResult.normalize({"kind": "buoy", "chain": 2}),
    TreeResult.normalize({"name": "a", "parts": [{"name": "b", "parts": [{"name": "c"}]}]}),
    NamesResult.normalize(["a", "b"]),
    NamesResult.normalize({"result": ["a", "b"]}),
    NamesResult.normalize(NamesResult(result=["a"])),
    PlainResult.normalize(object()),
    PlainResult.normalize(None),
    RouteResult.normalize_any(object()),
]

RouteResult.normalize({"name": 5, "distance-km": 1.5, "start": stop, "stops": []})  # wrong
RouteResult.normalize({"name": "a", "distance_km": 1.5, "start": stop, "stops": []})  # wrong
RouteResult.normalize({"nam": "a", "distance-km": 1.5, "start": stop, "stops": []})  # wrong
RouteResult.normalize({"distance-km": 1.5, "start": stop, "stops": []})  # wrong
RouteResult.normalize({"name": "a", "distance-km": 1.5, "start": stop, "stops": [], "note": None})  # wrong
RouteResult.normalize({"name": None, "distance-km": 1.5, "start": stop, "stops": []})  # wrong
RouteResult.normalize({"name": "a", "distance-km": 1.5, "start": {"port": 5}, "stops": []})  # wrong
RouteResult.normalize({"name": "a", "distance-km": 1.5, "start": {"prt": "a"}, "stops": []})  # wrong
RouteResult.normalize({"name": "a", "distance-km": 1.5, "start": stop, "stops": [{"port": None}]})  # wrong
RouteResult.normalize({"name": "a", "distance-km": 1.5, "start": stop, "stops": [], "by": {"a": 5}})  # wrong
RouteResult.normalize(("said", {"name": 5, "distance-km": 1.5, "start": stop, "stops": []}))  # wrong
RouteResult.normalize(("said", None))  # wrong
RouteResult.normalize(("said", route, route))  # wrong
RouteResult.normalize(route.start)  # wrong
RouteResult.normalize(None)  # wrong
RouteResult.normalize({"content": [], "isError": True})  # wrong
RouteResult.normalize(object())  # wrong
RouteResult.normalize(route, protocol=5)  # wrong
StopsResult.normalize([{"port": 5}])  # wrong
StopsResult.normalize(([stop], [stop]))  # wrong
WordResult.normalize(5)  # wrong
WordResult.normalize(b"a")  # wrong
LevelResult.normalize("a")  # wrong
PlaceResult.normalize({"kind": "pier", "chain": 2})  # wrong
PlaceResult.normalize({"kind": "quay", "length": 2})  # wrong
TreeResult.normalize({"name": "a", "parts": [{"name": "b", "parts": [{"nme": "c"}]}]})  # wrong
NamesResult.normalize([1])  # wrong
NamesResult.normalize({"result": [1]})  # wrong
NamesResult.normalize({"reslt": ["a"]})  # wrong
"""


ANNOTATED = """\
from harbour import RouteResult, RouteResultDict, StopDict

start: StopDict = {
    "port": "Oslo",
    "minutes": "5",  # wrong
}
one: RouteResultDict = {
    "name": "a",
    "distance-km": None,  # wrong
    "start": start,
    "stops": [],
}
two: RouteResultDict = {
    "name": "a",
    "distance-km": 1,
    "start": start,
    "stops": [{"port": "Oslo"}],
    "note": None,  # wrong
}
RouteResult.normalize(one)
RouteResult.normalize(two)
"""
"""Over several lines, a mistake is reported on its key where the literal is annotated; in a call, where it begins."""
IN_THE_CALL = """\
from harbour import RouteResult

RouteResult.normalize(
    {  # wrong
        "name": "a",
        "distance-km": 1.5,
        "start": {
            "port": "Oslo",
            "minutes": "5",
        },
        "stops": [],
    }
)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkers")
    (folder / "schemas").mkdir()
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    run = mcpgen("build", "schemas", "--out", "harbour", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


TEXTS = {"values": USER, "annotated": ANNOTATED, "in_the_call": IN_THE_CALL}


@pytest.fixture(scope="module", params=checkers.CHECKERS)
def reports(request: pytest.FixtureRequest, folder: Path) -> dict[str, tuple[set[int], str]]:
    """Return what a checker reports of each text."""
    return checkers.reported_together(folder, request.param, TEXTS)


@pytest.mark.ci
@pytest.mark.parametrize("name", TEXTS)
def test_mistakes_are_errors_on_their_line(reports: dict[str, tuple[set[int], str]], name: str) -> None:
    lines, output = reports[name]
    assert lines == checkers.wrong(TEXTS[name]), output
