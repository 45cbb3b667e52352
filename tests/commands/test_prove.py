"""`mcpgen prove`: it passes right classes, and finds each way in which a class can be wrong."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci

STOCK = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 0},
        "note": {"type": ["string", "null"]},
        "codes": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    },
    "required": ["count"],
}
TOOLS = [
    tool("stock", STOCK),
    tool("names", {"type": "array", "items": {"type": "string"}}),
    tool("say"),
    tool("draft", {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "minProperties": 1}),
]


SETTINGS = {
    "name": "zone",
    "uri": "zone://",
    "x-mcpgen": {"schema": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}},
}


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("proved")
    (tmp_path / "schemas").mkdir()
    definitions = {"tools": TOOLS, "resources": [SETTINGS, {"name": "plain", "uri": "plain://"}]}
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps(definitions), "utf-8")
    (tmp_path / "mcpgen.toml").write_text('runtime = "vendored"\n', "utf-8")
    run = mcpgen("build", "schemas", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    return tmp_path


@pytest.fixture
def folder(built_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built_once, tmp_path, dirs_exist_ok=True))


def _doctored(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / "generated" / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def _rows(stdout: str) -> Iterator[tuple[str, ...]]:
    for line in stdout.splitlines()[1:]:
        yield tuple(re.split(r"\s{2,}", line))


def test_right_classes_hold(folder: Path) -> None:
    run = mcpgen("prove", cwd=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = list(_rows(run.stdout))
    assert [(row[0], row[1]) for row in rows] == [
        (name, f"{name.title()}{kind}")
        for name in ("draft", "names", "say", "stock")
        for kind in ("Result", "Arguments")
    ] + [("zone", "Zone")]
    for _, name, valid, invalid, reported in rows:
        assert reported == "holds"
        assert int(valid) > 10
        assert int(invalid) > 10 or name == "SayResult"
    again, other = (mcpgen("prove", "stock", *options, cwd=folder).stdout for options in ([], ["--seed", "1"]))
    assert [row for row in _rows(again) if row[0] == "stock"] == [row for row in rows if row[0] == "stock"]
    assert again != other


@pytest.mark.parametrize(
    ("file", "old", "new", "claim", "value"),
    [
        ("tools/stock.py", '"count": values["count"]', "", "the round trip loses nothing", {"count": 0}),
        (
            "tools/stock.py",
            '"note" in self.__pydantic_fields_set__',
            "self.note",
            "the round trip",
            {"count": 0, "note": None},
        ),
        ("tools/stock.py", "ge=0", "ge=2", "accepts what the schema accepts", {"count": 0}),
        ("tools/stock.py", "(Checked, ", "(ToolResult, ", "every instance satisfies the schema", None),
        ("_runtime/models.py", "out.pop(name", "(name", "each dump equals to_structured_content()", {"count": 0}),
        (
            "_runtime/schema_check.py",
            "return self._validator.is_valid(value)",
            "return True",
            "refuses what the schema refuses",
            None,
        ),
        (
            "_runtime/tool_result.py",
            'out["resultType"] = "complete"',
            "pass",
            "to_wire() is a CallToolResult of 2026-07-28",
            None,
        ),
        (
            "_runtime/tool_result.py",
            'return {"result": value}',
            "return value",
            "to_wire() is a CallToolResult of 2025-06-18",
            [],
        ),
        (
            "resources/zone.py",
            '"id": values["id"]',
            '"id": values["id"] + 1',
            "the round trip loses nothing",
            {"id": 0},
        ),
        (
            "_runtime/wire_forms.py",
            'separators=(",", ":")',
            'separators=(":", ",")',
            "nothing but ValidationError",
            None,
        ),
        (
            "_runtime/tool_result.py",
            "return write_json_bytes(self.to_wire(",
            "return write_json_bytes(1 / 0 or self.to_wire(",
            "nothing but ValidationError is raised",
            None,
        ),
        (
            "_runtime/tool_result.py",
            'return members["result"], ',
            'return members["result"] + [""], ',
            "a result of 2025-06-18 reads",
            [],
        ),
        (
            "_runtime/tool_definitions.py",
            'out["outputSchema"] = _make_object_schema(out["outputSchema"], wrapped)',
            "pass",
            "advertised for 2025-06-18",
            [],
        ),
    ],
)
def test_each_way_to_be_wrong_is_found(folder: Path, file: str, old: str, new: str, claim: str, value: object) -> None:
    """Check that the doctored package is what a wrong generator would write."""
    if "ToolResult, " in new:
        _doctored(folder, file, ", Checked, ", ", Checked, ToolResult, ")
    _doctored(folder, file, old, new)
    run = mcpgen("prove", "--max-examples", "500", cwd=folder)
    assert run.returncode == 6, run.stdout + run.stderr
    assert f"FAILS: {claim}" in run.stdout or claim in run.stderr
    assert "error[MG601]" in run.stderr
    values = [line.split("for the value ")[1] for line in run.stderr.splitlines() if "help: for the value " in line]
    smallest_found = [json.JSONDecoder().raw_decode(text)[0] for text in values]
    assert smallest_found
    assert value is None or value in smallest_found, run.stderr


def test_native_formats_hold(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"at": {"type": "string", "format": "date-time"}, "id": {"type": "string", "format": "uuid"}},
    }
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps([tool("when", schema)]), "utf-8")
    (tmp_path / "mcpgen.toml").write_text('schemas = ["schemas"]\nformats = "native"\n', "utf-8")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    run = mcpgen("prove", cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
