"""All definitions of a folder, each file once, in one order."""

from __future__ import annotations

from pathlib import Path

from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.loader import read_definitions
from mcpgen.schema.values import Json
from support.documents import (
    OBJECT,
    read_folder,
    write_files,
)


def test_definitions_come_out_sorted_whatever_the_files(tmp_path: Path) -> None:
    tools: Json = [{"name": name, "inputSchema": OBJECT} for name in ("zeta", "Alpha", "mu")]
    write_files(tmp_path, {"schemas/z.json": tools, "schemas/a/b.json": {"name": "beta", "inputSchema": OBJECT}})
    actual, findings = read_folder(tmp_path)
    assert [tool.name for tool in actual.tools] == ["Alpha", "beta", "mu", "zeta"]
    assert [tool.origin for tool in actual.tools] == [
        "schemas/z.json",
        "schemas/a/b.json",
        "schemas/z.json",
        "schemas/z.json",
    ]
    assert not list(findings)


def test_one_file_through_two_arguments_is_read_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"schemas/a.json": {"name": "a", "inputSchema": OBJECT}})
    findings = Findings()
    settings = PackageSettings.model_validate({"schemas": ["schemas", "schemas/a.json", "schemas/../schemas"]})
    definitions = read_definitions(ConfiguredPackage(settings=settings, folder=tmp_path), findings)
    assert [tool.name for tool in definitions.tools] == ["a"]
    assert not list(findings)
