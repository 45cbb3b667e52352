"""Definitions and settings as values, for tests of single passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Span
from mcpgen.read.definitions import ToolDefinition, ToolOptions
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from support.packages import tool

PRICE: dict[str, Any] = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}


def make_settings(**settings: Any) -> PackageSettings:
    """Return the settings of a package, by the names of a settings file."""
    return PackageSettings.model_validate(settings)


def configure_package(folder: Path, tools: list[dict[str, Any]], **settings: Any) -> ConfiguredPackage:
    """Write tools to `schemas/tools.json` in a folder and return a package of them."""
    (folder / "schemas").mkdir(parents=True, exist_ok=True)
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    return ConfiguredPackage(settings=make_settings(**settings), folder=folder)


def define_tool(name: str, output: Any = None, **options: Any) -> ToolDefinition:
    """Return the definition of a tool; `options` are fields of `ToolOptions`."""
    declared = tool(name, output)
    return ToolDefinition(
        name=name,
        origin=f"schemas/{name}.json",
        span=Span(f"{name}.json", 1, 1),
        tool=declared,
        input=Schema(declared["inputSchema"], DRAFT_2020_12),
        output=None if output is None else Schema(output, DRAFT_2020_12),
        choices=ToolOptions(**options),
    )
