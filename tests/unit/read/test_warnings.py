"""Warnings and lint of definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from mcpgen.commands.pulled_files import PulledHeader, render_pulled_file
from mcpgen.config.load import load_packages
from mcpgen.config.models import ConfiguredPackage, LintSettings, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.lint.linter import lint_definition, select_rules
from mcpgen.lint.rule import LintedDefinition
from mcpgen.paths import find_library_file
from mcpgen.read.definitions import Definitions
from mcpgen.read.idle_settings import report_idle_settings
from mcpgen.read.linting import LintedSite, list_linted
from mcpgen.read.loader import read_definitions
from mcpgen.targets import SdkName
from support.compat import make_resource, make_tool
from support.listings import advertised
from support.packages import tool

# --- `exceptions = "sdk"` is warned about exactly where the SDK's adapter does not use it -----------------------------


def warn(folder: Path, settings: dict[str, Any]) -> list[str]:
    findings = Findings()
    package = ConfiguredPackage(folder=folder, settings=PackageSettings.model_validate(settings))
    report_idle_settings(package, findings)
    return [finding.message for finding in findings]


@pytest.mark.parametrize("sdk", sorted({*get_args(SdkName)} - {"none"}))
def test_the_warning_follows_the_adapters(tmp_path: Path, sdk: str) -> None:
    reads_setting = ".raises" in find_library_file(f"sdk/{sdk}/server.py").read_text("utf-8")  # the oracle
    assert (warn(tmp_path, {"sdk": sdk, "exceptions": "sdk"}) == []) == reads_setting


def test_each_place_is_named(tmp_path: Path) -> None:
    tools = {"a": {"exceptions": "sdk"}, "b": {"exceptions": "logged"}, "c": {}}
    assert len(warn(tmp_path, {"sdk": "mcp", "tools": tools})) == 1
    assert len(warn(tmp_path, {"sdk": "mcp", "exceptions": "sdk", "tools": tools})) == 2
    assert warn(tmp_path, {"sdk": "mcp", "exceptions": "logged"}) == []


# --- `content-only` is for clients that have a name of their own ------------------------------------------------------
def test_clients_without_a_name_are_warned_about(tmp_path: Path) -> None:
    names = ["codex", "opencode", "claude-code", "my-agent", "mcp", "openai", "langchain"]
    assert warn(tmp_path, {"sdk": "mcp", "content-only": names}) == [
        f'`content-only` has no effect for "{name}": no client introduces itself so' for name in ("openai", "langchain")
    ]
    (message,) = warn(tmp_path, {"sdk": "mcp", "tools": {"a": {"content-only": ["gemini"]}}})
    assert '"gemini"' in message
    assert warn(tmp_path, {"content-only": ["codex"], "tools": {"a": {"content-only": []}}}) == [
        "`content-only` has no effect without an SDK, whose servers know the client"
    ]


# --- what lint rules find has its place in the document, also in a bare schema ----------------------------------------
TOOL = LintedDefinition("tool", "find", {"name": "find"})
SPAN = Span("tools.json", 1, 1)


@pytest.mark.parametrize(
    ("at", "pointer", "translated"),
    [
        ("/tools/0", "/outputSchema/type", "/tools/0/outputSchema/type"),
        ("", "/description", "/description"),
        (None, "/outputSchema/items", "/items"),
        (None, "/outputSchema", ""),
        (None, "/outputSchemas", None),
        (None, "/description", None),
    ],
)
def test_a_pointer_is_translated(at: str | None, pointer: str, translated: str | None) -> None:
    assert LintedSite(TOOL, None, at, SPAN).translate(pointer) == translated


def test_all_definitions_are_linted() -> None:
    sites = [*list_linted(Definitions([make_tool()], [make_resource()]))]
    assert [(site.definition.kind, site.definition.name) for site in sites] == [("tool", "get"), ("resource", "config")]
    assert sites[0].definition.input is not None
    assert sites[1].definition.input is None


def test_somebody_elses_tool_can_be_left_out(tmp_path: Path) -> None:
    tools = [{**tool(name), "execution": {"taskSupport": "required"}} for name in ("run", "a.b c")]
    schemas = tmp_path / "schemas"
    (schemas / "pulled").mkdir(parents=True)
    (schemas / "own.json").write_text(json.dumps({"tools": tools[:1]}), "utf-8")
    (schemas / "pulled" / "far.json").write_text(render_pulled_file(advertised(tools[1]), PulledHeader("far")), "utf-8")
    (package,) = load_packages(None, tmp_path, findings := Findings())
    read_definitions(package, findings)
    helps = {finding.help for finding in findings if finding.code == "MG111"}
    assert len(helps) == 2
    assert ["--exclude" in help for help in sorted(helps, key=len)] == [False, True]
    assert max(helps, key=len).endswith("leave it out: mcpgen pull --exclude 'a.b c' SERVER")


def test_what_is_in_a_shared_file_is_reported_there(tmp_path: Path) -> None:
    schemas = tmp_path / "schemas"
    schemas.mkdir()
    shared = {"$defs": {"Rows": {"type": "array"}}}
    (schemas / "shared.defs.json").write_text(json.dumps(shared), "utf-8")
    rows = {"$ref": "shared.defs.json#/$defs/Rows"}
    arguments = {"type": "object", "properties": {"rows": rows, "own": {"type": "array"}}}
    (schemas / "send.json").write_text(json.dumps({"name": "send", "inputSchema": arguments}), "utf-8")
    (package,) = load_packages(None, tmp_path, findings := Findings())
    sites = [*list_linted(read_definitions(package, findings))]
    rules = select_rules(LintSettings.model_validate({"select": ["MG925"]}))
    spans = [sites[0].locate(finding).span for finding in lint_definition(sites[0].definition, rules)]
    places = {(Path(span.file).name, span.pointer) for span in spans if span is not None}
    assert places == {("shared.defs.json", "/$defs/Rows"), ("send.json", "/inputSchema/properties/own")}
