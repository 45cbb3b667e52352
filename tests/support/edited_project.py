"""A project whose tools share classes, have a template and refer to other files, to edit it between builds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcpgen import app
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.config import load
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.pipeline import input_survey
from mcpgen.pipeline.input_survey import InputSurvey
from mcpgen.pipeline.package_outline import PackageOutline
from mcpgen.pipeline.progress import ignore_progress
from support.packages import tool

MONEY = {"type": "object", "title": "Money", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
PLACE = {"type": "object", "properties": {"city": {"type": "string"}, "at": {"type": "string"}}}


def write_json(path: Path, value: object) -> None:
    """Write a value as JSON."""
    path.write_text(json.dumps(value, indent=1), "utf-8")


def make_schema(**properties: object) -> dict[str, Any]:
    """Return the schema of an object with a number and other properties."""
    return {"type": "object", "properties": {"n": {"type": "integer"}, **properties}, "required": ["n"]}


def make_project(folder: Path) -> None:
    """Write tools that share classes, tools that don't, a template, and references to other files."""
    (folder / "schemas").mkdir(parents=True)
    (folder / "far").mkdir()
    schemas = folder / "schemas"
    write_json(schemas / "plain.json", tool("plain", make_schema()))
    write_json(schemas / "pay.json", tool("pay", make_schema(price=MONEY)))
    write_json(schemas / "refund.json", tool("refund", make_schema(price=MONEY, where=PLACE)))
    listed = [tool(name, make_schema(note={"type": "string"})) for name in ("one", "two", "three")]
    write_json(schemas / "list.json", {"tools": listed})
    write_json(schemas / "common.defs.json", {"$defs": {"Size": {"enum": ["s", "m"]}}})
    write_json(schemas / "near.json", tool("near", make_schema(size={"$ref": "common.defs.json#/$defs/Size"})))
    write_json(folder / "far" / "level.json", {"type": "integer"})
    write_json(schemas / "far.json", tool("far", make_schema(level={"$ref": "https://far.test/level.json"})))
    (schemas / "plain.content.j2").write_text("n is {{ n }}\n", "utf-8")
    (folder / "mcpgen.toml").write_text('sdk = "mcp"\n[ref-map]\n"https://far.test/" = "far"\n', "utf-8")


def load_package(folder: Path) -> ConfiguredPackage:
    """Return the settings of a project."""
    findings = Findings()
    (package,) = load.load_packages(folder / "mcpgen.toml", folder, findings)
    assert not findings.failed
    return package


def survey(package: ConfiguredPackage) -> InputSurvey:
    """Return the survey of a package's input."""
    surveyed = input_survey.survey_inputs(package)
    assert surveyed is not None
    return surveyed


def make_outline(package: ConfiguredPackage) -> PackageOutline:
    """Return the outline of a package, from a run of all passes."""
    memory = Memory(CacheStore(package.folder.parent / "store"))
    generated = app.generate_package(package, 1, ignore_progress, memory).generated
    assert generated is not None
    assert generated.outline is not None
    return generated.outline


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the value of a JSON file in place."""
    value = json.loads(path.read_text("utf-8"))
    change(value)
    write_json(path, value)


def set_property(name: str, schema: object) -> Callable[[dict[str, Any]], object]:
    """Return a change that sets a property of a tool's result."""
    return lambda tool: tool["outputSchema"]["properties"].update({name: schema})
