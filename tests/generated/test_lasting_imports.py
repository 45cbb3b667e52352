"""The module of a definition has the classes of its schemas, whichever other definitions share them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.checkers import reported_together, wrong
from support.packages import files, mcpgen, tool

POINT: dict[str, Any] = {
    "title": "Point",
    "type": "object",
    "properties": {"x": {"type": "integer"}},
    "required": ["x"],
}
ROW: dict[str, Any] = {
    "title": "Row",
    "type": "object",
    "properties": {"at": POINT, "level": {"$ref": "#/$defs/Level"}},
    "required": ["at"],
}
LEVEL: dict[str, Any] = {"enum": ["low", "high"], "description": "How much."}
ROWS: dict[str, Any] = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": ROW}},
    "required": ["rows"],
    "$defs": {"Level": LEVEL},
}
AREA: dict[str, Any] = {
    "title": "Area",
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
}
GET_X = tool("get_x", ROWS, inputSchema={"type": "object", "properties": {"area": AREA}})
RESOURCE: dict[str, Any] = {
    "name": "log",
    "uri": "log://today",
    "mimeType": "application/json",
    "x-mcpgen": {"schema": ROWS},
}
OTHER = tool("get_y", {**ROWS, "properties": {**ROWS["properties"], "area": AREA}})
DEFINITIONS = {"get_x": GET_X, "get_y": OTHER, "log": RESOURCE}
STATES = (
    (("get_x",), "tools/get_x.py"),
    (("get_x", "get_y"), "types/row.py"),
    (("get_x",), "tools/get_x.py"),
    (("get_x", "log"), "types/row.py"),
    (("log",), "resources/log.py"),
)
"""The definitions of a package in the course of time, and where its class of rows is."""
PROGRAMS = {
    "get_x": """
from generated.tools.get_x import Area, GetXArguments, GetXResult, Level, Point, PointDict, Row, RowDict

level: Level = "low"
raw: PointDict = {"x": 1}
row: RowDict = {"at": raw, "level": "high"}
result = GetXResult(rows=[Row(at=Point(x=1), level=level)])
assert result.rows[0].at.x + 1 == 2
assert GetXResult.normalize({"rows": [row]})
assert GetXArguments(area=Area(name="a")).area == Area(name="a")
bad: Level = "mid"  # wrong
Row(at=Point(x="1"))  # wrong
Area()  # wrong
""",
    "log": """
from generated.resources.log import Level, Log, Point, Row

level: Level = "high"
row = Row(at=Point(x=2), level=level)
assert Log(rows=[row]).rows[0].at.x + 1 == 3
bad: Level = "mid"  # wrong
Row(at=Point(x="1"))  # wrong
""",
}


def build(folder: Path, names: tuple[str, ...]) -> str:
    """Build a package of these definitions after earlier ones; compare it with one built at once.

    Returns:
        The module of its class of rows.
    """
    for name, definition in DEFINITIONS.items():
        path = folder / "schemas" / f"{name}.json"
        if name not in names:
            path.unlink(missing_ok=True)
        elif not path.exists():
            path.write_text(json.dumps(definition), "utf-8")
    for options in ((), ("--out", "at_once/generated", "--no-cache")):
        run = mcpgen("build", "schemas", "--jobs", "1", *options, cwd=folder)
        assert run.returncode == 0, run.stderr
    generated = folder / "generated"
    assert files(generated) == files(folder / "at_once" / "generated")
    shutil.rmtree(folder / "at_once")
    (module,) = [path for path in generated.rglob("*.py") if "\nclass Row(" in path.read_text("utf-8")]
    return module.relative_to(generated).as_posix()


@pytest.mark.slow
def test_a_program_keeps_its_imports_when_others_share_its_classes(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text('sdk = "none"\n', "utf-8")
    (tmp_path / "schemas").mkdir()
    for names, module in STATES:
        assert build(tmp_path, names) == module
        programs = {f"use_{name}": PROGRAMS[name] for name in names if name in PROGRAMS}
        for program in programs.values():
            command = [sys.executable, "-c", program.partition("bad:")[0]]
            run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
            assert run.returncode == 0, (names, run.stderr)
        for checker in ("mypy", "pyright"):
            for name, (lines, output) in reported_together(tmp_path, checker, programs).items():
                assert lines == wrong(programs[name]), (names, output)
